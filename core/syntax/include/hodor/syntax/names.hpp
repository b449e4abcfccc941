// The names of one text, each once, by number.
//
// In:  names as the lexer finds them, without their quotes.
// Out: a number for each, equal for names that differ by the case of ASCII letters only, and what
//      the word lists say about it.
// Never: tells `"a"` from `a`; whether a name was quoted is in its token.
//
// Names are compared by number everywhere behind the lexer, so each is folded and looked up once.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hodor/syntax/dialect.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {

using NameId = std::uint32_t;
inline constexpr NameId kNoName = 0;  // of tokens that are no name

class Names {
 public:
  explicit Names(Dialect dialect);

  NameId add(std::string_view value);
  // kNoName when the text does not have it.
  NameId find(std::string_view value) const;
  // Those of a list that the text has.
  std::vector<NameId> find_all(std::span<const std::string_view> values) const;

  std::size_t size() const { return entries_.size(); }  // with kNoName
  // ASCII letters in lower case. Valid until the next `add`.
  std::string_view text(NameId id) const {
    return {folded_.data() + entries_[id].begin, entries_[id].size};
  }
  bool is_ascii(NameId id) const { return entries_[id].is_ascii; }
  // Letters, digits and '_', no digit first.
  bool is_plain(NameId id) const { return entries_[id].is_plain; }
  // Ends in '_' and digits.
  bool is_numbered(NameId id) const { return entries_[id].is_numbered; }
  const WordEntry& word(NameId id) const { return *entries_[id].word; }

 private:
  struct Entry {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
    bool is_ascii = true;
    bool is_plain = false;
    bool is_numbered = false;
    const WordEntry* word = nullptr;
  };
  bool is_same(const Entry& entry, std::string_view value) const;
  void grow();

  Dialect dialect_;
  std::string folded_;
  std::vector<Entry> entries_;
  std::vector<NameId> slots_;  // by hash, open addressing; a power of two
};

// A fixed list of names, to be asked for names of texts. Make it once, it is not for one text.
class WordSet {
 public:
  WordSet(Dialect dialect, std::span<const std::string_view> words);
  bool has(const Names& names, NameId name) const {
    const std::uint16_t number = names.word(name).number;
    if (number != 0) return number < listed_.size() && listed_[number];
    return !others_.empty() && has_other(names.text(name));
  }

 private:
  bool has_other(std::string_view word) const;

  std::vector<bool> listed_;              // by WordEntry::number
  std::vector<std::string_view> others_;  // that are in no list of the dialect; sorted
};

}  // namespace hodor
