// Operands: literals, names, stars, parentheses, lists, structs, CASE, CAST, INTERVAL, lambdas.
#include "parser_state.hpp"

namespace hodor {

bool Parser::operand(NodeId parent) {
  switch (token().kind) {
    case TokenKind::number:
    case TokenKind::parameter:
      add(parent, literal(1));
      return true;
    case TokenKind::identifier:
      return operand_word(parent);
    case TokenKind::quoted_identifier:
      name_or_call(parent);
      return true;
    default:
      break;
  }
  if (at_string()) {
    add(parent, strings());
    return true;
  }
  switch (symbol()) {
    case '(':
      parens(parent);
      return true;
    case '[':
      if (duckdb()) add(parent, list());
      return duckdb();
    case '{':
      if (duckdb()) add(parent, braces());
      return duckdb();
    case '*':
      add(parent, star());
      return true;
    case ':':  // Databricks :name
      if (duckdb() || !at_label(1)) return false;
      add(parent, literal(2));
      return true;
    default:
      return false;
  }
}

bool Parser::operand_word(NodeId parent) {
  switch (word()) {
    case W::w_case:
      add(parent, case_when());
      return true;
    case W::w_cast:
    case W::w_try_cast:
      if (!at('(', 1)) break;
      add(parent, cast());
      return true;
    case W::w_null:
    case W::w_true:
    case W::w_false:
      if (at('.', 1) || at('(', 1)) break;
      add(parent, literal(1));
      return true;
    case W::w_default:
      if (!duckdb()) break;
      add(parent, literal(1));
      return true;
    case W::w_interval:
      if (interval(parent)) return true;
      break;
    case W::w_array:
    case W::w_map:
      if (at('[', 1) || at('{', 1)) {
        const std::uint32_t begin = pos_;
        take_keyword();
        const NodeId made = at('[') ? list() : braces();
        tree_.nodes[made].begin = begin;  // MAP {...} is no struct
        add(parent, made);
        return true;
      }
      if (at('(', 1)) {
        name_or_call(parent);
        return true;
      }
      break;
    case W::w_lambda:
      if (!duckdb() || !at_label(1)) break;
      add(parent, lambda());
      return true;
    case W::w_any:
    case W::w_all:
    case W::w_some:
      if (!at('(', 1)) return false;
      name_or_call(parent);
      return true;
    case W::w_and:
    case W::w_or:
    case W::w_in:
    case W::w_is:
    case W::w_then:
    case W::w_when:
    case W::w_as:
    case W::w_on:
      return false;
    default:
      break;
  }
  if (!at_name()) return false;
  name_or_call(parent);
  return true;
}

NodeId Parser::literal(std::uint32_t tokens) {
  const NodeId id = start(NodeKind::literal);
  for (std::uint32_t i = 0; i < tokens; ++i) take_keyword();
  return finish(id);
}

// Neighbours join to one value: always on Databricks, over a line break on DuckDB.
NodeId Parser::strings() {
  const NodeId id = start(NodeKind::literal);
  do {
    advance();
  } while (at_string() && (!duckdb() || token().newline_before));
  return finish(id);
}

void Parser::name_or_call(NodeId parent) {
  if (typed_literal(parent)) return;
  const NodeId id = path(NodeKind::column);
  if (at('(')) {
    tree_.nodes[id].kind = NodeKind::path;
    const NodeId called = call(id);
    if (duckdb() && at_string()) {  // decimal(10, 2) '1.5'
      advance();
      finish(called);
    }
    add(parent, called);
    return;
  }
  if (at('.') && at('*', 1)) {
    pos_ = tree_.nodes[id].begin;
    tree_.nodes.pop_back();
    add(parent, star());
    return;
  }
  add(parent, id);
}

// date '...', "my type" '...', timestamp with time zone '...'
bool Parser::typed_literal(NodeId parent) {
  const std::uint32_t begin = pos_;
  std::uint32_t ahead = 1;
  if (at(W::w_timestamp) || at(W::w_time)) {
    const bool zone = (at(W::w_with, 1) || at(W::w_without, 1)) && at(W::w_time, 2);
    if (zone && at(W::w_zone, 3)) ahead = 4;
  }
  if (at_word_text("double") && at(W::w_precision, 1)) ahead = 2;
  if (at_word_text("character") && at(W::w_varying, 1)) ahead = 2;
  while (ahead == 1 && at('.', ahead) && at_label(ahead + 1) && at_string(ahead + 2)) ahead += 2;
  while (duckdb() && at('[', ahead)) {  // integer[] '...', integer[3] '...'
    const std::uint32_t size = token(ahead + 1).kind == TokenKind::number ? 1 : 0;
    if (!at(']', ahead + size + 1)) break;
    ahead += size + 2;
  }
  if (!at_string(ahead)) return false;
  const NodeId id = start_at(NodeKind::literal, begin);
  const NodeId type_node = start(NodeKind::type);
  const NodeId name = start(NodeKind::path);
  while (!at_string() && !at('[')) take_keyword();
  add(type_node, finish(name));
  while (!at_string()) advance();
  finish(type_node);
  add(id, finish(type_node));
  do {
    advance();
  } while (at_string() && (!duckdb() || token().newline_before));
  add(parent, finish(id));
  return true;
}

void Parser::parens(NodeId parent) {
  if (query_in_parens_at(pos_)) {
    add(parent, subquery());
    return;
  }
  const NodeId id = start(NodeKind::parens);
  advance();
  while (!at(')') && !at_closer()) {
    add(id, argument(kNoStop));
    if (!accept(',')) break;
  }
  expect(')', "end of parentheses expected", id);
  add(parent, finish(id));
}

// '[' items ']' or '[' expr FOR x IN list IF condition ']'
NodeId Parser::list() {
  const NodeId id = start(NodeKind::list);
  advance();
  while (!at_closer()) {
    add(id, expr());
    if (at(W::w_for)) {
      take_keyword();
      while (at_label() && !at(W::w_in)) {
        add(id, name_node());
        accept(',');
      }
      if (!accept(W::w_in)) problem("IN of a list comprehension expected");
      add(id, expr());
      if (accept(W::w_if)) add(id, expr());
    }
    if (!accept(',')) break;
  }
  expect(']', "end of a list expected", id);
  return finish(id);
}

NodeId Parser::braces() {
  const NodeId id = start(NodeKind::braces);
  advance();
  while (!at_closer()) {
    const NodeId entry = start(NodeKind::entry);
    if ((at_label() || at_string()) && at(':', 1)) {
      add(entry, name_node());
    } else {
      add(entry, expr());
    }
    expect(':', "':' of an entry expected", entry);
    add(entry, expr());
    add(id, finish(entry));
    if (!accept(',')) break;
  }
  expect('}', "end of a struct expected", id);
  return finish(id);
}

// (name '.')* '*' with its options. Also after an operand: '.' '*'
NodeId Parser::star() {
  const NodeId id = start(NodeKind::star);
  while (!at('*')) advance();
  advance();
  star_options(id);
  return finish(id);
}

void Parser::star_options(NodeId id) {
  while (true) {
    const bool except = at(W::w_except) && (at('(', 1) || (duckdb() && at_name(1))) &&
                        !query_in_parens_at(pos_ + 1);
    const NodeId option = start(NodeKind::star_option);
    if (at(W::w_exclude) || except) {
      take_keyword();
      if (accept('(')) {
        while (at_label() || at_string()) {
          add(option, at_string() ? name_node() : path(NodeKind::column));
          if (!accept(',')) break;
        }
        expect(')', "end of EXCLUDE expected", option);
      } else if (at_label()) {
        add(option, path(NodeKind::column));
      } else {
        problem("column of EXCLUDE expected");
      }
    } else if (at(W::w_replace) || at(W::w_rename)) {
      take_keyword();
      star_replacements(option);
    } else {
      tree_.nodes.pop_back();
      return;
    }
    add(id, finish(option));
  }
}

void Parser::star_replacements(NodeId option) {
  const bool in_parens = accept('(');
  do {
    if (at_closer()) break;
    add(option, expr());
    if (accept(W::w_as) || at_label()) {
      if (at_label() || at_string()) add(option, name_node());
    } else {
      problem("name of a replaced column expected");
    }
  } while (in_parens && accept(','));
  if (in_parens) expect(')', "end of REPLACE expected", option);
}

NodeId Parser::case_when() {
  const NodeId id = start(NodeKind::case_when);
  take_keyword();
  if (!at(W::w_when)) add(id, expr());
  while (accept(W::w_when)) {
    add(id, expr());
    if (!accept(W::w_then)) problem("THEN expected");
    add(id, expr());
  }
  if (accept(W::w_else)) add(id, expr());
  if (!accept(W::w_end)) {
    problem("END of a CASE expected");
    opaque_run(id, true);
  }
  return finish(id);
}

NodeId Parser::cast() {
  const NodeId id = start(NodeKind::cast);
  if (at(W::w_try_cast)) set(id, flag::try_cast);
  take_keyword();
  advance();
  add(id, expr());
  if (!accept(W::w_as)) problem("AS of a CAST expected");
  add(id, type());
  expect(')', "end of a CAST expected", id);
  return finish(id);
}

// INTERVAL '1' day, INTERVAL 1 year 2 months, INTERVAL (x) day, INTERVAL x day
bool Parser::interval(NodeId parent) {
  const NodeId id = start(NodeKind::interval);
  const bool sign = at('-', 1) || at('+', 1);
  const TokenKind next = token(sign ? 2 : 1).kind;
  const bool name_and_unit = at_label(1) && !at_clause(1) && at_label(2) && !at_clause(2) &&
                             !at(W::w_as, 1) && !at(W::w_as, 2) && infix_word_length() == 0;
  if (!is_string(next) && next != TokenKind::number && !at('(', 1) && !name_and_unit) {
    tree_.nodes.pop_back();
    return false;
  }
  take_keyword();
  do {
    if (!interval_part(id)) break;
  } while (!duckdb() && (at_string() || token().kind == TokenKind::number || at('-')) &&
           (at_label(1) || at_label(2)));
  add(parent, finish(id));
  return true;
}

bool Parser::interval_part(NodeId id) {
  if (at('-') || at('+')) advance();
  if (at_string() || token().kind == TokenKind::number) {
    add(id, literal(1));
  } else if (at('(')) {
    parens(id);
  } else if (at_label()) {
    add(id, path(NodeKind::column));
  } else {
    problem("value of an interval expected");
    return false;
  }
  static constexpr std::string_view kUnits[] = {
      "year",    "quarter",  "month",       "week",        "day",        "hour",
      "minute",  "second",   "millisecond", "microsecond", "nanosecond", "decade",
      "century", "centurie", "millennium",  "millennia"};
  for (const std::string_view unit : kUnits) {
    const std::string plural = std::string(unit) + "s";
    if (!at_word_text(unit) && !at_word_text(plural)) continue;
    take_keyword();
    if (at(W::w_to) && at_label(1)) {
      take_keyword();
      take_keyword();
    }
    return true;
  }
  return false;
}

// LAMBDA x, y : expr
NodeId Parser::lambda() {
  const NodeId id = start(NodeKind::lambda);
  take_keyword();
  while (at_label()) {
    add(id, name_node());
    if (!accept(',')) break;
  }
  expect(':', "':' of a lambda expected", id);
  add(id, expr());
  return finish(id);
}

}  // namespace hodor
