// The parts of the lexer that look at one token: each answers how long it is, and stores nothing.
//
// In:  the text, the table of the dialect, a position inside the text.
// Out: a length in bytes, or an error kind.
// Never: reads beyond the text.
#pragma once
#include <cstddef>
#include <string_view>

#include "dialect/lex_rules.hpp"
#include "hodor/syntax/token.hpp"

namespace hodor {

// One token or comment at a position: its kind and where it ends.
struct Scan {
  TokenKind kind = TokenKind::end;
  std::size_t end = 0;
};

struct LexInput {
  std::string_view sql;
  const LexRules& rules;
  // The byte at `at`, NUL behind the end. (A NUL inside the text was refused before.)
  char peek(std::size_t at) const { return at < sql.size() ? sql[at] : '\0'; }
  bool starts_with(std::size_t at, std::string_view text) const {
    return sql.substr(at < sql.size() ? at : sql.size(), text.size()) == text;
  }
};

// Length of the whitespace character at `at`, 0 when there is none. `odd`: not every version of the
// engine takes it for whitespace.
std::size_t space_length(const LexInput& source, std::size_t at, bool* odd);
// End of the block comment that starts at `at`, npos without an end.
std::size_t block_comment_end(const LexInput& source, std::size_t at);
// End of the `--` comment that starts at `at`; the line break is not part of it.
std::size_t line_comment_end(const LexInput& source, std::size_t at);

// Each needs a character at `at` that starts such a token.
Scan scan_quoted(const LexInput& source, std::size_t at);  // '…', "…", `…`, x'…'
Scan scan_dollar(const LexInput& source, std::size_t at);  // $1, $name, $tag$…$tag$
Scan scan_number(const LexInput& source, std::size_t at);  // a name where digits start names
Scan scan_name(const LexInput& source, std::size_t at);
// Length of the operator, 0 when none starts here. `open_brackets`: in array<…>, where >> is > >.
std::size_t operator_length(const LexInput& source, std::size_t at, bool open_brackets);
// Does a string with a prefix letter start here?
const StringPrefix* string_prefix(const LexInput& source, std::size_t at);

}  // namespace hodor
