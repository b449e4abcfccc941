// See text_lines.hpp.
#include "text_lines.hpp"

namespace hodor {
namespace {

constexpr std::string_view kOperatorBytes = "+-*/<>=~!@#%^&|`?$:";

bool closes(std::string_view word) {
  return word == "," || word == ";" || word == ")" || word == "]" || word == "}" || word == ":";
}

bool opens(std::string_view word) {
  return word == "(" || word == "[" || word == "{" || word == ".";
}

}  // namespace

bool TextLines::has_gap(std::string_view word, Gap gap) const {
  if (glue_ == Glue::yes) return false;
  if (glue_ == Glue::to_operand) {
    return kOperatorBytes.find(word[0]) != std::string_view::npos;
  }
  if (gap != Gap::usual) return gap == Gap::word;
  if (word == ".") return after_number_;
  return !closes(word);
}

void TextLines::put(std::string_view word, Gap gap) {
  if (word.empty()) return;
  if (line_ && !text_.empty()) {
    text_ += '\n';
    text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  } else if (has_gap(word, gap)) {
    text_ += ' ';
  }
  line_ = false;
  text_ += word;
  glue_ = opens(word) ? Glue::yes : Glue::no;
  after_number_ = (word[0] >= '0' && word[0] <= '9') || (word[0] == '.' && word.size() > 1);
}

void TextLines::put_gap(std::string_view gap) {
  text_ += gap;
  line_ = false;
  glue_ = Glue::yes;
}

}  // namespace hodor
