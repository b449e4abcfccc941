#include "hodor/syntax/words.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "characters.hpp"
#include "folded_hash.hpp"

namespace hodor {
namespace {

struct Keyword {
  std::string_view word;
  WordClass word_class;
};

#include "words/tables.inc"

struct Lists {
  std::span<const Keyword> keywords;
  std::span<const VolatileWord> volatile_words;
  std::span<const std::string_view> functions;
  std::span<const std::string_view> known_functions;
  std::span<const std::string_view> pure_table_functions;
  bool reserved_is_always_keyword;
};

constexpr Lists kDuckdb = {kDuckdbKeywords,       kDuckdbVolatile,           kDuckdbFunctions,
                           kDuckdbKnownFunctions, kDuckdbPureTableFunctions, true};
constexpr Lists kDatabricks = {kDatabricksKeywords,           kDatabricksVolatile,
                               kDatabricksFunctions,          kDatabricksKnownFunctions,
                               kDatabricksPureTableFunctions, false};

const Lists& lists_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::duckdb:
      return kDuckdb;
    case Dialect::databricks:
      return kDatabricks;
  }
  return kDuckdb;  // no other value exists
}

constexpr std::string_view kGrammarCalls[] = {"all",
                                              "any",
                                              "array",
                                              "cast",
                                              "coalesce",
                                              "columns",
                                              "cube",
                                              "exists",
                                              "extract",
                                              "grouping",
                                              "grouping_id",
                                              "ifnull",
                                              "map",
                                              "overlay",
                                              "percentile_cont",
                                              "percentile_disc",
                                              "position",
                                              "rollup",
                                              "row",
                                              "some",
                                              "struct",
                                              "try",
                                              "unnest",
                                              "unpack"};

constexpr std::string_view kParserWords[] = {
#define WORD(text) #text,
#include "parser_words.def"
#undef WORD
};
static_assert(std::is_sorted(std::begin(kParserWords), std::end(kParserWords)));
static_assert(std::size(kParserWords) < 256);

bool matches(const VolatileWord& candidate, std::string_view word) {
  const std::string_view pattern = candidate.name;
  const bool is_prefix = pattern.back() == '*';
  return is_prefix ? equals_ignoring_case(word.substr(0, pattern.size() - 1),
                                          pattern.substr(0, pattern.size() - 1))
                   : equals_ignoring_case(word, pattern);
}

// All listed words of one dialect by their text; made once, then never changed.
class WordTable {
 public:
  explicit WordTable(Dialect dialect) : slots_(kSlots, 0) {
    const Lists& lists = lists_of(dialect);
    words_.reserve(kSlots / 2);  // the entries must not move
    words_.emplace_back();
    for (const Keyword& keyword : lists.keywords) {
      entry(keyword.word).word_class = keyword.word_class;
    }
    for (std::size_t i = 0; i < std::size(kParserWords); ++i) {
      entry(kParserWords[i]).parser_word = static_cast<std::uint8_t>(i + 1);
    }
    for (const std::string_view word : kGrammarCalls) entry(word).is_grammar_call = true;
    for (const std::string_view word : lists.functions) entry(word).is_builtin_function = true;
    for (const std::string_view word : lists.known_functions) entry(word);
    for (const std::string_view word : lists.pure_table_functions) {
      entry(word).is_pure_table_function = true;
    }
    for (const VolatileWord& word : lists.volatile_words) {
      if (word.name.back() != '*') entry(word.name);
    }
    for (const VolatileWord& word : lists.volatile_words) {
      for (WordEntry& known : words_) {
        const bool is_first = known.volatile_word == nullptr && !known.text.empty();
        if (is_first && matches(word, known.text)) known.volatile_word = &word;
      }
      if (word.name.back() != '*') continue;
      patterns_.emplace_back();
      patterns_.back().volatile_word = &word;
      begins_pattern_[static_cast<unsigned char>(word.name[0])] = true;
    }
  }

  const WordEntry& find(std::string_view word) const {
    if (word.size() <= longest_) {
      for (std::size_t slot = folded_hash(word) & kMask; slots_[slot] != 0;
           slot = (slot + 1) & kMask) {
        const WordEntry& candidate = words_[slots_[slot]];
        if (equals_ignoring_case(word, candidate.text)) return candidate;
      }
    }
    const auto first = static_cast<unsigned char>(word.empty() ? '\0' : lower(word[0]));
    if (!begins_pattern_[first]) return words_[0];
    for (const WordEntry& pattern : patterns_) {
      if (matches(*pattern.volatile_word, word)) return pattern;
    }
    return words_[0];
  }

 private:
  static constexpr std::size_t kSlots = 8192;
  static constexpr std::size_t kMask = kSlots - 1;

  WordEntry& entry(std::string_view word) {
    std::size_t slot = folded_hash(word) & kMask;
    for (; slots_[slot] != 0; slot = (slot + 1) & kMask) {
      if (words_[slots_[slot]].text == word) return words_[slots_[slot]];
    }
    const auto number = static_cast<std::uint16_t>(words_.size());
    slots_[slot] = number;
    longest_ = std::max(longest_, word.size());
    WordEntry& made = words_.emplace_back();
    made.text = word;
    made.number = number;
    return made;
  }

  std::vector<WordEntry> words_;     // the first is that of no list
  std::vector<WordEntry> patterns_;  // of words that only a pattern names
  std::array<bool, 256> begins_pattern_ = {};
  std::vector<std::uint16_t> slots_;
  std::size_t longest_ = 0;
};

bool has(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

const WordEntry& find_word(Dialect dialect, std::string_view word) {
  static const WordTable duckdb(Dialect::duckdb);
  static const WordTable databricks(Dialect::databricks);
  return (dialect == Dialect::duckdb ? duckdb : databricks).find(word);
}

WordClass word_class(Dialect dialect, std::string_view word) {
  return find_word(dialect, word).word_class;
}

bool is_always_keyword(Dialect dialect, WordClass word_class) {
  return word_class == WordClass::reserved && lists_of(dialect).reserved_is_always_keyword;
}

bool is_builtin_function(Dialect dialect, std::string_view name) {
  return find_word(dialect, name).is_builtin_function;
}

bool is_grammar_call(std::string_view name) { return has(kGrammarCalls, name); }

std::span<const std::string_view> builtin_functions(Dialect dialect) {
  return lists_of(dialect).functions;
}

std::span<const std::string_view> known_functions(Dialect dialect) {
  return lists_of(dialect).known_functions;
}

bool is_pure_table_function(Dialect dialect, std::string_view name) {
  return find_word(dialect, name).is_pure_table_function;
}

const VolatileWord* find_volatile(Dialect dialect, std::string_view name) {
  return find_word(dialect, name).volatile_word;
}

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = lower(c);
  return lowered;
}

const char* name_of(TokenKind kind) {
  switch (kind) {
#define TOKEN(name, example) \
  case TokenKind::name:      \
    return #name;
#include "hodor/syntax/token.def"
#undef TOKEN
  }
  return "";
}

}  // namespace hodor
