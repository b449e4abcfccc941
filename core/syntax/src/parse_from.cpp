// FROM: tables, functions, files, subqueries, joins, pivots, samples, time travel, aliases.
#include <cassert>

#include "parser_state.hpp"

namespace hodor {

NodeId Parser::from() {
  const NodeId id = start(NodeKind::from);
  take_keyword();
  do {
    if (trailing_comma_here()) break;
    add(id, from_item());
  } while (accept(','));
  return finish(id);
}

NodeId Parser::from_item() {
  const NodeId id = start(NodeKind::from_item);
  if (!enter()) {
    problem("nested too deeply");
    opaque_flat(id);
    leave();
    return finish(id);
  }
  if (at(W::w_lateral) && !at(W::w_view, 1)) {
    take_keyword();
    set(id, flag::lateral);
  }
  factor(id);
  from_suffixes(id);
  leave();
  return finish(id);
}

void Parser::from_suffixes(NodeId id) {
  while (true) {
    const std::uint32_t before = pos_;
    if (!from_suffix(id)) return;
    assert(pos_ > before);
    if (pos_ == before) return;
  }
}

bool Parser::from_suffix(NodeId id) {
  if (join_words() > 0) {
    add(id, join());
  } else if (at(W::w_pivot) && at('(', 1)) {
    add(id, pivot());
  } else if (at(W::w_unpivot) && (at('(', 1) || at(W::w_nulls, 2))) {
    add(id, unpivot());
  } else if (at_sample()) {
    add(id, sample());
  } else if (at(W::w_lateral) && at(W::w_view, 1)) {
    add(id, lateral_view());
  } else {
    return false;
  }
  return true;
}

void Parser::factor(NodeId parent) {
  if (duckdb() && (at_label() || at_string()) && at(':', 1)) {  // DuckDB `a: tbl`
    const NodeId before = start(NodeKind::alias);
    add(before, name_node());
    advance();
    add(parent, finish(before));
  }
  if (at('(')) {
    add(parent, derived_or_group());
  } else if (at(W::w_values) && query_starts_at(pos_)) {
    const NodeId id = start(NodeKind::inline_values);
    const NodeId rows = values();
    add(id, rows);
    if (tree_.child(rows, NodeKind::alias) == kNoNode) optional_alias(id);  // Spark's is its own
    add(parent, finish(id));
  } else if (at_string()) {
    add(parent, file());
  } else if (duckdb() && query_starts_at(pos_) &&
             (at(W::w_describe) || at(W::w_summarize) || at(W::w_show) || at(W::w_desc))) {
    const NodeId id = start(NodeKind::derived);
    add(id, query());
    optional_alias(id);
    add(parent, finish(id));
  } else if (at_name()) {
    add(parent, relation_or_function());
  } else {
    problem("table expected");
    opaque_run(parent, true);
  }
}

NodeId Parser::file() {
  const NodeId id = start(NodeKind::file);
  const NodeId text = start(NodeKind::string);
  advance();
  add(id, finish(text));
  if (at_sample()) add(id, sample());
  optional_alias(id);
  return finish(id);
}

NodeId Parser::derived_or_group() {
  const bool is_query = query_in_parens_at(pos_);
  const NodeId id = start(is_query ? NodeKind::derived : NodeKind::from_group);
  if (is_query) {
    add(id, subquery());
  } else {
    advance();
    add(id, from_item());
    while (accept(',')) add(id, from_item());
    expect(')', "end of a join in parentheses expected", id);
  }
  if (at_sample()) add(id, sample());
  optional_alias(id);
  return finish(id);
}

NodeId Parser::relation_or_function() {
  const std::uint32_t begin = pos_;
  NodeId name = path(NodeKind::path);
  if (at('(')) {
    const NodeId id = start_at(NodeKind::table_function, begin);
    add(id, call(name));
    if (duckdb() && accept_two(W::w_with, W::w_ordinality)) set(id, flag::with_ordinality);
    if (at_sample()) add(id, sample());
    optional_alias(id);
    return finish(id);
  }
  const NodeId id = start_at(NodeKind::relation, begin);
  add(id, name);
  time_travel(id);
  if (at_sample()) add(id, sample());
  optional_alias(id);
  return finish(id);
}

bool Parser::time_travel(NodeId parent) {
  const NodeId id = start(NodeKind::time_travel);
  if (duckdb() && at(W::w_at) && at('(', 1)) {
    take_keyword();
    advance();
    add(id, argument(kNoStop));
    expect(')', "end of AT expected", id);
  } else if (!duckdb() && at('@') && !token().space_before) {  // t@v1
    advance();
    if (!at_closer()) advance();
  } else if (!duckdb()) {
    const std::uint32_t skip = at(W::w_for) ? 1 : 0;
    const bool what = at(W::w_version, skip) || at(W::w_timestamp, skip) ||
                      at(W::w_system_version, skip) || at(W::w_system_time, skip);
    if (!what || !at(W::w_as, skip + 1) || !at(W::w_of, skip + 2)) {
      tree_.nodes.pop_back();
      return false;
    }
    for (std::uint32_t i = 0; i < skip + 3; ++i) take_keyword();
    add(id, expr());
  } else {
    tree_.nodes.pop_back();
    return false;
  }
  add(parent, finish(id));
  return true;
}

// A word that goes on with the FROM item or the query and so is no alias.
bool Parser::at_from_alias() const {
  const Token& t = token();
  if (t.kind == TokenKind::quoted_identifier) return true;
  if (t.kind != TokenKind::identifier || at_clause() || join_words() > 0) return false;
  if (duckdb() &&
      (t.word_class == WordClass::reserved || t.word_class == WordClass::type_function)) {
    return false;
  }
  if (!duckdb() && t.word_class == WordClass::strict) return false;
  switch (word()) {
    case W::w_on:
    case W::w_using:
    case W::w_as:
    case W::w_set:
    case W::w_when:
    case W::w_tablesample:
    case W::w_cross:
    case W::w_inner:
    case W::w_left:
    case W::w_right:
    case W::w_full:
    case W::w_natural:
    case W::w_join:
    case W::w_with:
      return false;
    case W::w_pivot:
    case W::w_unpivot:
      return !at('(', 1) && !at(W::w_nulls, 2);
    default:
      return true;
  }
}

void Parser::optional_alias(NodeId parent) {
  if (at(W::w_as) || at_from_alias()) add(parent, alias());
}

// AS? name ('(' names ')')?, also AS '(' names ')'.
NodeId Parser::alias() {
  const NodeId id = start(NodeKind::alias);
  accept(W::w_as);
  if (at_label() || at_string()) {
    add(id, name_node());
  } else if (!at('(')) {
    problem("alias expected");
    return finish(id);
  }
  if (at('(') && !query_in_parens_at(pos_)) add(id, column_names());
  return finish(id);
}

// '(' name type?, ... ')'
NodeId Parser::column_names() {
  const NodeId id = start(NodeKind::column_names);
  advance();
  while (at_label() || at_string()) {
    add(id, name_node());
    if (!at(',') && !at(')')) add(id, type());
    if (!accept(',')) break;
  }
  expect(')', "end of column names expected", id);
  return finish(id);
}

NodeId Parser::name_node() {
  const NodeId id = start(NodeKind::name);
  advance();
  return finish(id);
}

// name ('.' name)*: one node over all of its tokens.
NodeId Parser::path(NodeKind kind) {
  const NodeId id = start(kind);
  advance();
  while (at('.') && at_label(1)) {
    advance();
    advance();
  }
  return finish(id);
}

// The number of words of a join's name up to JOIN, or 0 when no join begins here.
std::uint32_t Parser::join_words() const {
  for (std::uint32_t i = 0; i < 5; ++i) {
    switch (word(i)) {
      case W::w_join:
        return i + 1;
      case W::w_natural:
      case W::w_asof:
      case W::w_positional:
      case W::w_inner:
      case W::w_left:
      case W::w_right:
      case W::w_full:
      case W::w_outer:
      case W::w_cross:
      case W::w_semi:
      case W::w_anti:
        break;
      default:
        return 0;
    }
  }
  return 0;
}

NodeId Parser::join() {
  const NodeId id = start(NodeKind::join);
  for (std::uint32_t words = join_words(); words > 0; --words) {
    switch (word()) {
      case W::w_natural:
        set(id, flag::natural);
        break;
      case W::w_asof:
        set(id, flag::asof);
        break;
      case W::w_positional:
        set(id, flag::positional);
        break;
      case W::w_inner:
        set(id, flag::inner);
        break;
      case W::w_left:
        set(id, flag::left);
        break;
      case W::w_right:
        set(id, flag::right);
        break;
      case W::w_full:
        set(id, flag::full);
        break;
      case W::w_cross:
        set(id, flag::cross);
        break;
      case W::w_semi:
        set(id, flag::semi);
        break;
      case W::w_anti:
        set(id, flag::anti);
        break;
      default:
        break;
    }
    take_keyword();
  }
  const NodeId item = start(NodeKind::from_item);
  if (!enter()) {
    problem("nested too deeply");
    opaque_flat(item);
  } else {
    if (at(W::w_lateral) && !at(W::w_view, 1)) {
      take_keyword();
      set(id, flag::join_lateral);
      set(item, flag::lateral);
    }
    factor(item);
    while (join_words() == 0 && !at(W::w_using) && !at(W::w_lateral) && from_suffix(item)) {
    }
    // a JOIN b JOIN c ON .. ON ..: the inner join belongs to the right side of the outer one.
    const bool wants_on =
        !tree_.has(id, flag::natural | flag::cross | flag::positional) && duckdb();
    while (wants_on && join_words() > 0) add(item, join());
  }
  leave();
  add(id, finish(item));
  if (at(W::w_on)) {
    add(id, clause(NodeKind::on));
  } else if (at(W::w_using) && at('(', 1)) {
    add(id, using_columns());
  }
  return finish(id);
}

NodeId Parser::using_columns() {
  const NodeId id = start(NodeKind::using_columns);
  take_keyword();
  advance();
  while (at_label()) {
    add(id, name_node());
    if (!accept(',')) break;
  }
  expect(')', "end of USING expected", id);
  return finish(id);
}

bool Parser::at_sample() const {
  return at(W::w_tablesample) || (at(W::w_using) && at(W::w_sample, 1));
}

// TABLESAMPLE / USING SAMPLE: sizes, methods and seeds are tokens of the node.
NodeId Parser::sample() {
  const NodeId id = start(NodeKind::sample);
  if (accept(W::w_using)) {
  }
  take_keyword();
  while (!at_closer() && !at(',')) {
    if (at('(')) {
      const std::uint32_t closer = closer_of(pos_);
      for (std::uint32_t i = pos_; i < closer; ++i) {
        if (cells_[i].symbol == ',') set(id, flag::repeatable);
        if (query_starts_at(i)) problem("query in a sample");
      }
      pos_ = closer;
      advance();
    } else if (at(W::w_repeatable)) {
      set(id, flag::repeatable);
      take_keyword();
    } else if (token().kind == TokenKind::number || at('%') ||
               token().kind == TokenKind::parameter) {
      advance();
    } else if (at(W::w_percent) || at(W::w_rows) || at_word_text("reservoir") ||
               at_word_text("bernoulli") || at_word_text("system")) {
      take_keyword();
    } else {
      break;
    }
  }
  return finish(id);
}

NodeId Parser::pivot() {
  const NodeId id = start(NodeKind::pivot);
  take_keyword();
  advance();
  if (!at(W::w_for)) {
    do {
      if (at(W::w_for)) break;
      add(id, select_item());
    } while (accept(','));
  }
  while (!at_closer() && !at(W::w_group)) {
    const std::uint32_t before = pos_;
    add(id, pivot_for());
    if (pos_ == before) break;
  }
  if (at(W::w_group) && at(W::w_by, 1)) add(id, group_by());
  expect(')', "end of PIVOT expected", id);
  optional_alias(id);
  return finish(id);
}

// FOR? x IN '(' items | query ')' or FOR x IN name
NodeId Parser::pivot_for() {
  const NodeId id = start(NodeKind::pivot_for);
  accept(W::w_for);
  add(id, expr(kNoIn));
  if (!accept(W::w_in)) {
    problem("IN of a pivot expected");
    return finish(id);
  }
  if (query_in_parens_at(pos_)) {
    add(id, subquery());
  } else if (accept('(')) {
    do {
      if (trailing_comma_here()) break;
      add(id, select_item());
    } while (accept(','));
    expect(')', "end of IN expected", id);
  } else if (at_label()) {
    add(id, name_node());
  }
  return finish(id);
}

NodeId Parser::unpivot() {
  const NodeId id = start(NodeKind::unpivot);
  take_keyword();
  if (!at('(')) {
    take_keyword();
    take_keyword();
  }
  expect('(', "UNPIVOT list expected", id);
  add(id, expr(kNoIn));
  while (at(W::w_for)) add(id, pivot_for());
  expect(')', "end of UNPIVOT expected", id);
  optional_alias(id);
  return finish(id);
}

// LATERAL VIEW OUTER? call table? (AS column, ...)?
NodeId Parser::lateral_view() {
  const NodeId id = start(NodeKind::lateral_view);
  take_keyword();
  take_keyword();
  if (accept(W::w_outer)) set(id, flag::outer);
  if (!at_label()) {
    problem("function of LATERAL VIEW expected");
    opaque_run(id, true);
    return finish(id);
  }
  const NodeId name = path(NodeKind::path);
  if (!at('(')) {
    problem("function of LATERAL VIEW expected");
    add(id, name);
    return finish(id);
  }
  add(id, call(name));
  if (!at(W::w_as) && at_from_alias()) add(id, name_node());
  if (accept(W::w_as) || at_from_alias()) {
    while (at_label()) {
      add(id, name_node());
      if (!at(',') || !at_label(1) || at(W::w_lateral, 1)) break;
      advance();
    }
  }
  return finish(id);
}

}  // namespace hodor
