// How the tokens of one dialect look, as data. The lexer has one code path and reads this table.
//
// In:  nothing. Out: one constant table per dialect.
// Never: text of the keyword lists; those are in words.
#pragma once
#include <span>
#include <string_view>

#include "hodor/syntax/dialect.hpp"
#include "hodor/syntax/token.hpp"

namespace hodor {

// A letter that, directly before a quote, makes another kind of string.
struct StringPrefix {
  char letter;  // lower case; either case counts
  TokenKind kind;
  bool backslash_escapes;  // a backslash hides the next character
};

struct LexRules {
  // Strings and names.
  std::string_view string_quotes;      // each may start a string
  std::string_view identifier_quotes;  // each may start a quoted identifier; doubled inside
  bool empty_identifiers = false;      // `` is a token
  bool backslash_escapes = false;      // in strings without a prefix
  std::span<const StringPrefix> prefixes;
  bool raw_string_then_quote_is_ambiguous = false;  // r'a''b'
  bool unicode_prefix_is_ambiguous = false;         // u&'a'
  bool dollar_strings = false;
  bool dollar_in_names = false;     // not at the start
  bool digits_start_names = false;  // 1abc is a name
  bool uri_names = false;           // s3://a-b/c is one name
  // Numbers.
  bool digit_separators = false;        // 1_000
  bool number_suffixes = false;         // 1L, 1.5BD
  bool dotted_number_is_error = false;  // 1.2.3
  // Operators: either runs of characters cut by PostgreSQL's rule, or the longest of a list.
  std::string_view operator_characters;
  std::string_view keeps_sign;                      // a run with one of these may end in + or -
  std::span<const std::string_view> operators;      // longer ones first; they win over the runs
  std::span<const std::string_view> bracket_words;  // array<array<int>>: the end is not >>
  std::string_view punctuation;
  // Parameters.
  bool question_mark_parameters = false;  // ?
  bool dollar_parameters = false;         // $1, $name
  bool positional_parameters = false;     // #1
  // Gaps.
  bool vertical_tab_is_odd_space = false;
  std::span<const char32_t> wide_spaces;     // beyond ASCII; reported as odd
  bool backslash_continues_comment = false;  // -- a\<newline>b
  bool hints = false;                        // /*+ a */
};

const LexRules& lex_rules(Dialect dialect);

}  // namespace hodor
