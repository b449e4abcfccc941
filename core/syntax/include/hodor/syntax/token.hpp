// One token of SQL text: what it is and which bytes it covers.
//
// In:  nothing; this is data that the lexer makes.
// Out: kinds, byte spans, and for a bare word its class in the dialect's keyword list.
// Never: decoded values; a token's text is the bytes that it covers, exactly as written.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hodor {

enum class TokenKind : std::uint8_t {
#define TOKEN(name, example) name,
#include "hodor/syntax/token.def"
#undef TOKEN
};

constexpr bool is_error(TokenKind kind) { return kind > TokenKind::end; }
constexpr bool is_string(TokenKind kind) {
  return kind >= TokenKind::string && kind <= TokenKind::dollar_string;
}
constexpr bool is_name(TokenKind kind) {
  return kind == TokenKind::identifier || kind == TokenKind::quoted_identifier;
}
const char* name_of(TokenKind kind);

// The class of a bare word in the engine's keyword list. A class says where the word may be used as
// a name; it never says that the word *is* a keyword at its place: only a parser knows that.
enum class WordClass : std::uint8_t {
  none,           // not in the keyword list, or not a bare word
  unreserved,     // may be any name
  column_name,    // DuckDB col_name: may be a column or table, not a function
  type_function,  // DuckDB type_func: may be a function or type, not a column
  strict,         // Spark strict-non-reserved: may be a name, but not a table alias
  reserved  // DuckDB: a name only as a label after AS or '.'. Spark: reserved in ANSI mode only
};

struct Token {
  TokenKind kind = TokenKind::end;
  WordClass word_class = WordClass::none;
  bool space_before = false;    // whitespace or a comment stands between this and the token before
  bool newline_before = false;  // ... with a line break in it: joins DuckDB strings, unless
  bool block_comment_before = false;  // ... there is a block comment in it
  bool odd_space_before = false;      // ... with a space that not every engine version accepts
  std::uint8_t parser_word = 0;       // of a bare word: its number in parser_words.def
  std::uint32_t begin = 0;            // byte offsets into the text
  std::uint32_t end = 0;
  std::uint32_t name = 0;  // of a bare word or quoted name: its number in names.hpp

  std::string_view text(std::string_view sql) const { return sql.substr(begin, end - begin); }
};

// A half-open range of indexes into a token sequence.
struct TokenRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  auto operator<=>(const TokenRange&) const = default;
};

// ASCII-only, as both engines compare keywords. `lower` is written in lower case.
inline bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower[i]) return false;
  }
  return true;
}
std::string lower_case(std::string_view text);
// Is `token` the bare word `lower`, in any case?
inline bool is_word(const Token& token, std::string_view sql, std::string_view lower) {
  return token.kind == TokenKind::identifier && token.end - token.begin == lower.size() &&
         equals_ignoring_case(token.text(sql), lower);
}
// Is `token` the operator or punctuation `text`?
inline bool is_symbol(const Token& token, std::string_view sql, std::string_view text) {
  return (token.kind == TokenKind::op || token.kind == TokenKind::punctuation) &&
         token.end - token.begin == text.size() &&
         std::memcmp(sql.data() + token.begin, text.data(), text.size()) == 0;
}

}  // namespace hodor
