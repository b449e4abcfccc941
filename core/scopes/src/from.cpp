// FROM: sources in the order of the text, with their columns.
#include <algorithm>

#include "hodor/base/limits.hpp"
#include "resolver.hpp"

namespace hodor {

void Resolver::unknown_source(NodeId owner, Level& level) {
  RowShape shape;
  shape.is_unknown = true;
  add_source(owner, kNoName, kNone, std::move(shape), level);
}

void Resolver::add_source(NodeId owner, NameId own_name, std::uint32_t path_token, RowShape shape,
                          Level& level, bool is_table) {
  Source source{own_name, kNone, path_token, std::move(shape), false};
  const NodeId alias = tree_.child(owner, NodeKind::alias);
  if (alias != kNoNode) {
    const NodeId name = tree_.child(alias, NodeKind::name);
    source.name = kNoName;
    if (name != kNoNode) {
      source.definition = define(Definition::Kind::source, name);
      source.name = scopes_.definitions[source.definition].name;
    }
    rename(tree_.child(alias, NodeKind::column_names), source.shape);
  }
  const std::size_t parts = source.shape.columns.size() + source.shape.open.size();
  source.shape.is_numbered = duckdb() && parts > 1 && !is_table;
  for (const std::uint32_t other : level.sources) {
    // Two of one name are an error of the engine.
    if (source.name != kNoName && scopes_.sources[other].name == source.name) leave_names();
  }
  if (level.sources.size() > limits::kScopeTables) leave_names();
  level.sources.push_back(static_cast<std::uint32_t>(scopes_.sources.size()));
  scopes_.sources.push_back(std::move(source));
}

void Resolver::from_item(NodeId id, const Place& place, Level& level) {
  const std::size_t before = level.sources.size();
  NodeId leading = kNoNode;  // DuckDB `a: tbl`
  for (const NodeId child : children(tree_, id)) {
    switch (tree_[child].kind) {
      case NodeKind::alias:
        leading = tree_.child(child, NodeKind::name);
        break;
      case NodeKind::join:
        join(child, place, level);
        break;
      case NodeKind::pivot:
      case NodeKind::unpivot:
        // Names of columns become values, and values names.
        leave_names();
        unknown_source(child, level);
        break;
      case NodeKind::lateral_view:
        leave_names();
        unknown_source(child, level);
        break;
      case NodeKind::sample:
        break;
      default:
        factor(child, tree_.has(id, flag::lateral) || duckdb(), place, level);
        break;
    }
  }
  if (leading == kNoNode || level.sources.size() <= before) return;
  Source& named = scopes_.sources[level.sources[before]];
  const NodeId factor = tree_[tree_[id].first_child].next;
  // Two aliases are an error; one of joins renames columns, one of a function names a column.
  const bool is_plain = factor != kNoNode && tree_[factor].kind != NodeKind::from_group &&
                        tree_[factor].kind != NodeKind::table_function;
  if (named.definition != kNone || !is_plain) leave_names();
  named.definition = define(Definition::Kind::source, leading);
  named.name = scopes_.definitions[named.definition].name;
  if (!is_plain) scopes_.definitions[named.definition].is_visible = true;
}

void Resolver::factor(NodeId id, bool sees_siblings, const Place& place, Level& level) {
  switch (tree_[id].kind) {
    case NodeKind::relation:
      relation(id, place, level);
      return;
    case NodeKind::derived:
      derived(id, sees_siblings, place, level);
      return;
    case NodeKind::from_group: {
      const bool is_named = tree_.child(id, NodeKind::alias) != kNoNode;
      for (const NodeId item : children(tree_, id)) {
        if (tree_[item].kind == NodeKind::from_item) from_item(item, place, level);
      }
      if (!is_named) return;
      leave_names();  // it changes the names of columns that come twice
      unknown_source(id, level);
      return;
    }
    case NodeKind::inline_values: {
      const NodeId values = tree_.child(id, NodeKind::values);
      walk_children(values, {place.ctes, sees_siblings ? &level : place.level, {}});
      const bool is_named = tree_.child(values, NodeKind::alias) != kNoNode;
      add_source(is_named ? values : id, kNoName, kNone, rows(values), level);
      if (duckdb() && scopes_.sources.back().definition != kNone) {  // 1.5 asks for an alias
        scopes_.definitions[scopes_.sources.back().definition].is_visible = true;
      }
      return;
    }
    case NodeKind::table_function: {
      const NodeId function = tree_.child(id, NodeKind::call);
      walk(function, {place.ctes, sees_siblings ? &level : place.level, {}});
      // `unnest(x) a`: the alias may name a column, too.
      unknown_source(id, level);
      Source& source = scopes_.sources.back();
      if (source.definition != kNone) {
        scopes_.definitions[source.definition].is_visible = true;
        source.name = kNoName;
      }
      return;
    }
    default:  // files, what was not understood
      unknown_source(id, level);
      if (scopes_.sources.back().definition != kNone) {
        scopes_.definitions[scopes_.sources.back().definition].is_visible = true;
      }
      return;
  }
}

RowShape Resolver::columns_of(NodeId path) {
  RowShape shape;
  std::string name;
  for (std::uint32_t i = tree_[path].begin; i < tree_[path].end; i += 2) {
    const NameId part = ascii_name(tree_, i);
    if (part == kNoName) {
      shape.is_unknown = true;
      return shape;
    }
    if (!name.empty()) name += '.';
    name += tree_.names.text(part);
  }
  const auto known = known_.find(name);
  if (known == known_.end()) {
    const auto number = static_cast<std::uint32_t>(scopes_.tables.size());
    const auto [found, is_new] = table_numbers_.emplace(std::move(name), number);
    if (is_new) scopes_.tables.push_back(found->first);
    shape.open.push_back(found->second);
    return shape;
  }
  for (const std::string& column : known->second) {
    const NameId in_text = tree_.names.find(column);
    shape.columns.push_back({in_text == kNoName ? kOtherName : in_text, kNone});
  }
  return shape;
}

void Resolver::relation(NodeId id, const Place& place, Level& level) {
  const NodeId path = tree_.child(id, NodeKind::path);
  if (path == kNoNode) {
    unknown_source(id, level);
    return;
  }
  const std::uint32_t last = tree_[path].end - 1;
  const NameId name = ascii_name(tree_, last);
  // DuckDB: `recurring.q` is what q, a CTE, has so far.
  if (duckdb() && tree_[path].begin + 2 == last &&
      tree_.names.text(tree_.tokens[tree_[path].begin].name) == "recurring") {
    leave_names();
  }
  if (tree_[path].begin == last && name != kNoName) {
    for (const CteName* cte = place.ctes; cte != nullptr; cte = cte->outer) {
      if (!spend(1)) break;
      if (cte->definition == kNone || scopes_.definitions[cte->definition].name != name) continue;
      const bool means_itself = last >= cte->self.begin && last < cte->self.end;
      if (cte->in_own_query && !means_itself) continue;
      scopes_.ctes.push_back({last, cte->definition});
      add_source(id, name, last, cte->shape, level);
      return;
    }
  }
  add_source(id, name, last, columns_of(path), level, true);
}

void Resolver::derived(NodeId id, bool sees_siblings, const Place& place, Level& level) {
  RowShape shape;
  shape.is_unknown = true;
  const Place inside{place.ctes, sees_siblings ? &level : place.level, {}};
  for (const NodeId child : children(tree_, id)) {
    const NodeId inner = tree_[child].kind == NodeKind::subquery
                             ? tree_.child(child, NodeKind::query)
                             : (tree_[child].kind == NodeKind::query ? child : kNoNode);
    if (inner != kNoNode) shape = query(inner, inside);
  }
  add_source(id, kNoName, kNone, std::move(shape), level);
}

void Resolver::join(NodeId id, const Place& place, Level& level) {
  const std::size_t before = level.sources.size();
  for (const NodeId child : children(tree_, id)) {
    switch (tree_[child].kind) {
      case NodeKind::from_item:
        from_item(child, place, level);
        break;
      case NodeKind::on:
        walk_children(child, {place.ctes, &level, Clause::before_aliases});
        break;
      case NodeKind::using_columns:
        for (const NodeId name : children(tree_, child)) {
          level.merged.push_back(ascii_name(tree_, tree_[name].begin));
        }
        break;
      default:
        break;
    }
  }
  if (tree_.has(id, flag::natural)) {
    level.is_natural = true;
    show_all(&level);
  }
  if (!tree_.has(id, flag::semi | flag::anti)) return;
  for (std::size_t i = before; i < level.sources.size(); ++i) {
    scopes_.sources[level.sources[i]].is_hidden = true;
  }
}

}  // namespace hodor
