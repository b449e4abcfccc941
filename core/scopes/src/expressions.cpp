// Expressions: where names stand in them, and what is not followed.
#include <algorithm>

#include "hodor/syntax/lexer.hpp"
#include "hodor/syntax/words.hpp"
#include "resolver.hpp"

namespace hodor {

std::uint32_t Resolver::define(Definition::Kind kind, NodeId name) {
  const std::uint32_t token = tree_[name].begin;
  // An engine may not take a keyword for an alias, or for a name at all: then its text is an error.
  const WordClass word = tree_.tokens[token].word_class;
  const bool is_source = kind == Definition::Kind::source;
  const bool is_keyword = duckdb() ? (is_source ? word != WordClass::none : !may_be_name(word))
                                   : is_source && word == WordClass::strict;
  const NameId defined = ascii_name(tree_, token);
  const bool may_move = kind == Definition::Kind::column &&
                        (is_numbered(tree_, defined) ||
                         std::find(numbered_.begin(), numbered_.end(), defined) != numbered_.end());
  scopes_.definitions.push_back({kind, defined, token, is_keyword || may_move});
  return static_cast<std::uint32_t>(scopes_.definitions.size() - 1);
}

void Resolver::show(const RowShape& shape) {
  for (const Column& column : shape.columns) {
    if (column.definition != kNone) scopes_.definitions[column.definition].is_visible = true;
  }
}

void Resolver::show_all(const Level* level) {
  for (; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) show(scopes_.sources[source].shape);
    show({false, {}, level->aliases});
  }
}

void Resolver::walk_children(NodeId id, const Place& place) {
  for (const NodeId child : children(tree_, id)) walk(child, place);
}

void Resolver::walk(NodeId id, const Place& place) {
  switch (tree_[id].kind) {
    case NodeKind::query:
      query(id, {place.ctes, place.level, {}});
      return;
    case NodeKind::column:
      column(id, place, NameOf::nothing);
      return;
    case NodeKind::star:
      show_all(place.level);
      return;
    case NodeKind::call:
      call(id, place);
      return;
    case NodeKind::order_by:
    case NodeKind::sort_by:
      order_items(id, place);
      return;
    case NodeKind::parens:
      if (tree_[id].first_child != tree_[id].last_child) {  // a row, whose fields have names
        for (const NodeId part : children(tree_, id)) fields(part, place);
        return;
      }
      walk_children(id, place);
      return;
    case NodeKind::window_spec:
      walk_children(id, {place.ctes, place.level, Clause::items});
      return;
    case NodeKind::entry: {  // the key of a struct is a name of its own
      const NodeId key = tree_[id].first_child;
      for (const NodeId child : children(tree_, id)) {
        if (child != key) walk(child, place);
      }
      return;
    }
    case NodeKind::list:
      if (tree_.child(id, NodeKind::name) != kNoNode) {  // a comprehension's own names
        leave_names();
        return;
      }
      walk_children(id, place);
      return;
    case NodeKind::lambda:
    case NodeKind::opaque:
    case NodeKind::pivot:
    case NodeKind::unpivot:
      leave_names();
      return;
    case NodeKind::literal:
      // DuckDB `#1`: a column by its place, with its name.
      if (tree_.sql[tree_.tokens[tree_[id].begin].begin] == '#') show_all(place.level);
      return;
    case NodeKind::json_path:
    case NodeKind::type:
    case NodeKind::name:
      return;
    default:
      walk_children(id, place);
      return;
  }
}

void Resolver::order_items(NodeId id, const Place& place) {
  // Of a query its items may mean an alias; of a call or window they are expressions as others.
  for (const NodeId item : children(tree_, id)) {
    const NodeId expr = tree_.child(item, NodeKind::expr);
    if (expr == kNoNode) continue;
    const NodeId only = tree_[expr].first_child;
    const bool is_single =
        only != kNoNode && only == tree_[expr].last_child && place.clause == Clause::order_part;
    if (is_single && tree_[only].kind == NodeKind::column) {
      walk(expr, {place.ctes, place.level, Clause::order_item});
    } else if (is_single && tree_[only].kind == NodeKind::parens) {
      walk(expr, {place.ctes, blind(place.level), place.clause});  // a bare name or not
    } else {
      walk(expr, place);
    }
  }
}

// An arrow in an argument may begin a lambda, whose names are its own.
bool Resolver::may_be_lambda(NodeId argument) const {
  for (std::uint32_t i = tree_[argument].begin; i < tree_[argument].end; ++i) {
    if (is_symbol(tree_.tokens[i], tree_.sql, "->")) return true;
  }
  return false;
}

void Resolver::call(NodeId id, const Place& place) {
  const NodeId path = tree_[id].first_child;
  const bool is_path = path != kNoNode && tree_[path].kind == NodeKind::path;
  const NameId name = is_path ? ascii_name(tree_, tree_[path].end - 1) : kNoName;
  const WordEntry& word = tree_.names.word(name);
  const bool is_qualified =
      is_path && tree_[path].end > tree_[path].begin + 1 && !tree_.has(id, flag::method);
  if (!is_path || is_qualified || (!word.is_builtin_function && !word.is_grammar_call) ||
      std::find(name_readers_.begin(), name_readers_.end(), name) != name_readers_.end()) {
    leave_names();
  }
  for (const NodeId child : children(tree_, id)) {
    if (child == path && is_path) continue;
    if (tree_[child].kind != NodeKind::argument) {
      walk(child, {place.ctes, place.level, Clause::items});
    } else if (may_be_lambda(child)) {
      leave_names();
    } else {
      argument(child, name, place);
    }
  }
}

void Resolver::argument(NodeId id, NameId function, const Place& place) {
  const bool names_fields =
      std::find(struct_makers_.begin(), struct_makers_.end(), function) != struct_makers_.end();
  for (const NodeId part : children(tree_, id)) {
    const NodeId only = tree_[part].first_child;
    if (tree_[part].kind == NodeKind::query) {
      const RowShape shape = query(part, {place.ctes, place.level, {}});
      if (function == kNoName || function != exists_) show(shape);
    } else if (tree_[part].kind == NodeKind::relation) {
      Level& level = levels_.emplace_back();
      relation(part, place, level);
      for (const std::uint32_t source : level.sources) show(scopes_.sources[source].shape);
    } else if (function != kNoName && function == count_ && only != kNoNode &&
               tree_[only].kind == NodeKind::star && tree_[only].end == tree_[only].begin + 1) {
      continue;  // count(*) sees rows, not columns
    } else if (names_fields) {
      fields(part, place);
    } else {
      walk(part, place);
    }
  }
}

// An expression that is one column gives the field its name.
void Resolver::fields(NodeId id, const Place& place) {
  NodeId only = id;
  while (tree_[only].first_child != kNoNode && tree_[only].kind != NodeKind::star &&
         tree_[only].first_child == tree_[only].last_child) {
    only = tree_[only].first_child;
  }
  if (tree_[only].kind == NodeKind::column) {
    column(only, place, NameOf::field);
  } else {
    walk(id, place);
  }
}

}  // namespace hodor
