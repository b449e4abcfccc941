// The parser's cursor, node builder and recovery: what every construct's method stands on.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>
#include <utility>

#include "hodor/base/limits.hpp"
#include "parser_state.hpp"

namespace hodor {
Parser::Parser(std::string_view sql, Dialect dialect, std::vector<Token> tokens, Names names) {
  tree_.sql = sql;
  tree_.dialect = dialect;
  tree_.tokens = std::move(tokens);
  tree_.names = std::move(names);
  if (tree_.tokens.empty()) tree_.tokens.push_back({});
  last_ = static_cast<std::uint32_t>(tree_.tokens.size() - 1);
  tree_.keyword.assign(tree_.tokens.size(), 0);
  tree_.nodes.reserve(tree_.tokens.size() + 16);
  tree_.nodes.push_back({});  // kNoNode
  cells_.resize(tree_.tokens.size());
  for (std::uint32_t i = 0; i <= last_; ++i) {
    const Token& t = tree_.tokens[i];
    if (t.kind == TokenKind::identifier) {
      cells_[i].word = static_cast<Word>(t.parser_word);
    } else if ((t.kind == TokenKind::op || t.kind == TokenKind::punctuation) &&
               t.end - t.begin == 1) {
      cells_[i].symbol = sql[t.begin];
    }
  }
  match_brackets();
}

// A closer that does not fit its opener ends nothing: the opener then has no closer.
void Parser::match_brackets() {
  match_.assign(tree_.tokens.size(), last_);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < last_; ++i) {
    const char c = cells_[i].symbol;
    if (c == '(' || c == '[' || c == '{') {
      open.push_back(i);
    } else if (c == ')' || c == ']' || c == '}') {
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (!open.empty() && cells_[open.back()].symbol == wanted) {
        match_[open.back()] = i;
        open.pop_back();
      }
    }
  }
}

bool Parser::at_op(std::string_view text, std::uint32_t ahead) const {
  const Token& t = token(ahead);
  return (t.kind == TokenKind::op || t.kind == TokenKind::punctuation) && t.text(tree_.sql) == text;
}

bool Parser::at_word_text(std::string_view lower, std::uint32_t ahead) const {
  return is_word(token(ahead), tree_.sql, lower);
}

void Parser::take_keyword() {
  if (token().kind == TokenKind::identifier) tree_.keyword[pos_] = 1;
  advance();
}

bool Parser::accept(Word w) {
  if (!at(w)) return false;
  take_keyword();
  return true;
}

bool Parser::accept(char c) {
  if (!at(c)) return false;
  advance();
  return true;
}

bool Parser::accept_two(Word first, Word second) {
  if (!at(first) || !at(second, 1)) return false;
  take_keyword();
  take_keyword();
  return true;
}

bool Parser::at_label(std::uint32_t ahead) const {
  const TokenKind kind = token(ahead).kind;
  return kind == TokenKind::identifier || kind == TokenKind::quoted_identifier;
}

bool Parser::at_name(std::uint32_t ahead) const {
  const Token& t = token(ahead);
  if (t.kind == TokenKind::quoted_identifier) return true;
  if (t.kind != TokenKind::identifier) return false;
  if (duckdb()) return t.word_class != WordClass::reserved;
  return !at_clause(ahead);
}

bool Parser::at_string(std::uint32_t ahead) const { return is_string(token(ahead).kind); }

bool Parser::at_closer() const { return at_end() || at(')') || at(']') || at('}') || at(';'); }

bool Parser::at_set_operator(std::uint32_t ahead) const {
  switch (word(ahead)) {
    case W::w_union:
    case W::w_except:
    case W::w_intersect:
      return duckdb() || !at(W::w_from, ahead + 1);
    case W::w_minus:
    case W::w_setminus:  // Spark `select 1 minus from t`: an alias
      return !duckdb() && !at(W::w_from, ahead + 1);
    default:
      return false;
  }
}

// Words that end an expression or a FROM item because a clause begins. Databricks reserves none of
// them, so there a word counts only when what follows fits the clause.
bool Parser::at_clause(std::uint32_t ahead) const {
  const bool strict = !duckdb();
  const char after = symbol(ahead + 1);
  const bool ends =
      clamp(pos_ + ahead + 1) == last_ || after == ',' || after == ')' || after == ';';
  switch (word(ahead)) {
    case W::w_from:
    case W::w_where:
    case W::w_select:
    case W::w_having:
    case W::w_qualify:
    case W::w_limit:
    case W::w_offset:
    case W::w_fetch:
      return !(strict && (ends || after == '.' || after == '='));
    case W::w_group:
    case W::w_order:
      return duckdb() || at(W::w_by, ahead + 1);
    case W::w_cluster:
    case W::w_distribute:
    case W::w_sort:
      return at(W::w_by, ahead + 1);
    case W::w_window:
      return duckdb() || at(W::w_as, ahead + 2);
    case W::w_lateral:
      return duckdb() || at(W::w_view, ahead + 1) || at('(', ahead + 1) || at_label(ahead + 1);
    case W::w_using:
      return duckdb() || at(W::w_sample, ahead + 1) || at('(', ahead + 1);
    default:
      return at_set_operator(ahead);
  }
}

bool Parser::at_bare_alias() const {
  const Token& t = token();
  if (t.kind == TokenKind::quoted_identifier) return true;
  if (t.kind != TokenKind::identifier) return false;
  if (duckdb() && t.word_class == WordClass::reserved) return false;
  if (at(W::w_as) || at(W::w_for) || at(W::w_when) || at(W::w_then) || at(W::w_else)) return false;
  return !at_clause();
}

bool Parser::query_starts_at(std::uint32_t i) const {
  if (i >= last_ || tree_.tokens[i].kind != TokenKind::identifier) return false;
  const std::uint32_t ahead = i - pos_;
  switch (cells_[i].word) {
    case W::w_select:
      return !at(')', ahead + 1) && !at(',', ahead + 1) && !at('.', ahead + 1);
    case W::w_with:
    case W::w_table:
      return at_label(ahead + 1);
    case W::w_from:
      return at_label(ahead + 1) || at('(', ahead + 1) || at_string(ahead + 1);
    case W::w_values:
      return at('(', ahead + 1) ||
             (!duckdb() && (at_string(ahead + 1) || token(ahead + 1).kind == TokenKind::number ||
                            (at_label(ahead + 1) && at('(', ahead + 2))));
    case W::w_pivot:
    case W::w_pivot_wider:
    case W::w_unpivot:
    case W::w_pivot_longer:
    case W::w_describe:
    case W::w_desc:
    case W::w_summarize:
    case W::w_show:
      return duckdb() && (at_label(ahead + 1) || at('(', ahead + 1) || at_string(ahead + 1));
    default:
      return false;
  }
}

// Is the '(' at i the start of a query and not of an expression or of a join in parentheses? From
// inside out: the innermost '(' decides, and each closer around it must be followed by what can
// follow an operand of a set operation.
bool Parser::query_in_parens_at(std::uint32_t i) const {
  if (i < pos_ || cells_[i].symbol != '(') return false;
  std::uint32_t inner = i;
  while (cells_[clamp(inner + 1)].symbol == '(') ++inner;
  if (!query_starts_at(clamp(inner + 1))) return false;
  for (; inner > i; --inner) {
    const std::uint32_t after = clamp(match_[inner] + 1);
    if (cells_[after].symbol == ')' && match_[inner - 1] == after) continue;
    const std::uint32_t ahead = after - pos_;
    const bool modifier = at(W::w_order, ahead) || at(W::w_limit, ahead) ||
                          at(W::w_offset, ahead) || at(W::w_fetch, ahead);
    if (!modifier && !at_set_operator(ahead)) return false;
  }
  return true;
}

NodeId Parser::start(NodeKind kind) { return start_at(kind, pos_); }

NodeId Parser::start_at(NodeKind kind, std::uint32_t begin) {
  Node node;
  node.kind = kind;
  node.begin = begin;
  node.end = begin;
  tree_.nodes.push_back(node);
  return static_cast<NodeId>(tree_.nodes.size() - 1);
}

void Parser::add(NodeId parent, NodeId child) {
  if (child == kNoNode) return;
  Node& node = tree_.nodes[parent];
  if (node.first_child == kNoNode) {
    node.first_child = child;
  } else {
    tree_.nodes[node.last_child].next = child;
  }
  node.last_child = child;
}

void Parser::problem(const char* what) { tree_.problems.push_back({pos_, what}); }

bool Parser::enter() { return ++depth_ <= limits::kSqlNesting; }

void Parser::expect(char c, const char* what, NodeId parent) {
  if (accept(c)) return;
  problem(what);
  opaque_run(parent, false);
  accept(c);
}

// To the closer of the surrounding bracket, without looking inside.
void Parser::opaque_flat(NodeId parent) {
  if (at_closer()) return;
  const NodeId id = start(NodeKind::opaque);
  while (!at_closer()) {
    const bool opens = at('(') || at('[') || at('{');
    if (opens && match_[pos_] < last_) pos_ = match_[pos_];
    advance();
  }
  add(parent, finish(id));
}

// Tokens that nobody understands, up to the closer around them (and to a comma or clause, if
// asked), with the queries, calls and names in them.
void Parser::opaque_run(NodeId parent, bool stop_at_clause) {
  if (at_closer()) return;
  if (!enter()) {
    leave();
    opaque_flat(parent);
    return;
  }
  const NodeId id = start(NodeKind::opaque);
  while (!at_closer()) {
    if (stop_at_clause && pos_ > tree_.nodes[id].begin && (at(',') || at_clause())) break;
    [[maybe_unused]] const std::uint32_t before = pos_;
    if (query_in_parens_at(pos_)) {
      add(id, subquery());
    } else if (pos_ > tree_.nodes[id].begin && query_starts_at(pos_)) {
      add(id, query());
    } else if (at_label()) {
      const NodeId name = path(NodeKind::column);
      add(id, name);
      if (at('(') && !query_in_parens_at(pos_)) {
        tree_.nodes[name].kind = NodeKind::call;
        opaque_group(name);
        finish(name);
      }
    } else if (at('(') || at('[') || at('{')) {
      opaque_group(id);
    } else {
      advance();
    }
    assert(pos_ > before);
  }
  leave();
  add(parent, finish(id));
}

void Parser::opaque_group(NodeId parent) {
  const std::uint32_t closer = match_[pos_];
  advance();
  while (pos_ < closer && !at_end()) {
    const std::uint32_t before = pos_;
    opaque_run(parent, false);
    if (pos_ < closer && (at_closer() || pos_ == before)) advance();
  }
  if (pos_ == closer) advance();
}

}  // namespace hodor
