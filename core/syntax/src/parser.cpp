// Entry points of the parser.
#include "hodor/syntax/parser.hpp"

#include <utility>

#include "parser_state.hpp"

namespace hodor {

Tree parse_query(std::string_view sql, Dialect dialect, Lexed lexed) {
  return Parser(sql, dialect, std::move(lexed.tokens), std::move(lexed.names)).whole_query();
}

Tree parse_query(std::string_view sql, Dialect dialect) {
  return parse_query(sql, dialect, lex(sql, dialect));
}

Tree parse_statement(std::string_view sql, Dialect dialect, const Lexed& lexed, TokenRange range) {
  std::vector<Token> own(lexed.tokens.begin() + range.begin, lexed.tokens.begin() + range.end);
  Token end;
  end.begin = own.empty() ? 0 : own.back().end;
  end.end = end.begin;
  own.push_back(end);
  return Parser(sql, dialect, std::move(own), lexed.names).whole_statement();
}

std::vector<TokenRange> split_statements(const std::vector<Token>& tokens, std::string_view sql) {
  std::vector<TokenRange> ranges;
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    const bool end = tokens[i].kind == TokenKind::end;
    if (!end && !is_symbol(tokens[i], sql, ";")) continue;
    if (i > begin) ranges.push_back({begin, i});
    begin = i + 1;
  }
  return ranges;
}

}  // namespace hodor
