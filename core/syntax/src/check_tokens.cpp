#include <string>

#include "hodor/syntax/lexer.hpp"

namespace hodor {

std::string check_tokens(std::string_view sql, Dialect dialect, const Lexed& lexed) {
  const std::vector<Token>& tokens = lexed.tokens;
  if (tokens.empty() || tokens.back().kind != TokenKind::end) return "no end token";
  std::size_t from = 0;
  bool has_error = false;
  for (const Token& token : tokens) {
    const bool is_end = token.kind == TokenKind::end;
    const std::string at = " at byte " + std::to_string(token.begin);
    if (token.begin < from || token.end > sql.size()) return "out of order" + at;
    if (token.end < token.begin || (token.begin == token.end) != is_end) return "bad size" + at;
    if (token.space_before != (token.begin > from)) return "wrong gap flag" + at;
    // A gap must be nothing when it is lexed alone. A `--` comment may end with the text.
    const Lexed gap = lex(sql.substr(from, token.begin - from), dialect);
    if (!gap.ok || gap.tokens.size() != 1) return "text in a gap" + at;
    has_error = has_error || is_error(token.kind);
    from = token.end;
  }
  if (from != sql.size()) return "text behind the end";
  return has_error == lexed.ok ? "wrong ok flag" : "";
}

}  // namespace hodor
