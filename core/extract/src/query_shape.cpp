// Queries: CTE scopes, and whether a query's columns follow a schema outside of the text.
#include <algorithm>

#include "extractor.hpp"
#include "hodor/base/limits.hpp"

namespace hodor {
namespace {

// The columns of a source behind those of others. A star over a star doubles them with each query.
void append_columns(Shape& shape, const Shape& more) {
  shape.open |= more.open;
  shape.named &= more.named;
  if (shape.columns.size() + more.columns.size() > limits::kScopeColumns) {
    shape.named = false;
    shape.columns.clear();
    return;
  }
  shape.columns.insert(shape.columns.end(), more.columns.begin(), more.columns.end());
}

// The names of an alias list `t(a, b)`; a shorter list leaves the rest of the columns as they are.
void rename_columns(const Tree& tree, NodeId names, Shape& shape) {
  if (names == kNoNode) return;
  std::vector<std::uint32_t> list;
  for (const NodeId name : children(tree, names)) {
    if (tree[name].kind != NodeKind::name) continue;
    const TokenKind kind = tree.tokens[tree[name].begin].kind;
    if (kind != TokenKind::identifier && kind != TokenKind::quoted_identifier) {
      shape.named = false;
      return;
    }
    list.push_back(tree[name].begin);
  }
  if (!shape.named || list.size() > shape.columns.size()) {
    shape.named = false;
    return;
  }
  std::copy(list.begin(), list.end(), shape.columns.begin());
}

}  // namespace

Shape Extractor::query(NodeId id, const Place& place) {
  // Scopes live here while this query is walked: an entry must not move.
  std::vector<CteScope> scopes;
  Place inside = place;
  const NodeId with = tree_.child(id, NodeKind::with);
  if (with != kNoNode) {
    std::size_t count = 0;
    for ([[maybe_unused]] const NodeId child : children(tree_, with)) ++count;
    scopes.reserve(count);
    for (const NodeId child : children(tree_, with)) {
      if (tree_[child].kind != NodeKind::cte) {
        walk(child, inside);
        continue;
      }
      CteScope& entry = scopes.emplace_back();
      cte(child, tree_.has(with, flag::recursive), entry, inside);
      inside.ctes = &entry;
    }
  }
  Shape shape;
  for (const NodeId child : children(tree_, id)) {
    switch (tree_[child].kind) {
      case NodeKind::with:
        break;
      case NodeKind::select:
      case NodeKind::set_operations:
      case NodeKind::values:
      case NodeKind::table_query:
      case NodeKind::pivot_query:
      case NodeKind::describe:
      case NodeKind::subquery:
        shape = query_body(child, inside);
        break;
      case NodeKind::pipe:
        shape = {true, false, {}};
        facts_.order_sensitive = true;
        walk(child, inside);
        break;
      default:
        walk(child, inside);
        break;
    }
  }
  return shape;
}

void Extractor::cte(NodeId id, bool recursive, CteScope& entry, const Place& place) {
  const NodeId name = tree_.child(id, NodeKind::name);
  if (name != kNoNode) {
    entry.name = tree_.tokens[tree_[name].begin].name;
  }
  entry.outer = place.ctes;
  // A name means itself only under RECURSIVE, in the last branch of a union; before that, and in a
  // query that is no union, it means what it means outside (measured on DuckDB).
  entry.in_own_query = true;
  if (recursive) entry.self = recursive_branch(tree_, tree_.child(id, NodeKind::query));
  const Place inside{&entry, place.sources};
  Shape shape;
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::query) {
      shape = query(child, inside);
    } else {
      walk(child, inside);
    }
  }
  rename_columns(tree_, tree_.child(id, NodeKind::column_names), shape);
  entry.shape = shape;
  entry.in_own_query = false;
}

Shape Extractor::query_body(NodeId id, const Place& place) {
  order_marks(id);
  switch (tree_[id].kind) {
    case NodeKind::select:
      return select(id, place);
    case NodeKind::set_operations:
      return set_operations(id, place);
    case NodeKind::subquery: {
      const NodeId inner = tree_.child(id, NodeKind::query);
      return inner == kNoNode ? Shape{true, false, {}} : query(inner, place);
    }
    case NodeKind::table_query: {
      Sources sources{place.sources, {}};
      for (const NodeId child : children(tree_, id)) {
        if (tree_[child].kind == NodeKind::relation) relation(child, place, sources);
      }
      return sources.list.empty() ? Shape{true, false, {}} : sources.list.front().shape;
    }
    case NodeKind::values:
      walk_children(id, place);
      return {};
    case NodeKind::describe:
      if (tree_.has(id, flag::show)) facts_.opaque_inputs.push_back(std::string(tree_.text(id)));
      walk_children(id, place);
      facts_.order_sensitive = true;
      return {true, false, {}};
    default:  // pivot_query and what was not understood
      walk_children(id, place);
      return {true, false, {}};
  }
}

Shape Extractor::set_operations(NodeId id, const Place& place) {
  Shape shape;
  bool first = true;
  bool by_name = false;
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::set_operator) {
      by_name |= tree_.has(child, flag::set_by_name);
      continue;
    }
    Shape branch = query_body(child, place);
    if (first) {
      shape = std::move(branch);
    } else {
      shape.open |= branch.open;
    }
    first = false;
  }
  if (by_name) shape.named = false;
  return shape;
}

Shape Extractor::select(NodeId id, const Place& place) {
  Sources sources{place.sources, {}};
  const Place inside{place.ctes, &sources};
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::from) {
      for (const NodeId item : children(tree_, child)) from_item(item, inside, sources);
    } else if (tree_[child].kind == NodeKind::lateral_view) {
      lateral_view(child, inside, sources);
    }
  }
  Shape shape;
  NodeId list = kNoNode;
  for (const NodeId child : children(tree_, id)) {
    switch (tree_[child].kind) {
      case NodeKind::from:
      case NodeKind::lateral_view:
        break;
      case NodeKind::select_list:
        list = child;
        shape = select_columns(child, {place.ctes, &sources});
        break;
      default:
        walk(child, inside);
        break;
    }
  }
  if (list == kNoNode) {  // FROM-first: every column of every source
    shape.named = sources.list.size() == 1;
    for (const Sources::Source& source : sources.list) append_columns(shape, source.shape);
  }
  if (id == final_select_) final_item_ = kNoNode;
  return shape;
}

Shape Extractor::select_columns(NodeId list, const Place& place) {
  Shape shape;
  shape.named = true;
  std::size_t count = 0;
  for ([[maybe_unused]] const NodeId item : children(tree_, list)) ++count;
  shape.columns.reserve(count);
  const bool is_final =
      final_select_ != kNoNode && tree_.child(final_select_, NodeKind::select_list) == list;
  for (const NodeId item : children(tree_, list)) {
    if (is_final) final_item_ = item;
    select_item(item, place, shape);
    if (is_final) final_item_ = kNoNode;
  }
  return shape;
}

void Extractor::select_item(NodeId item, const Place& place, Shape& shape) {
  const NodeId expr = tree_.child(item, NodeKind::expr);
  const NodeId operand = expr == kNoNode ? kNoNode : tree_[expr].first_child;
  const bool is_star = operand != kNoNode && tree_[operand].kind == NodeKind::star;
  if (is_star) {
    star(operand, place, shape);
    for (NodeId rest = tree_[operand].next; rest != kNoNode; rest = tree_[rest].next) {
      walk(rest, place);
    }
    if (tree_[operand].next != kNoNode) shape.named = false;  // * LIKE 'x'
    return;
  }
  mark_plain_texts(item);
  walk_children(item, place);
  if (operand != kNoNode) {
    // Calls whose result is one column per field of a value.
    for (const NodeId part : children(tree_, expr)) {
      if (tree_[part].kind == NodeKind::star) shape.open = true;  // (struct).*
      if (tree_[part].kind != NodeKind::call) continue;
      const std::string_view name = tree_.names.text(last_name_of(tree_, tree_[part].first_child));
      if (name == "unnest" || name == "inline" || name == "inline_outer" || name == "unpack") {
        shape.open = true;
      }
      if (name == "columns" || name == "json_tuple" || name == "stack" || name == "posexplode" ||
          name == "posexplode_outer") {
        shape.named = false;
      }
    }
  }
  if (operand != kNoNode && has_columns_call(expr)) shape.named = false;
  const std::uint32_t name = item_name_token(tree_, item);
  std::string value;
  if (name == kNone || (is_string(tree_.tokens[name].kind) && !string_value(tree_, name, value))) {
    shape.named = false;
  } else {
    shape.columns.push_back(name);
  }
}

// COLUMNS(...) or a star anywhere in an expression repeats the whole expression.
bool Extractor::has_columns_call(NodeId id) const {
  if (columns_name_ == kNoName) return false;
  if (tree_[id].kind == NodeKind::query || tree_[id].kind == NodeKind::subquery) return false;
  if (tree_[id].kind == NodeKind::call &&
      last_name_of(tree_, tree_[id].first_child) == columns_name_) {
    return true;
  }
  for (const NodeId child : children(tree_, id)) {
    if (has_columns_call(child)) return true;
  }
  return false;
}

// Adds the columns of `*` or `t.*` over the sources of the innermost query.
void Extractor::star(NodeId id, const Place& place, Shape& shape) {
  for (const NodeId option : children(tree_, id)) {
    if (tree_[option].kind != NodeKind::star_option) continue;
    shape.named = false;
    for (const NodeId child : children(tree_, option)) {
      if (tree_[child].kind == NodeKind::column) {
        mention_names(child);
      } else {
        walk(child, place);
      }
    }
  }
  std::vector<NameId> qualifier;
  for (std::uint32_t i = tree_[id].begin; i < tree_[id].end && tree_.token_text(i) != "*"; ++i) {
    const TokenKind kind = tree_.tokens[i].kind;
    if (kind == TokenKind::identifier || kind == TokenKind::quoted_identifier) {
      qualifier.push_back(tree_.tokens[i].name);
    }
  }
  bool found = false;
  for (const Sources* scope = place.sources; scope != nullptr; scope = scope->outer) {
    for (const Sources::Source& source : scope->list) {
      if (!qualifier.empty() && (qualifier.size() > 1 || source.name != qualifier.back())) continue;
      found = true;
      append_columns(shape, source.shape);
    }
    if (qualifier.empty() || found) break;
  }
  // A qualifier that names no source may be a struct column: its fields follow a schema.
  if (!found) shape.open = true;
  if (place.sources != nullptr && place.sources->list.size() > 1) shape.named = false;
}

}  // namespace hodor
