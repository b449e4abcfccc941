// Expressions as flat sequences: prefix operators, an operand, what follows it, an infix operator,
// and again. Precedence does not matter to where an expression ends, which is what the skeleton
// needs.
#include <cassert>

#include "parser_state.hpp"

namespace hodor {

NodeId Parser::expr(std::uint32_t stop) {
  const NodeId id = start(NodeKind::expr);
  if (!enter()) {
    problem("nested too deeply");
    opaque_flat(id);
    leave();
    return finish(id);
  }
  std::uint32_t betweens = 0;
  while (true) {
    [[maybe_unused]] const std::uint32_t before = pos_;
    while (prefix_operator(id)) {
    }
    if (!operand(id)) {
      problem("expression expected");
      if (!at_clause() && !at(',')) opaque_run(id, true);
      break;
    }
    while (postfix(id)) {
    }
    if (!infix(id, stop, betweens)) break;
    assert(pos_ > before);
  }
  leave();
  return finish(id);
}

void Parser::op_node(NodeId parent, std::uint32_t tokens, std::uint32_t flags) {
  const NodeId id = start(NodeKind::op);
  set(id, flags);
  for (std::uint32_t i = 0; i < tokens; ++i) take_keyword();
  add(parent, finish(id));
}

bool Parser::prefix_operator(NodeId parent) {
  if (at(W::w_not)) {
    op_node(parent, 1, flag::prefix);
    return true;
  }
  if (token().kind != TokenKind::op) return false;
  if (at('*') && !at(W::w_columns, 1)) return false;
  if (at('=') || at('<') || at('>') || at_op("::") || at_op("->") || at_op("=>") || at_op(":=") ||
      at_op("|>")) {
    return false;
  }
  op_node(parent, 1, flag::prefix);
  return true;
}

bool Parser::infix(NodeId parent, std::uint32_t stop, std::uint32_t& betweens) {
  if (token().kind == TokenKind::op) {
    if (at_op("=>") || at_op(":=") || at_op("|>")) return false;
    if ((stop & kLimit) != 0 && at('%')) {  // LIMIT (x) %
      const char after = symbol(1);
      if (clamp(pos_ + 1) == last_ || after == ')' || after == ';' || at(W::w_offset, 1)) {
        return false;
      }
    }
    op_node(parent, 1, 0);
    return true;
  }
  return token().kind == TokenKind::identifier && infix_word(parent, stop, betweens);
}

bool Parser::infix_word(NodeId parent, std::uint32_t stop, std::uint32_t& betweens) {
  if (at(W::w_and)) {
    if (betweens > 0) {
      --betweens;
      op_node(parent, 1, flag::between_and);
      return true;
    }
    if ((stop & kNoAnd) != 0) return false;
    op_node(parent, 1, 0);
    return true;
  }
  const std::uint32_t negated = at(W::w_not) ? 1 : 0;
  if (at(W::w_in, negated)) {
    if ((stop & kNoIn) != 0) return false;
    op_node(parent, negated + 1, 0);
    return true;
  }
  if (at(W::w_between, negated)) {
    ++betweens;
    const bool symmetric = at(W::w_symmetric, negated + 1) || at(W::w_asymmetric, negated + 1);
    op_node(parent, negated + (symmetric ? 2 : 1), 0);
    return true;
  }
  if (duckdb() && at(W::w_operator) && at('(', 1) && closer_of(pos_ + 1) < last_) {
    op_node(parent, closer_of(pos_ + 1) - pos_ + 1, 0);
    return true;
  }
  const std::uint32_t length = infix_word_length();
  if (length == 0) return false;
  op_node(parent, length, 0);
  return true;
}

std::uint32_t Parser::infix_word_length() const {
  const std::uint32_t i = at(W::w_not) ? 1 : 0;
  switch (word(i)) {
    case W::w_like:
    case W::w_ilike:
    case W::w_glob:
    case W::w_rlike:
    case W::w_regexp:
      return i + 1;
    case W::w_similar:
      return at(W::w_to, i + 1) ? i + 2 : 0;
    case W::w_or:
    case W::w_escape:
      return i == 0 ? 1 : 0;
    case W::w_div:
      return i == 0 && !duckdb() ? 1 : 0;
    case W::w_at:
      return i == 0 && at(W::w_time, 1) && at(W::w_zone, 2) ? 3 : 0;
    case W::w_is: {
      const std::uint32_t distinct = at(W::w_not, 1) ? 2 : 1;
      return i == 0 && at(W::w_distinct, distinct) && at(W::w_from, distinct + 1) ? distinct + 2
                                                                                  : 0;
    }
    default:
      return 0;
  }
}

bool Parser::postfix(NodeId parent) {
  if (at('.')) return postfix_dot(parent);
  if (at('[')) {
    add(parent, subscript());
    return true;
  }
  if (at_op("::") || (!duckdb() && at('?') && at_op("::", 1))) {
    const NodeId id = start(NodeKind::cast_postfix);
    advance();
    if (at_op("::")) advance();
    add(id, type());
    add(parent, finish(id));
    return true;
  }
  if (!duckdb() && at(':') && (at_label(1) || at('[', 1) || at_string(1))) {
    add(parent, json_path());
    return true;
  }
  if (at('!') && duckdb()) {  // factorial
    const char after = symbol(1);
    const bool ends = clamp(pos_ + 1) == last_ || after == ')' || after == ',' || after == ']' ||
                      after == ';' || at_clause(1) || at(W::w_as, 1);
    if (!ends) return false;
    op_node(parent, 1, 0);
    return true;
  }
  return postfix_is(parent);
}

bool Parser::postfix_is(NodeId parent) {
  if (at(W::w_collate) && at_label(1)) {
    const NodeId id = start(NodeKind::op);
    take_keyword();
    const NodeId name = path(NodeKind::name);
    tree_.nodes[name].kind = NodeKind::path;
    add(id, name);
    add(parent, finish(id));
    return true;
  }
  if (at(W::w_is)) {
    const std::uint32_t length = at(W::w_not, 1) ? 2 : 1;
    if (at(W::w_distinct, length) || !at_label(length)) return false;
    op_node(parent, length + 1, 0);
    return true;
  }
  if (duckdb() && (at(W::w_isnull) || at(W::w_notnull))) {
    op_node(parent, 1, 0);
    return true;
  }
  if (at(W::w_not) && at(W::w_null, 1)) {
    op_node(parent, 2, 0);
    return true;
  }
  return false;
}

// After an operand that is no plain name: .field, .method(...), .*
bool Parser::postfix_dot(NodeId parent) {
  if (at('*', 1)) {
    add(parent, star());
    return true;
  }
  if (!at_label(1)) return false;
  const NodeId id = start(NodeKind::field);
  advance();
  add(id, name_node());
  if (at('(')) {
    tree_.nodes[id].kind = NodeKind::call;
    set(id, flag::method);
    tree_.nodes[tree_.nodes[id].first_child].kind = NodeKind::path;
    arguments(id);
    call_suffixes(id);
  }
  add(parent, finish(id));
  return true;
}

// '[' expr? (':' expr?)* ']', a lone '-' stands for an open end.
NodeId Parser::subscript() {
  const NodeId id = start(NodeKind::subscript);
  advance();
  while (!at_closer()) {
    const std::uint32_t before = pos_;
    if (at(':') || at_op("::")) {
      advance();
    } else if (at('-') && (at(':', 1) || at(']', 1))) {
      advance();
    } else {
      add(id, expr());
      if (!at(':') && !at(']')) break;
    }
    if (pos_ == before) break;
  }
  expect(']', "end of a subscript expected", id);
  return finish(id);
}

// v:a.b[0]['c']
NodeId Parser::json_path() {
  const NodeId id = start(NodeKind::json_path);
  advance();
  if (at_label() || at_string()) advance();
  while (true) {
    if (at('.') && at_label(1)) {
      advance();
      advance();
    } else if (at('[') && at('*', 1) && at(']', 2)) {
      advance();
      advance();
      advance();
    } else if (at('[')) {
      add(id, subscript());
    } else {
      return finish(id);
    }
  }
}

}  // namespace hodor
