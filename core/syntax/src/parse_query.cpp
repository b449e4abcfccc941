// Queries: WITH, set operations, VALUES, statements that act as queries, ORDER BY to LIMIT, pipes.
#include <cassert>
#include <utility>

#include "parser_state.hpp"

namespace hodor {

Tree Parser::whole_query() && {
  tree_.root = query();
  while (accept(';')) {
  }
  if (!at_end()) {
    problem("text after the query");
    while (!at_end()) {
      const std::uint32_t before = pos_;
      opaque_run(tree_.root, false);
      if (pos_ == before) advance();
    }
  }
  tree_.nodes[tree_.root].end = pos_;
  return std::move(tree_);
}

NodeId Parser::query() {
  const NodeId id = start(NodeKind::query);
  if (!enter()) {
    problem("nested too deeply");
    opaque_flat(id);
  } else {
    if (at(W::w_with)) add(id, with());
    add(id, query_body());
    modifiers(id);
    while (at_op("|>")) add(id, pipe());
  }
  leave();
  return finish(id);
}

NodeId Parser::with() {
  const NodeId id = start(NodeKind::with);
  take_keyword();
  if (at(W::w_recursive) && at_label(1)) {
    take_keyword();
    set(id, flag::recursive);
  }
  while (true) {
    const std::uint32_t before = pos_;
    add(id, cte());
    if (pos_ == before || !accept(',')) break;
    if (at(W::w_select) || at(W::w_from)) break;  // DuckDB: a comma after the last one
  }
  return finish(id);
}

NodeId Parser::cte() {
  const NodeId id = start(NodeKind::cte);
  if (!at_label()) {
    problem("name of a CTE expected");
    return finish(id);
  }
  add(id, name_node());
  if (at('(') && !query_in_parens_at(pos_) && !query_starts_at(pos_ + 1)) add(id, column_names());
  if (at(W::w_using) && at_word_text("key", 1)) {
    const NodeId key = start(NodeKind::using_key);
    take_keyword();
    take_keyword();
    if (accept('(')) {
      do {
        add(key, select_item());
      } while (accept(','));
      expect(')', "end of USING KEY expected", key);
    }
    add(id, finish(key));
  }
  if (!duckdb() && at_word_text("max") && at_word_text("recursion", 1)) {
    for (int i = 0; i < 3; ++i) take_keyword();  // MAX RECURSION LEVEL n
    advance();
  }
  accept(W::w_as);
  if (accept(W::w_materialized)) {
    set(id, flag::materialized);
  } else if (accept_two(W::w_not, W::w_materialized)) {
    set(id, flag::not_materialized);
  }
  if (!accept('(')) {
    problem("query of a CTE expected");
    return finish(id);
  }
  add(id, query());
  expect(')', "end of a CTE expected", id);
  return finish(id);
}

// A flat list, so that a thousand branches are no deeper than two.
NodeId Parser::query_body() {
  const std::uint32_t begin = pos_;
  const NodeId first = query_operand();
  if (!at_set_operator()) return first;
  const NodeId id = start_at(NodeKind::set_operations, begin);
  add(id, first);
  while (at_set_operator()) {
    add(id, set_operator());
    add(id, query_operand());
  }
  return finish(id);
}

NodeId Parser::set_operator() {
  const NodeId id = start(NodeKind::set_operator);
  const bool is_union = at(W::w_union);
  set(id, is_union ? flag::set_union : at(W::w_intersect) ? flag::set_intersect : flag::set_except);
  take_keyword();
  if (accept(W::w_all)) {
    set(id, flag::set_all);
  } else {
    accept(W::w_distinct);
  }
  if (accept_two(W::w_by, W::w_name)) set(id, flag::set_by_name);
  return finish(id);
}

NodeId Parser::subquery() {
  const NodeId id = start(NodeKind::subquery);
  advance();
  add(id, query());
  expect(')', "end of a subquery expected", id);
  return finish(id);
}

NodeId Parser::query_operand() {
  switch (word()) {
    case W::w_select:
      return select();
    case W::w_from:
      return from_first();
    case W::w_values:
      return values();
    case W::w_table:
      return table_query();
    case W::w_pivot:
    case W::w_pivot_wider:
    case W::w_unpivot:
    case W::w_pivot_longer:
      if (duckdb()) return pivot_query();
      break;
    case W::w_describe:
    case W::w_desc:
    case W::w_summarize:
    case W::w_show:
      if (duckdb()) return describe();
      break;
    default:
      break;
  }
  if (at('(')) return subquery();
  problem("query expected");
  const NodeId id = start(NodeKind::opaque);
  opaque_run(id, false);
  return finish(id);
}

NodeId Parser::values() {
  const NodeId id = start(NodeKind::values);
  take_keyword();
  do {
    if (trailing_comma_here()) break;
    const NodeId row = start(NodeKind::row);
    if (at('(') && !query_in_parens_at(pos_)) {
      advance();
      if (!at(')')) expressions(row, true);
      expect(')', "end of a row expected", row);
    } else {
      add(row, expr());
    }
    add(id, finish(row));
  } while (accept(','));
  if (!duckdb()) optional_alias(id);
  return finish(id);
}

NodeId Parser::table_query() {
  const NodeId id = start(NodeKind::table_query);
  take_keyword();
  const NodeId relation = start(NodeKind::relation);
  if (at_label()) {
    add(relation, path(NodeKind::path));
  } else {
    problem("name of a table expected");
  }
  add(id, finish(relation));
  return finish(id);
}

NodeId Parser::pivot_query() {
  const NodeId id = start(NodeKind::pivot_query);
  if (at(W::w_unpivot) || at(W::w_pivot_longer)) set(id, flag::unpivot);
  take_keyword();
  add(id, from_item());
  while (true) {
    const NodeId part = start(at(W::w_using) ? NodeKind::pivot_using : NodeKind::pivot_on);
    if (accept(W::w_on) || accept(W::w_using)) {
      do {
        if (trailing_comma_here()) break;
        add(part, select_item());
      } while (accept(','));
      add(id, finish(part));
    } else if (at(W::w_group)) {
      tree_.nodes.pop_back();
      add(id, group_by());
    } else if (at(W::w_into)) {  // UNPIVOT t ON a, b INTO NAME n VALUE v
      take_keyword();
      tree_.nodes[part].kind = NodeKind::column_names;
      while (at_label() && !at_clause()) add(part, name_node());
      while (accept(',')) {
        if (at_label()) add(part, name_node());
      }
      add(id, finish(part));
    } else if ((at(W::w_include) || at(W::w_exclude)) && at(W::w_nulls, 1)) {
      tree_.nodes.pop_back();
      take_keyword();
      take_keyword();
    } else {
      tree_.nodes.pop_back();
      break;
    }
  }
  return finish(id);
}

NodeId Parser::describe() {
  const NodeId id = start(NodeKind::describe);
  if (at(W::w_show)) set(id, flag::show);
  if (at(W::w_summarize)) set(id, flag::summarize);
  take_keyword();
  if (query_starts_at(pos_) && !at(W::w_table)) {
    add(id, query());
  } else if (query_in_parens_at(pos_)) {
    add(id, subquery());
  } else if (tree_.has(id, flag::show)) {
    while (!at_closer()) advance();
  } else if (!at_closer()) {
    if (at(W::w_table) && at_label(1)) take_keyword();
    add(id, from_item());
  }
  return finish(id);
}

void Parser::modifiers(NodeId parent) {
  while (true) {
    if (at(W::w_order) && at(W::w_by, 1)) {
      add(parent, order_by(NodeKind::order_by));
    } else if ((at(W::w_sort) || at(W::w_cluster) || at(W::w_distribute)) && at(W::w_by, 1)) {
      add(parent, order_by(NodeKind::sort_by));
    } else if (at(W::w_limit)) {
      add(parent, limit());
    } else if (at(W::w_offset)) {
      const NodeId id = start(NodeKind::offset);
      take_keyword();
      add(id, expr());
      if (!accept(W::w_rows)) accept(W::w_row);
      add(parent, finish(id));
    } else if (at(W::w_fetch)) {
      add(parent, fetch());
    } else if (!duckdb() && at(W::w_window) && at(W::w_as, 2)) {
      add(parent, windows());
    } else {
      return;
    }
  }
}

NodeId Parser::limit() {
  const NodeId id = start(NodeKind::limit);
  take_keyword();
  if (accept(W::w_all)) {
    set(id, flag::all);
    return finish(id);
  }
  if (token().kind == TokenKind::number && (at('%', 1) || at(W::w_percent, 1))) {
    add(id, literal(1));
  } else {
    add(id, expr(kLimit));
  }
  if (accept('%') || accept(W::w_percent)) set(id, flag::percent);
  return finish(id);
}

NodeId Parser::fetch() {
  const NodeId id = start(NodeKind::fetch);
  take_keyword();
  if (!accept(W::w_first)) accept(W::w_next);
  if (!at(W::w_row) && !at(W::w_rows)) add(id, expr());
  if (!accept(W::w_rows)) accept(W::w_row);
  if (accept_two(W::w_with, W::w_ties)) {
    set(id, flag::with_ties);
  } else if (!accept(W::w_only)) {
    problem("end of FETCH expected");
  }
  return finish(id);
}

NodeId Parser::order_by(NodeKind kind) {
  const NodeId id = start(kind);
  take_keyword();
  take_keyword();
  const bool all = at(W::w_all) && !at('(', 1) && !at('.', 1);
  if (all) set(id, flag::all);
  do {
    if (trailing_comma_here()) break;
    add(id, order_item());
  } while (accept(','));
  return finish(id);
}

NodeId Parser::order_item() {
  const NodeId id = start(NodeKind::order_item);
  if (at(W::w_all) && !at('(', 1) && !at('.', 1)) {
    take_keyword();
  } else {
    add(id, expr());
  }
  if (!accept(W::w_asc)) accept(W::w_desc);
  if (at(W::w_nulls) && (at(W::w_first, 1) || at(W::w_last, 1))) {
    take_keyword();
    take_keyword();
  }
  return finish(id);
}

NodeId Parser::pipe() {
  const NodeId id = start(NodeKind::pipe);
  advance();
  if (query_starts_at(pos_) && !at(W::w_select)) {
    problem("pipe operator expected");
    opaque_run(id, true);
  } else {
    pipe_operator(id);
  }
  return finish(id);
}

void Parser::pipe_operator(NodeId id) {
  if (at(W::w_select)) {
    select_head(id);
    if (at(W::w_window) && at(W::w_as, 2)) add(id, windows());
  } else if (accept(W::w_extend) || accept(W::w_set) || accept(W::w_drop)) {
    add(id, select_list());
  } else if (accept(W::w_aggregate)) {
    if (!at(W::w_group)) add(id, select_list());
    if (at(W::w_group) && at(W::w_by, 1)) {
      take_keyword();
      take_keyword();
      add(id, select_list());
    }
  } else if (at(W::w_where)) {
    add(id, clause(NodeKind::where));
  } else if (at(W::w_as)) {
    add(id, alias());
  } else if (at_set_operator()) {
    do {
      add(id, set_operator());
      add(id, query_operand());
    } while (at_set_operator());
  } else if (accept(W::w_distinct)) {
  } else if (at(W::w_order) || at(W::w_limit) || at(W::w_offset) || at(W::w_sort) ||
             at(W::w_cluster) || at(W::w_distribute) || at(W::w_window)) {
    modifiers(id);
  } else if (!from_suffix(id)) {
    problem("pipe operator expected");
    opaque_run(id, true);
  }
}

}  // namespace hodor
