// One SELECT: its list and clauses; window definitions.
#include <cassert>

#include "parser_state.hpp"

namespace hodor {

NodeId Parser::select() {
  const NodeId id = start(NodeKind::select);
  select_head(id);
  select_clauses(id, false);
  return finish(id);
}

NodeId Parser::from_first() {
  const NodeId id = start(NodeKind::select);
  set(id, flag::from_first);
  add(id, from());
  if (at(W::w_select)) select_head(id);
  select_clauses(id, true);
  return finish(id);
}

void Parser::select_head(NodeId id) {
  take_keyword();
  while (token().kind == TokenKind::hint) {
    const NodeId hint = start(NodeKind::hint);
    advance();
    add(id, finish(hint));
  }
  if (at(W::w_distinct)) {
    const NodeId distinct = start(NodeKind::distinct);
    take_keyword();
    if (at(W::w_on) && at('(', 1)) {
      set(distinct, flag::on);
      take_keyword();
      advance();
      expressions(distinct, true);
      expect(')', "end of DISTINCT ON expected", distinct);
    }
    add(id, finish(distinct));
  } else if (at(W::w_all) && !at(',', 1) && !at('.', 1)) {
    take_keyword();
  }
  add(id, select_list());
}

NodeId Parser::select_list() {
  const NodeId id = start(NodeKind::select_list);
  do {
    if (trailing_comma_here()) break;
    add(id, select_item());
  } while (accept(','));
  if (tree_.nodes[id].first_child == kNoNode) problem("select list expected");
  return finish(id);
}

// After a comma: nothing more comes (DuckDB allows it).
bool Parser::trailing_comma_here() const {
  const bool ends = at_closer() || at(W::w_as) || (at_clause() && !at(W::w_lateral));
  return duckdb() && ends && pos_ > 0 && cells_[pos_ - 1].symbol == ',';
}

NodeId Parser::select_item() {
  const NodeId id = start(NodeKind::select_item);
  if (duckdb() && (at_label() || at_string()) && at(':', 1)) {
    const NodeId before = start(NodeKind::alias);
    add(before, name_node());
    advance();
    add(id, finish(before));
  }
  add(id, expr());
  if (at(W::w_as) || at_bare_alias()) add(id, alias());
  return finish(id);
}

void Parser::expressions(NodeId parent, bool trailing_comma) {
  do {
    if (trailing_comma && trailing_comma_here()) break;
    add(parent, expr());
  } while (accept(','));
}

NodeId Parser::clause(NodeKind kind) {
  const NodeId id = start(kind);
  take_keyword();
  add(id, expr());
  return finish(id);
}

void Parser::select_clauses(NodeId id, bool from_first) {
  while (true) {
    const std::uint32_t before = pos_;
    if (!select_clause(id, from_first)) return;
    assert(pos_ > before);
    if (pos_ == before) return;
  }
}

bool Parser::select_clause(NodeId id, bool from_first) {
  switch (word()) {
    case W::w_from:
      if (from_first) return false;
      add(id, from());
      return true;
    case W::w_where:
      add(id, clause(NodeKind::where));
      return true;
    case W::w_having:
      add(id, clause(NodeKind::having));
      return true;
    case W::w_qualify:
      add(id, clause(NodeKind::qualify));
      return true;
    case W::w_group:
      if (!at(W::w_by, 1)) return false;
      add(id, group_by());
      return true;
    case W::w_window:
      if (!at(W::w_as, 2)) return false;
      add(id, windows());
      return true;
    case W::w_lateral:
      if (!at(W::w_view, 1)) return false;
      add(id, lateral_view());
      return true;
    case W::w_using:
    case W::w_tablesample:
      if (!at_sample()) return false;
      add(id, sample());
      return true;
    default:
      return false;
  }
}

NodeId Parser::group_by() {
  const NodeId id = start(NodeKind::group_by);
  take_keyword();
  take_keyword();
  if (at(W::w_all) && !at('(', 1) && !at('.', 1)) {
    take_keyword();
    set(id, flag::all);
    return finish(id);
  }
  do {
    if (trailing_comma_here()) break;
    if (at(W::w_grouping) && at(W::w_sets, 1) && at('(', 2)) {
      add(id, grouping_sets());
      set(id, flag::grouping_sets);
    } else {
      if ((at(W::w_rollup) || at(W::w_cube)) && at('(', 1)) set(id, flag::grouping_sets);
      add(id, expr());
    }
    if (!duckdb() && at(W::w_grouping) && at(W::w_sets, 1)) {  // GROUP BY a, b GROUPING SETS (...)
      take_keyword();
      take_keyword();
      set(id, flag::grouping_sets);
      if (accept('(')) {
        if (!at(')')) expressions(id, false);
        expect(')', "end of GROUPING SETS expected", id);
      }
    }
  } while (accept(','));
  if (!duckdb() && at(W::w_with) && (at(W::w_rollup, 1) || at(W::w_cube, 1))) {
    take_keyword();
    take_keyword();
    set(id, flag::grouping_sets);
  }
  return finish(id);
}

NodeId Parser::grouping_sets() {
  const NodeId id = start(NodeKind::grouping_sets);
  take_keyword();
  take_keyword();
  advance();
  if (!enter()) {
    problem("nested too deeply");
    opaque_flat(id);
  }
  while (!at_closer()) {
    const bool nested = at(W::w_grouping) && at(W::w_sets, 1) && at('(', 2);
    add(id, nested ? grouping_sets() : expr());
    if (!accept(',')) break;
  }
  leave();
  expect(')', "end of GROUPING SETS expected", id);
  return finish(id);
}

NodeId Parser::windows() {
  const NodeId id = start(NodeKind::windows);
  take_keyword();
  do {
    const NodeId definition = start(NodeKind::window_definition);
    if (!at_label() || !at(W::w_as, 1)) {
      problem("window definition expected");
      opaque_run(definition, true);
      add(id, finish(definition));
      break;
    }
    add(definition, name_node());
    take_keyword();
    if (at('(')) {
      add(definition, window_spec());
    } else if (at_label()) {
      add(definition, name_node());
    }
    add(id, finish(definition));
  } while (accept(','));
  return finish(id);
}

// '(' name? PARTITION BY ... ORDER BY ... frame ')'
NodeId Parser::window_spec() {
  const NodeId id = start(NodeKind::window_spec);
  advance();
  const bool spark_order = !duckdb() && at(W::w_sort) && at(W::w_by, 1);
  const bool spark_cluster =
      !duckdb() && (at(W::w_cluster) || at(W::w_distribute)) && at(W::w_by, 1);
  const bool frame_word = at(W::w_rows) || at(W::w_range) || at(W::w_groups);
  const bool partition = at(W::w_partition) && at(W::w_by, 1);
  const bool order = at(W::w_order) && at(W::w_by, 1);
  const bool framed = frame_word && !at(')', 1);
  if (at_label() && !partition && !order && !framed && !spark_order && !spark_cluster) {
    add(id, name_node());
  }
  if ((at(W::w_partition) || spark_cluster) && at(W::w_by, 1)) {
    const NodeId part = start(NodeKind::partition_by);
    take_keyword();
    take_keyword();
    expressions(part, true);
    add(id, finish(part));
  }
  if ((at(W::w_order) || (!duckdb() && at(W::w_sort))) && at(W::w_by, 1)) {
    add(id, order_by(NodeKind::order_by));
  }
  if (at(W::w_rows) || at(W::w_range) || at(W::w_groups)) add(id, frame());
  expect(')', "end of a window expected", id);
  return finish(id);
}

NodeId Parser::frame() {
  const NodeId id = start(NodeKind::frame);
  set(id, at(W::w_rows) ? flag::rows : at(W::w_range) ? flag::range : flag::groups);
  take_keyword();
  if (accept(W::w_between)) {
    frame_bound(id);
    if (!accept(W::w_and)) problem("second bound of a frame expected");
  }
  frame_bound(id);
  if (accept(W::w_exclude)) {
    while (at_label()) take_keyword();  // CURRENT ROW, GROUP, TIES, NO OTHERS
  }
  return finish(id);
}

void Parser::frame_bound(NodeId parent) {
  if (accept_two(W::w_current, W::w_row)) return;
  if (at(W::w_unbounded)) {
    take_keyword();
  } else {
    add(parent, expr(kNoAnd));
  }
  if (!accept(W::w_preceding) && !accept(W::w_following)) problem("bound of a frame expected");
}

}  // namespace hodor
