// Words to lines of text, with the spaces that people expect between them.
//
// In:  words in their order, and where lines begin.
// Out: the text, without a line break at its end.
// Never: joins two words to one token: a gap is left out only beside punctuation, or when told so.
#pragma once
#include <string>
#include <string_view>

namespace hodor {

class TextLines {
 public:
  enum class Gap : unsigned char {
    usual,
    word,  // a space, whatever the word is
    none
  };

  void put(std::string_view word, Gap gap = Gap::usual);
  // Something between the last word and the next, as it is.
  void put_gap(std::string_view gap);
  // What comes next belongs to the last word, unless it begins with an operator.
  void glue() { glue_ = Glue::to_operand; }
  void line() { line_ = true; }
  void indent() { ++depth_; }
  void dedent() { --depth_; }
  std::string take() { return std::move(text_); }

 private:
  enum class Glue : unsigned char { no, yes, to_operand };
  bool has_gap(std::string_view word, Gap gap) const;

  std::string text_;
  int depth_ = 0;
  bool line_ = false;
  Glue glue_ = Glue::yes;  // nothing stands before the first word
  bool after_number_ = false;
};

}  // namespace hodor
