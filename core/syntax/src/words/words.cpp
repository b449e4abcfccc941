#include "hodor/syntax/words.hpp"

#include <algorithm>
#include <array>

#include "characters.hpp"

namespace hodor {
namespace {

struct Keyword {
  std::string_view word;
  WordClass word_class;
};

#include "words/tables.inc"

// The keywords that start with one letter stand between its entry and the next.
using LetterIndex = std::array<std::uint16_t, 27>;
constexpr LetterIndex index_letters(std::span<const Keyword> keywords) {
  LetterIndex index = {};
  for (std::size_t letter = 0; letter < 27; ++letter) {
    std::size_t i = 0;
    while (i < keywords.size() && keywords[i].word[0] < static_cast<char>('a' + letter)) ++i;
    index[letter] = static_cast<std::uint16_t>(i);
  }
  return index;
}

struct Tables {
  std::span<const Keyword> keywords;
  LetterIndex letters;
  std::span<const VolatileWord> volatile_words;
  std::span<const std::string_view> functions;
  std::span<const std::string_view> known_functions;
  std::span<const std::string_view> pure_table_functions;
  bool reserved_is_always_keyword;
};

constexpr Tables kDuckdb = {kDuckdbKeywords,
                            index_letters(kDuckdbKeywords),
                            kDuckdbVolatile,
                            kDuckdbFunctions,
                            kDuckdbKnownFunctions,
                            kDuckdbPureTableFunctions,
                            true};
constexpr Tables kDatabricks = {kDatabricksKeywords,
                                index_letters(kDatabricksKeywords),
                                kDatabricksVolatile,
                                kDatabricksFunctions,
                                kDatabricksKnownFunctions,
                                kDatabricksPureTableFunctions,
                                false};

const Tables& tables_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::duckdb:
      return kDuckdb;
    case Dialect::databricks:
      return kDatabricks;
  }
  return kDuckdb;  // no other value exists
}

// A word in lower case. Longer words than any list has become the empty word, which no list has.
class Lowered {
 public:
  explicit Lowered(std::string_view word) {
    if (word.size() > bytes_.size()) return;
    std::transform(word.begin(), word.end(), bytes_.begin(), lower);
    size_ = word.size();
  }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 64> bytes_;
  std::size_t size_ = 0;
};

bool has(std::span<const std::string_view> sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), Lowered(word).view());
}

}  // namespace

WordClass word_class(Dialect dialect, std::string_view word) {
  if (word.empty() || !is_letter(word[0])) return WordClass::none;
  const Lowered lowered(word);
  if (lowered.view().empty()) return WordClass::none;
  const Tables& tables = tables_of(dialect);
  const auto letter = static_cast<std::size_t>(lowered.view()[0] - 'a');
  const std::size_t first = tables.letters[letter];
  const auto candidates = tables.keywords.subspan(first, tables.letters[letter + 1] - first);
  const auto found = std::lower_bound(
      candidates.begin(), candidates.end(), lowered.view(),
      [](const Keyword& keyword, std::string_view text) { return keyword.word < text; });
  const bool is_keyword = found != candidates.end() && found->word == lowered.view();
  return is_keyword ? found->word_class : WordClass::none;
}

bool is_always_keyword(Dialect dialect, WordClass word_class) {
  return word_class == WordClass::reserved && tables_of(dialect).reserved_is_always_keyword;
}

bool is_builtin_function(Dialect dialect, std::string_view name) {
  return has(tables_of(dialect).functions, name);
}

bool is_grammar_call(std::string_view name) {
  static constexpr std::string_view kGrammar[] = {"all",
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
  return std::find(std::begin(kGrammar), std::end(kGrammar), name) != std::end(kGrammar);
}

std::span<const std::string_view> builtin_functions(Dialect dialect) {
  return tables_of(dialect).functions;
}

std::span<const std::string_view> known_functions(Dialect dialect) {
  return tables_of(dialect).known_functions;
}

bool is_pure_table_function(Dialect dialect, std::string_view name) {
  return has(tables_of(dialect).pure_table_functions, name);
}

const VolatileWord* find_volatile(Dialect dialect, std::string_view name) {
  const Lowered lowered(name);
  for (const VolatileWord& candidate : tables_of(dialect).volatile_words) {
    const std::string_view pattern = candidate.name;
    const bool is_prefix = pattern.back() == '*';
    const bool matches = is_prefix
                             ? lowered.view().starts_with(pattern.substr(0, pattern.size() - 1))
                             : lowered.view() == pattern;
    if (matches) return &candidate;
  }
  return nullptr;
}

bool equals_ignoring_case(std::string_view text, std::string_view lowered) {
  return text.size() == lowered.size() && std::equal(text.begin(), text.end(), lowered.begin(),
                                                     [](char a, char b) { return lower(a) == b; });
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
