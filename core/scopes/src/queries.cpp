// Queries: CTEs, SELECT lists, set operations, ORDER BY.
#include <algorithm>
#include <set>
#include <utility>

#include "hodor/base/limits.hpp"
#include "resolver.hpp"

namespace hodor {
namespace {

// The column of this name, if there is one only.
const Column* find_only(const std::vector<Column>& columns, NameId name) {
  const Column* found = nullptr;
  for (const Column& column : columns) {
    if (column.name != name) continue;
    if (found != nullptr) return nullptr;
    found = &column;
  }
  return found;
}

RowShape unknown() {
  RowShape shape;
  shape.is_unknown = true;
  return shape;
}

}  // namespace

// For a place whose names are looked up in another order than elsewhere: what is in it is walked,
// but nothing is resolved through it.
const Level* Resolver::blind(const Level* outer) {
  Level& level = levels_.emplace_back();
  level.outer = outer;
  level.is_blind = true;
  level.has_other_names = true;
  return &level;
}

// Whether an expression of a list is one name without a qualifier.
bool Resolver::has_bare_name(NodeId list) const {
  for (const NodeId child : children(tree_, list)) {
    const NodeId expr =
        tree_[child].kind == NodeKind::expr ? child : tree_.child(child, NodeKind::expr);
    const NodeId only = expr == kNoNode ? kNoNode : tree_[expr].first_child;
    if (only != kNoNode && only == tree_[expr].last_child &&
        (tree_[only].kind == NodeKind::parens || tree_[only].end == tree_[only].begin + 1)) {
      return true;
    }
  }
  return false;
}

// What is not followed may use any name of the text in any way.
void Resolver::leave_names() { scopes_.reads_names = true; }

void Resolver::append(RowShape& shape, const RowShape& more) {
  if (shape.columns.size() + more.columns.size() > limits::kScopeColumns ||
      shape.open.size() + more.open.size() > limits::kScopeTables) {
    leave_names();
    shape = unknown();
    return;
  }
  spend(more.columns.size() + more.open.size());
  shape.is_unknown |= more.is_unknown;
  shape.open.insert(shape.open.end(), more.open.begin(), more.open.end());
  shape.columns.insert(shape.columns.end(), more.columns.begin(), more.columns.end());
}

Scopes Resolver::run() {
  if (tree_[tree_.root].kind == NodeKind::query) show(query(tree_.root, {}));
  if (!spend(0)) leave_names();
  return std::move(scopes_);
}

RowShape Resolver::query(NodeId id, const Place& place) {
  Place inside = place;
  const NodeId first = tree_.child(id, NodeKind::with);
  if (first != kNoNode) inside.ctes = with(first, place);
  RowShape shape = unknown();
  const Level* level = nullptr;
  const NodeId order = tree_.child(id, NodeKind::order_by);
  sorts_by_name_ = order != kNoNode && has_bare_name(order);
  for (const NodeId child : children(tree_, id)) {
    switch (tree_[child].kind) {
      case NodeKind::with:
        break;
      case NodeKind::order_by:
      case NodeKind::sort_by:
        if (level != nullptr) {
          walk(child, {inside.ctes, level, Clause::order_part});
        } else {
          order_by(child, inside, shape);
        }
        break;
      case NodeKind::pipe:
        leave_names();
        shape = unknown();
        break;
      case NodeKind::limit:
      case NodeKind::offset:
      case NodeKind::fetch:
      case NodeKind::sample:
        walk_children(child, {inside.ctes, blind(inside.level), Clause::before_aliases});
        break;
      default:
        shape = body(child, inside, &level);
        break;
    }
  }
  return shape;
}

// Measured on DuckDB: before that branch, and in a query that is no union, the name means what it
// means outside.
TokenRange recursive_branch(const Tree& tree, NodeId query) {
  const NodeId body = query == kNoNode ? kNoNode : tree.child(query, NodeKind::set_operations);
  if (body == kNoNode) return {};
  NodeId op = kNoNode;
  NodeId branch = kNoNode;
  for (const NodeId child : children(tree, body)) {
    if (tree[child].kind == NodeKind::set_operator) {
      op = child;
    } else {
      branch = child;
    }
  }
  if (op == kNoNode || !tree.has(op, flag::set_union)) return {};
  return {tree[branch].begin, tree[branch].end};
}

const CteName* Resolver::with(NodeId id, const Place& place) {
  Place inside = place;
  std::set<NameId> seen;
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind != NodeKind::cte) continue;
    CteName& entry = ctes_.emplace_back();
    entry.outer = inside.ctes;
    const NodeId name = tree_.child(child, NodeKind::name);
    if (name != kNoNode) entry.definition = define(Definition::Kind::cte, name);
    const bool is_new =
        entry.definition == kNone || seen.insert(scopes_.definitions[entry.definition].name).second;
    if (!is_new) leave_names();  // an error of the engine
    entry.in_own_query = true;
    const NodeId own = tree_.child(child, NodeKind::query);
    if (tree_.has(id, flag::recursive)) {
      entry.self = recursive_branch(tree_, own);
      entry.shape = unknown();
      if (tree_.child(child, NodeKind::using_key) != kNoNode) leave_names();
    }
    RowShape shape = own == kNoNode ? unknown() : query(own, {&entry, inside.level, {}});
    // What the branch that refers to itself sees are the names of the first.
    if (tree_.has(id, flag::recursive)) show(shape);
    rename(tree_.child(child, NodeKind::column_names), shape);
    entry.shape = std::move(shape);
    entry.in_own_query = false;
    inside.ctes = &entry;
  }
  return inside.ctes;
}

// The names of an alias list: each is a definition of its own in place of the one behind it.
void Resolver::rename(NodeId names, RowShape& shape) {
  if (names == kNoNode) return;
  std::vector<std::uint32_t> list;
  for (const NodeId name : children(tree_, names)) {
    if (tree_[name].kind == NodeKind::name) list.push_back(define(Definition::Kind::column, name));
  }
  if (!shape.is_closed() || list.size() > shape.columns.size()) {
    show(shape);
    shape = unknown();
    for (const std::uint32_t definition : list) scopes_.definitions[definition].is_visible = true;
    return;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    shape.columns[i] = {scopes_.definitions[list[i]].name, list[i]};
    shape.is_unknown |= shape.columns[i].name == kNoName;
  }
}

RowShape Resolver::body(NodeId id, const Place& place, const Level** level) {
  *level = nullptr;
  switch (tree_[id].kind) {
    case NodeKind::select:
      return select(id, place, level);
    case NodeKind::set_operations:
      return set_operations(id, place);
    case NodeKind::subquery: {
      const NodeId inner = tree_.child(id, NodeKind::query);
      return inner == kNoNode ? unknown() : query(inner, place);
    }
    case NodeKind::table_query: {
      Level& own = levels_.emplace_back();
      for (const NodeId child : children(tree_, id)) {
        if (tree_[child].kind == NodeKind::relation) relation(child, place, own);
      }
      return own.sources.size() == 1 ? scopes_.sources[own.sources[0]].shape : unknown();
    }
    case NodeKind::values:
      walk_children(id, place);
      return rows(id);
    default:  // PIVOT, DESCRIBE, what was not understood
      leave_names();
      return unknown();
  }
}

// VALUES names its columns itself, differently per engine: only their number is known.
RowShape Resolver::rows(NodeId values) const {
  RowShape shape;
  const NodeId row = tree_.child(values, NodeKind::row);
  if (row == kNoNode) return unknown();
  int number = 0;
  for ([[maybe_unused]] const NodeId expr : children(tree_, row)) {
    const NameId name = tree_.names.find("col" + std::to_string(duckdb() ? number : number + 1));
    shape.columns.push_back({name == kNoName ? kOtherName : name, kNone});
    ++number;
  }
  return shape;
}

RowShape Resolver::set_operations(NodeId id, const Place& place) {
  RowShape shape = unknown();
  bool is_first = true;
  bool by_name = false;
  const Level* level = nullptr;
  for (const NodeId child : children(tree_, id)) {
    by_name |= tree_[child].kind == NodeKind::set_operator && tree_.has(child, flag::set_by_name);
  }
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::set_operator) continue;
    RowShape branch = body(child, place, &level);
    if (by_name) show(branch);
    if (is_first) shape = std::move(branch);
    is_first = false;
  }
  return by_name ? unknown() : shape;
}

// Behind set operations only the names of the result can be meant.
void Resolver::order_by(NodeId id, const Place& place, const RowShape& shape) {
  for (const NodeId order_item : children(tree_, id)) {
    const NodeId expr = tree_.child(order_item, NodeKind::expr);
    const NodeId only = expr == kNoNode ? kNoNode : tree_[expr].first_child;
    if (only == kNoNode || only != tree_[expr].last_child || tree_[only].kind != NodeKind::column ||
        tree_[only].end != tree_[only].begin + 1) {
      walk_children(order_item, {place.ctes, blind(place.level), {}});
      continue;
    }
    Reference reference;
    reference.node = only;
    const Column* column = find_only(shape.columns, ascii_name(tree_, tree_[only].begin));
    if (column != nullptr && shape.is_closed()) reference.definition = column->definition;
    scopes_.references.push_back(reference);
  }
}

RowShape Resolver::select(NodeId id, const Place& place, const Level** made) {
  Level& level = levels_.emplace_back();
  level.outer = place.level;
  level.sorts_by_name = std::exchange(sorts_by_name_, false);
  *made = &level;
  NodeId list = kNoNode;
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::from) {
      for (const NodeId from : children(tree_, child)) from_item(from, place, level);
    } else if (tree_[child].kind == NodeKind::lateral_view) {
      unknown_source(child, level);
    } else if (tree_[child].kind == NodeKind::select_list) {
      list = child;
    } else if (tree_[child].kind == NodeKind::distinct) {
      level.sorts_by_name |= has_bare_name(child);
    }
  }
  RowShape shape;
  if (list == kNoNode) {
    star_of({}, kNone, {place.ctes, &level, {}}, shape);
  } else {
    shape = items(list, place, level);
  }
  for (const NodeId child : children(tree_, id)) {
    switch (tree_[child].kind) {
      case NodeKind::from:
      case NodeKind::lateral_view:
      case NodeKind::select_list:
      case NodeKind::hint:
        break;
      case NodeKind::distinct:  // ON takes an item before a column
        walk_children(child, {place.ctes, blind(&level), {}});
        break;
      case NodeKind::having:
      case NodeKind::qualify:
        walk_children(child, {place.ctes, &level, Clause::having});
        break;
      case NodeKind::sort_by:
      case NodeKind::order_by:
        walk(child, {place.ctes, &level, Clause::order_part});
        break;
      default:
        walk_children(child, {place.ctes, &level, Clause::items});
        break;
    }
  }
  return shape;
}

RowShape Resolver::items(NodeId list, const Place& place, Level& level) {
  std::size_t count = 0;
  for ([[maybe_unused]] const NodeId child : children(tree_, list)) ++count;
  std::vector<std::uint32_t> names;
  names.reserve(count);
  level.aliases.reserve(count);
  for (const NodeId child : children(tree_, list)) {
    const NodeId alias = tree_.child(child, NodeKind::alias);
    const NodeId name = alias == kNoNode ? kNoNode : tree_.child(alias, NodeKind::name);
    names.push_back(name == kNoNode ? kNone : define(Definition::Kind::column, name));
    if (names.back() == kNone) continue;
    level.aliases.push_back({scopes_.definitions[names.back()].name, names.back()});
  }
  for (const NodeId child : children(tree_, list)) note_name(child, level);
  RowShape shape;
  shape.columns.reserve(count);
  std::size_t at = 0;
  for (const NodeId child : children(tree_, list)) {
    item(child, {place.ctes, &level, Clause::items}, names[at++], shape);
  }
  return shape;
}

// What an item's name is to those who look for a column of that name.
void Resolver::note_name(NodeId item, Level& level) const {
  const NodeId expr = tree_.child(item, NodeKind::expr);
  const NodeId only = expr == kNoNode ? kNoNode : tree_[expr].first_child;
  if (only == kNoNode) return;
  const bool is_column = only == tree_[expr].last_child && tree_[only].kind == NodeKind::column;
  const NodeId alias = tree_.child(item, NodeKind::alias);
  const NodeId name = alias == kNoNode ? kNoNode : tree_.child(alias, NodeKind::name);
  if (tree_[only].kind == NodeKind::star || name == kNoNode) {
    note_unnamed(expr, level);
  } else if (is_column) {
    const NameId given = ascii_name(tree_, tree_[name].begin);
    const std::uint32_t begin = tree_[only].begin;
    // `s.id as id`: a field, where s is no source.
    bool is_own = tree_[only].end == begin + 1;
    for (const std::uint32_t source : level.sources) {
      is_own |=
          tree_[only].end == begin + 3 && scopes_.sources[source].name == ascii_name(tree_, begin);
    }
    if (is_own && ascii_name(tree_, tree_[only].end - 1) == given) {
      level.own_names.push_back(given);
    }
  }
}

void Resolver::note_unnamed(NodeId expr, Level& level) const {
  const NodeId only = tree_[expr].first_child;
  const Node& first = tree_[only];
  const bool is_single = only == tree_[expr].last_child;
  if (is_single && first.kind == NodeKind::column && first.end == first.begin + 1) {
    level.plain_items.push_back(ascii_name(tree_, first.begin));
    return;
  }
  level.has_other_names = true;
  // Stars show columns of sources, calls and numbers have names that are no words.
  const bool is_plain_star = first.kind == NodeKind::star && first.end == first.begin + 1;
  const bool is_plain_value =
      is_single &&
      (first.kind == NodeKind::case_when || first.kind == NodeKind::call ||
       (first.kind == NodeKind::literal && tree_.tokens[first.begin].kind == TokenKind::number));
  level.has_implicit_names |= !duckdb() && !is_plain_star && !is_plain_value;
}

void Resolver::item(NodeId id, const Place& place, std::uint32_t alias, RowShape& shape) {
  const NodeId expr = tree_.child(id, NodeKind::expr);
  if (expr == kNoNode) {
    shape.is_unknown = true;
    return;
  }
  if (star(id, place, shape)) {
    if (alias != kNone) scopes_.definitions[alias].is_visible = true;  // of each column
    return;
  }
  const NodeId only = tree_[expr].first_child;
  const bool is_single = only != kNoNode && only == tree_[expr].last_child;
  if (alias != kNone) {
    walk(expr, place);
    shape.columns.push_back({scopes_.definitions[alias].name, alias});
    shape.is_unknown |= scopes_.definitions[alias].name == kNoName;
    return;
  }
  if (is_single && tree_[only].kind == NodeKind::column) {
    column(only, place, NameOf::item);
    const Reference& reference = scopes_.references.back();
    const NameId name = ascii_name(tree_, tree_[only].end - 1);
    shape.is_unknown |= name == kNoName;
    shape.columns.push_back({name, reference.definition});
    return;
  }
  walk(expr, place);
  // The engine makes a name of the text: none that a plain reference could mean, for a call or a
  // literal. Of parentheses and casts it may be the column's own.
  const bool is_plain_call = is_single && tree_[only].kind == NodeKind::call &&
                             tree_[tree_[only].first_child].kind == NodeKind::path;
  const bool is_operation = !is_single && tree_.child(expr, NodeKind::op) != kNoNode &&
                            tree_.child(expr, NodeKind::cast_postfix) == kNoNode &&
                            tree_.child(expr, NodeKind::field) == kNoNode;
  shape.is_unknown |= !is_plain_call && !is_operation;
  if (is_plain_call) {
    const NameId name = ascii_name(tree_, tree_[tree_[only].first_child].end - 1);
    for (const NameId many : many_columns_) shape.is_unknown |= name == many;
  }
  shape.columns.push_back({kNoName, kNone});
}

// `*`, `q.*`, with or without options. False: another item.
bool Resolver::star(NodeId id, const Place& place, RowShape& shape) {
  const NodeId expr = tree_.child(id, NodeKind::expr);
  const NodeId first = tree_[expr].first_child;
  if (first == kNoNode || tree_[first].kind != NodeKind::star) return false;
  std::vector<NameId> qualifier;
  std::uint32_t token = kNone;
  for (std::uint32_t i = tree_[first].begin; i < tree_[first].end; ++i) {
    if (is_symbol(tree_.tokens[i], tree_.sql, "*")) break;
    if (is_symbol(tree_.tokens[i], tree_.sql, ".")) continue;
    qualifier.push_back(ascii_name(tree_, i));
    token = i;
  }
  RowShape found;
  star_of(qualifier, token, place, found);
  if (tree_[first].first_child != kNoNode || tree_[first].next != kNoNode) {
    leave_names();  // EXCLUDE, REPLACE, LIKE name columns
    found = unknown();
  }
  append(shape, found);
  return true;
}

void Resolver::star_of(const std::vector<NameId>& qualifier, std::uint32_t token,
                       const Place& place, RowShape& shape) {
  if (qualifier.empty()) {
    const bool merges = place.level->is_natural || !place.level->merged.empty();
    for (const std::uint32_t source : place.level->sources) {
      if (scopes_.sources[source].is_hidden) continue;
      append(shape, scopes_.sources[source].shape);
    }
    shape.is_unknown |= merges;
    if (merges) show_all(place.level);
    return;
  }
  StarReference reference{token, kNone, {}};
  if (qualifier.size() == 1) {
    reference.source = find_source(qualifier[0], place, reference.for_source, nullptr);
  }
  if (reference.source == kNone) {
    show_all(place.level);
    shape.is_unknown = true;
    return;
  }
  append(shape, scopes_.sources[reference.source].shape);
  scopes_.stars.push_back(reference);
}

}  // namespace hodor
