// Tokens → syntax tree of a query, for both dialects.
//
// In:  the text and its tokens (lexer.hpp).
// Out: a tree that covers every token. What is not understood is an `opaque` node and a problem;
//      queries, calls and column names inside of it are found nevertheless.
// Never: throws, guesses or fails. Every loop consumes a token or ends; nesting is limited.
#pragma once
#include <string_view>
#include <vector>

#include "hodor/syntax/ast.hpp"
#include "hodor/syntax/lexer.hpp"

namespace hodor {

// One query, with or without a ';' at its end. The root is a `query` node.
Tree parse_query(std::string_view sql, Dialect dialect, Lexed lexed);
Tree parse_query(std::string_view sql, Dialect dialect);

// One statement, the tokens [range.begin, range.end) of a longer text: the root is a `statement`
// or, when it is a query, a `query` node.
Tree parse_statement(std::string_view sql, Dialect dialect, const Lexed& lexed, TokenRange range);

// The ranges between the ';' of a text, without empty ones.
std::vector<TokenRange> split_statements(const std::vector<Token>& tokens, std::string_view sql);

}  // namespace hodor
