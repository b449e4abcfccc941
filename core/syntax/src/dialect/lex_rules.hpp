// How the tokens of one dialect look, as data. The lexer has one code path and reads this table.
//
// In:  nothing. Out: one constant table per dialect.
// Never: text of the keyword lists; those are in words.
#pragma once
#include <array>
#include <cstdint>
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

// What a byte may begin or be part of, made from the other rules.
namespace byte_class {
inline constexpr std::uint8_t space = 1U << 0;
inline constexpr std::uint8_t name_start = 1U << 1;
inline constexpr std::uint8_t name_part = 1U << 2;  // ASCII only
inline constexpr std::uint8_t digit = 1U << 3;
inline constexpr std::uint8_t quote = 1U << 4;
inline constexpr std::uint8_t prefix = 1U << 5;  // the letter of a StringPrefix
inline constexpr std::uint8_t operator_start = 1U << 6;
inline constexpr std::uint8_t punctuation = 1U << 7;
}  // namespace byte_class
using ByteClasses = std::array<std::uint8_t, 256>;

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

  ByteClasses classes = {};
  bool is(char c, std::uint8_t byte_class) const {
    return (classes[static_cast<unsigned char>(c)] & byte_class) != 0;
  }
};

const LexRules& lex_rules(Dialect dialect);

}  // namespace hodor
