// Calls: arguments in all their forms, and what may follow: WITHIN GROUP, FILTER, OVER.
#include "parser_state.hpp"

namespace hodor {

// At '(' after the function's name.
NodeId Parser::call(NodeId path_node) {
  const NodeId id = start_at(NodeKind::call, tree_.nodes[path_node].begin);
  add(id, path_node);
  arguments(id);
  call_suffixes(id);
  return finish(id);
}

void Parser::arguments(NodeId id) {
  advance();
  if (at(W::w_distinct) && !at(')', 1) && !at(',', 1)) {
    take_keyword();
    set(id, flag::distinct);
  } else if (at(W::w_all) && !at(')', 1) && !at(',', 1) && !at('(', 1)) {
    take_keyword();
  }
  if ((at(W::w_both) || at(W::w_leading) || at(W::w_trailing)) && !at(')', 1) && !at(',', 1)) {
    take_keyword();
    if (at(W::w_from)) take_keyword();  // trim(both from x)
  }
  if (at('*') && at(')', 1)) set(id, flag::star_argument);
  while (!at_closer()) {
    const std::uint32_t before = pos_;
    if (at(W::w_order) && at(W::w_by, 1)) break;
    add(id, argument(kNoIn));
    if (!accept(',') && !argument_separator()) break;
    if (pos_ == before) break;
  }
  argument_words(id);
  expect(')', "end of arguments expected", id);
}

// extract(a FROM b), substring(a FROM b FOR c), position(a IN b), overlay(a PLACING b FROM c)
bool Parser::argument_separator() {
  return accept(W::w_from) || accept(W::w_for) || accept(W::w_in) || accept(W::w_placing) ||
         accept(W::w_using) || accept(W::w_to);
}

// After the arguments: ORDER BY, IGNORE NULLS, LIMIT.
void Parser::argument_words(NodeId id) {
  while (true) {
    if (at(W::w_order) && at(W::w_by, 1)) {
      add(id, order_by(NodeKind::order_by));
    } else if ((at(W::w_ignore) || at(W::w_respect)) && at(W::w_nulls, 1)) {
      take_keyword();
      take_keyword();
    } else if (at(W::w_limit)) {
      add(id, limit());
    } else {
      return;
    }
  }
}

NodeId Parser::argument(std::uint32_t stop) {
  const NodeId id = start(NodeKind::argument);
  if (query_starts_at(pos_) && !(at(W::w_table) && !duckdb()) && !at(W::w_values)) {
    add(id, query());
    return finish(id);
  }
  if ((at_label() || at_string()) && (at_op(":=", 1) || at_op("=>", 1))) {
    set(id, flag::named);
    add(id, name_node());
    advance();
  }
  if (!duckdb() && at(W::w_table) && (at('(', 1) || at_label(1))) {
    add(id, table_argument());
    if (at(W::w_with) && at_word_text("single", 1) && at(W::w_partition, 2)) {
      for (int i = 0; i < 3; ++i) take_keyword();
    } else if ((at(W::w_partition) || at(W::w_distribute)) && at(W::w_by, 1)) {
      take_keyword();
      take_keyword();
      add(id, expr());
    }
    if (at(W::w_order) && at(W::w_by, 1) && !at_closer()) {
      take_keyword();
      take_keyword();
      add(id, order_item());
    }
    return finish(id);
  }
  // IN separates only a first operand from the rest: position(a IN b). Else it is the operator.
  const bool position = (stop & kNoIn) != 0 && pos_ >= 2 && cells_[pos_ - 1].symbol == '(' &&
                        is_word(tree_.tokens[pos_ - 2], tree_.sql, "position");
  add(id, expr(position ? kNoIn : kNoStop));
  if (at(W::w_as)) add(id, alias());
  return finish(id);
}

// TABLE t, TABLE(t), TABLE(SELECT ...) as an argument of a table function.
NodeId Parser::table_argument() {
  take_keyword();
  if (query_in_parens_at(pos_)) return subquery();
  const NodeId id = start(NodeKind::relation);
  const bool in_parens = accept('(');
  if (at_label()) {
    add(id, path(NodeKind::path));
    if (at('(')) problem("function as a table argument");
  } else {
    problem("table argument expected");
  }
  if (in_parens) expect(')', "end of a table argument expected", id);
  return finish(id);
}

void Parser::call_suffixes(NodeId id) {
  while (true) {
    if (at(W::w_within) && at(W::w_group, 1) && at('(', 2)) {
      const NodeId within = start(NodeKind::within_group);
      take_keyword();
      take_keyword();
      advance();
      if (at(W::w_order) && at(W::w_by, 1)) add(within, order_by(NodeKind::order_by));
      expect(')', "end of WITHIN GROUP expected", within);
      add(id, finish(within));
    } else if (at(W::w_filter) && at('(', 1)) {
      const NodeId filter = start(NodeKind::filter);
      take_keyword();
      advance();
      accept(W::w_where);
      add(filter, expr());
      expect(')', "end of FILTER expected", filter);
      add(id, finish(filter));
    } else if ((at(W::w_ignore) || at(W::w_respect)) && at(W::w_nulls, 1)) {
      take_keyword();
      take_keyword();
    } else if (duckdb() && at_word_text("export_state")) {
      advance();  // its case counts: behind a table function it is an alias
    } else if (at(W::w_over) && (at('(', 1) || at_label(1))) {
      const NodeId over = start(NodeKind::over);
      take_keyword();
      add(over, at('(') ? window_spec() : name_node());
      add(id, finish(over));
    } else {
      return;
    }
  }
}

}  // namespace hodor
