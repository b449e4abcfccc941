// The token tables. Every entry was checked against the engines: DuckDB 1.5.5 and 2.0.1 (where they
// differ the text is an error, so that a hash is right for both), Spark 4.1.1.
#include "dialect/lex_rules.hpp"

#include "characters.hpp"

namespace hodor {
namespace {

constexpr ByteClasses classes_of(const LexRules& rules) {
  ByteClasses classes = {};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const char c = static_cast<char>(i);
    const auto set = [&](bool is_one, std::uint8_t byte_class) {
      if (is_one) classes[i] = static_cast<std::uint8_t>(classes[i] | byte_class);
    };
    set(c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f', byte_class::space);
    set(is_name_start(c), byte_class::name_start);
    set((is_name_part(c) && !is_wide(c)) || (c == '$' && rules.dollar_in_names),
        byte_class::name_part);
    set(is_digit(c), byte_class::digit);
    set(contains(rules.string_quotes, c) || contains(rules.identifier_quotes, c),
        byte_class::quote);
    for (const StringPrefix& prefix : rules.prefixes) {
      set(lower(c) == prefix.letter, byte_class::prefix);
    }
    set(contains(rules.operator_characters, c), byte_class::operator_start);
    for (const std::string_view text : rules.operators) {
      set(text[0] == c, byte_class::operator_start);
    }
    set(contains(rules.punctuation, c), byte_class::punctuation);
  }
  return classes;
}

constexpr StringPrefix kDuckdbPrefixes[] = {
    {'e', TokenKind::escape_string, true},
    {'x', TokenKind::hex_string, false},
    {'b', TokenKind::bit_string, false},
    {'n', TokenKind::national_string, false},
};
constexpr std::string_view kDuckdbOperators[] = {"::", ":="};
constexpr char32_t kDuckdbSpaces[] = {0xa0,   0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                      0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
                                      0x200b, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff};

constexpr LexRules make_duckdb() {
  LexRules rules;
  rules.string_quotes = "'";
  rules.identifier_quotes = "\"`";
  rules.prefixes = kDuckdbPrefixes;
  rules.unicode_prefix_is_ambiguous = true;
  rules.dollar_strings = true;
  rules.dollar_in_names = true;
  rules.digit_separators = true;
  rules.dotted_number_is_error = true;
  rules.operator_characters = "+-*/%^<>=~!@&|";
  rules.keeps_sign = "~!@%^&|";
  rules.operators = kDuckdbOperators;
  rules.punctuation = "()[]{},;.:";
  rules.question_mark_parameters = true;
  rules.dollar_parameters = true;
  rules.positional_parameters = true;
  rules.vertical_tab_is_odd_space = true;
  rules.wide_spaces = kDuckdbSpaces;
  rules.classes = classes_of(rules);
  return rules;
}

constexpr StringPrefix kDatabricksPrefixes[] = {
    {'r', TokenKind::raw_string, false},
    {'x', TokenKind::hex_string, true},
};
// `>>` and `>>>` come apart behind a word of kBracketWords, see Lexer::operator_length.
constexpr std::string_view kDatabricksOperators[] = {
    ">>>", "<=>", "?::", "<>", "!=", "!>", "!<", "<=", ">=", "<<", ">>",
    "==",  "||",  "|>",  "->", "=>", "::", ":=", "*/", "+",  "-",  "*",
    "/",   "%",   "~",   "&",  "|",  "^",  "<",  ">",  "=",  "!",  "@"};
constexpr std::string_view kBracketWords[] = {"array", "map", "struct"};
constexpr char32_t kDatabricksSpaces[] = {0xa0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
                                          0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
                                          0x200a, 0x2028, 0x202f, 0x205f, 0x3000};

constexpr LexRules make_databricks() {
  LexRules rules;
  rules.string_quotes = "'\"";
  rules.identifier_quotes = "`";
  rules.empty_identifiers = true;
  rules.backslash_escapes = true;
  rules.prefixes = kDatabricksPrefixes;
  rules.raw_string_then_quote_is_ambiguous = true;
  rules.digits_start_names = true;
  rules.uri_names = true;
  rules.number_suffixes = true;
  rules.operators = kDatabricksOperators;
  rules.bracket_words = kBracketWords;
  rules.punctuation = "()[],;.:";
  rules.question_mark_parameters = true;
  rules.vertical_tab_is_odd_space = true;
  rules.wide_spaces = kDatabricksSpaces;
  rules.backslash_continues_comment = true;
  rules.hints = true;
  rules.classes = classes_of(rules);
  return rules;
}

constexpr LexRules kDuckdb = make_duckdb();
constexpr LexRules kDatabricks = make_databricks();

}  // namespace

const LexRules& lex_rules(Dialect dialect) {
  switch (dialect) {
    case Dialect::duckdb:
      return kDuckdb;
    case Dialect::databricks:
      return kDatabricks;
  }
  return kDuckdb;  // no other value exists
}

}  // namespace hodor
