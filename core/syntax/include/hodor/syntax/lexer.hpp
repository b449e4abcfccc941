// Cuts SQL text into tokens exactly where the engine of the dialect does.
//
// In:  UTF-8 text and a dialect.
// Out: all tokens in order, the last one of kind `end`. Whitespace and comments are the gaps
// between. Never: throws, guesses or skips. At the first byte run that the engine would not accept
// as a token
//        there is one error token that covers the rest of the text; nothing after it is lexed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "hodor/syntax/dialect.hpp"
#include "hodor/syntax/names.hpp"
#include "hodor/syntax/token.hpp"

namespace hodor {

struct Lexed {
  explicit Lexed(Dialect dialect) : names(dialect) {}

  std::vector<Token> tokens;  // never empty; back() is `end`; an error token may stand before it
  Names names;                // of the tokens
  bool ok = false;            // no error token
};

// Text above kMaxSqlBytes or with more than kMaxTokens tokens ends in error_limit.
Lexed lex(std::string_view sql, Dialect dialect);

// The value of a name token: quotes removed and doubled quotes undone; case stays as written.
// Precondition: `token` is an identifier or quoted_identifier.
std::string name_value(const Token& token, std::string_view sql);

// For tests: what is wrong with a lexed text, empty when nothing is. Tokens are in order, in
// bounds, never empty but for `end`; between them is nothing but whitespace and comments; the flags
// agree.
std::string check_tokens(std::string_view sql, Dialect dialect, const Lexed& lexed);

}  // namespace hodor
