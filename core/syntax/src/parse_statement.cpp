// Statements that are no queries, as far as their reads and their target go. The first words stay
// plain tokens of the `statement` node: extract/ classifies by them.
#include <utility>

#include "parser_state.hpp"

namespace hodor {

Tree Parser::whole_statement() && {
  if (query_starts_at(0) || query_in_parens_at(0)) return std::move(*this).whole_query();
  const NodeId id = start(NodeKind::statement);
  tree_.root = id;
  switch (word()) {
    case W::w_insert:
      insert(id);
      break;
    case W::w_delete:
      take_keyword();
      target(id, W::w_from);
      changes(id);
      break;
    case W::w_update:
      take_keyword();
      target(id, W::none);
      changes(id);
      break;
    case W::w_merge:
      take_keyword();
      target(id, W::w_into);
      changes(id);
      break;
    case W::w_truncate:
      take_keyword();
      target(id, W::w_table);
      break;
    case W::w_create:
      create(id);
      break;
    case W::w_drop:
    case W::w_alter:
      take_keyword();
      object_kind(id);
      target(id, W::none);
      plain_words();
      break;
    case W::w_set:
      assignment(id);
      break;
    default:
      while (!at_end()) advance();
      break;
  }
  if (!at_end()) {
    problem("text after the statement");
    while (!at_end()) {
      const std::uint32_t before = pos_;
      opaque_run(id, false);
      if (pos_ == before) advance();
    }
  }
  tree_.nodes[id].end = pos_;
  return std::move(tree_);
}

// The name of the relation that changes, after an optional word, with an optional alias.
void Parser::target(NodeId id, Word before) {
  if (before != W::none) accept(before);
  while (at_word_text("if") || at_word_text("exists") || at(W::w_not) || at(W::w_only)) {
    take_keyword();
  }
  if (!at_label()) {
    problem("name of a target expected");
    return;
  }
  add(id, path(NodeKind::path));
  const Word verb = cells_[0].word;
  if (verb == W::w_update || verb == W::w_delete || verb == W::w_merge) optional_alias(id);
}

void Parser::insert(NodeId id) {
  take_keyword();
  if (accept(W::w_or)) {
    take_keyword();  // REPLACE, IGNORE
  }
  if (!accept(W::w_into) && at_word_text("overwrite")) {
    take_keyword();
    accept(W::w_into);
  }
  accept(W::w_table);
  if (!at_label()) {
    problem("name of a target expected");
    return;
  }
  add(id, path(NodeKind::path));
  if (at('(') && !query_in_parens_at(pos_)) add(id, column_names());
  if (at(W::w_by)) {
    take_keyword();
    take_keyword();  // NAME, POSITION
  }
  if (at(W::w_default) && at(W::w_values, 1)) {
    take_keyword();
    take_keyword();
  } else if (query_starts_at(pos_) || query_in_parens_at(pos_) || at(W::w_values)) {
    add(id, query());
  } else {
    problem("query of an INSERT expected");
  }
  returning(id);
}

void Parser::returning(NodeId id) {
  if (!at_word_text("returning")) return;
  take_keyword();
  add(id, select_list());
}

// SET, FROM, USING, ON, WHERE and the WHEN branches of a MERGE, in the order of the text.
void Parser::changes(NodeId id) {
  while (!at_end()) {
    const std::uint32_t before = pos_;
    if (accept(W::w_set)) {
      assignments(id);
    } else if (at(W::w_from)) {
      add(id, from());
    } else if (accept(W::w_using)) {
      do {
        add(id, from_item());
      } while (accept(','));
    } else if (at(W::w_on)) {
      add(id, clause(NodeKind::on));
    } else if (at(W::w_where)) {
      add(id, clause(NodeKind::where));
    } else if (at(W::w_when)) {
      merge_branch(id);
    } else if (at_word_text("returning")) {
      returning(id);
    }
    if (pos_ == before) return;
  }
}

void Parser::assignments(NodeId id) {
  if (accept('*')) return;
  do {
    add(id, expr());
  } while (accept(','));
}

// WHEN NOT? MATCHED (BY SOURCE|TARGET)? (AND condition)? THEN change
void Parser::merge_branch(NodeId id) {
  take_keyword();
  accept(W::w_not);
  if (!at_word_text("matched")) {
    problem("MATCHED expected");
    return;
  }
  take_keyword();
  if (accept(W::w_by)) take_keyword();
  if (accept(W::w_and)) add(id, expr());
  if (!accept(W::w_then)) {
    problem("THEN of a MERGE expected");
    return;
  }
  if (accept(W::w_update)) {
    if (accept(W::w_set)) {
      assignments(id);
    } else if (accept_two(W::w_by, W::w_name)) {
    }
  } else if (accept(W::w_insert)) {
    if (accept('*') || accept_two(W::w_by, W::w_name)) return;
    if (at('(')) add(id, column_names());
    if (at(W::w_values)) add(id, values());
  } else if (!accept(W::w_delete)) {
    for (int i = 0; i < 2 && at_word_text(i == 0 ? "do" : "nothing"); ++i) take_keyword();
  }
}

// The kind of object after CREATE, DROP, ALTER: one or two words.
void Parser::object_kind(NodeId id) {
  if (at(W::w_materialized) || at_word_text("streaming")) take_keyword();
  if (at(W::w_table) || at(W::w_view)) {
    take_keyword();
    return;
  }
  problem("TABLE or VIEW expected");
  static_cast<void>(id);
}

// CREATE (OR REPLACE)? (TEMP|TEMPORARY)? (TABLE|VIEW) (IF NOT EXISTS)? name (columns)? AS query,
// CREATE MACRO|FUNCTION name(parameters) AS (TABLE query | expr)
void Parser::create(NodeId id) {
  take_keyword();
  if (accept(W::w_or)) accept(W::w_replace);
  while (at_word_text("temp") || at_word_text("temporary") || at_word_text("persistent")) {
    take_keyword();
  }
  if (at_word_text("macro") || at_word_text("function")) {
    take_keyword();
    create_macro(id);
    return;
  }
  if (at_word_text("schema") || at_word_text("index") || at_word_text("unique") ||
      at_word_text("database")) {
    while (!at_end()) advance();
    return;
  }
  object_kind(id);
  target(id, W::none);
  if (at('(') && !query_in_parens_at(pos_)) {
    if (!plain_group()) return;  // column definitions
  }
  // Databricks: USING delta, TBLPROPERTIES (...), COMMENT '...', CLUSTER BY (...)
  while (!at_end() && !at(W::w_as)) {
    if (query_starts_at(pos_) || query_in_parens_at(pos_)) return;
    if (at('(')) {
      if (!plain_group()) return;
    } else {
      advance();
    }
  }
  if (accept(W::w_as)) add(id, query());
}

// Over a group in parentheses, unless there is a query in it.
bool Parser::plain_group() {
  const std::uint32_t closer = closer_of(pos_);
  for (std::uint32_t i = pos_; i < closer; ++i) {
    if (query_starts_at(i)) return false;
  }
  pos_ = closer;
  advance();
  return true;
}

// To the end, unless there is a query.
void Parser::plain_words() {
  while (!at_end() && !query_starts_at(pos_)) advance();
}

void Parser::create_macro(NodeId id) {
  while (at_word_text("if") || at_word_text("exists") || at(W::w_not)) take_keyword();
  if (!at_label()) {
    problem("name of a macro expected");
    return;
  }
  add(id, path(NodeKind::path));
  do {
    if (!at('(')) {
      problem("parameters of a macro expected");
      return;
    }
    advance();
    while (!at_closer()) {
      if (!at_label()) break;
      add(id, name_node());
      if (at_op(":=") || at_op("=>")) {
        advance();
        add(id, expr());
      } else if (!at(',') && !at(')')) {
        add(id, type());
      }
      if (!accept(',')) break;
    }
    expect(')', "end of parameters expected", id);
    if (!accept(W::w_as)) {
      problem("AS of a macro expected");
      return;
    }
    if (at(W::w_table) && (query_starts_at(pos_ + 1) || query_in_parens_at(pos_ + 1))) {
      take_keyword();
      add(id, query());
    } else {
      add(id, expr());
    }
  } while (accept(','));
}

// SET name = expr, SET name TO expr; other forms are words only.
void Parser::assignment(NodeId id) {
  take_keyword();
  while (!at_end() && !at('=') && !at(W::w_to)) {
    if (at('(')) return;
    advance();
  }
  if (at_end()) return;
  advance();
  do {
    add(id, expr());
  } while (accept(','));
}

}  // namespace hodor
