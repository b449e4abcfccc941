// Queries: what stands around a SELECT, and sets of them.
//
// What: LIMIT ALL goes; DuckDB FETCH FIRST n ROWS ONLY is LIMIT n; TABLE t is SELECT * FROM t;
// Spark
//   MINUS is EXCEPT, (a UNION b) UNION c loses its parentheses; aliases behind the first branch of
//   a set operation go; Spark VALUES 1, 2 is VALUES (1), (2); `with .., f as (q) select * from f`
//   is `with .. q`; `with c(x) as (select a ..)` is `with c as (select a as x ..)`; RECURSIVE goes
//   where no query of the list has a name of the list that is its own or comes later.
// Why sound: LIMIT, MINUS, VALUES and sets of one level (INTERSECT binds tighter) are one tree to
//   Spark's parser, FETCH and TABLE were executed on DuckDB; the names of a set are
//   those of its first branch; a star over one closed query gives its columns.
// When not: sets on DuckDB 2, which finds one type for all branches of a flat chain, but for those
// in
//   parentheses first; LIMIT ALL under Spark's WITH RECURSIVE, where it lifts a limit; sets BY
//   NAME; an alias that the text has elsewhere; a last CTE that is named twice, is MATERIALIZED,
//   has its own WITH, ORDER BY or LIMIT, or whose columns are not all named, and differently; a
//   list of columns over items with aliases or stars, or of names that the query has elsewhere.
#include <algorithm>
#include <utility>

#include "form.hpp"

namespace hodor {
namespace {

constexpr std::size_t kMostItems = 256;  // of a list that is compared with itself

}  // namespace

// LIMIT ALL where the grammar has it, and no other limit beside it: elsewhere it is an error.
bool Form::is_dropped_modifier(NodeId query, NodeId id) const {
  const bool is_all = tree_[id].kind == NodeKind::limit && tree_.has(id, flag::all);
  const bool spark = tree_.dialect == Dialect::databricks;
  if (!is_all || !rewrites() || (spark && tree_.names.find("recursive") != kNoName)) return false;
  bool is_behind = false;
  for (const NodeId child : children(tree_, query)) {
    const NodeKind kind = tree_[child].kind;
    if (child == id) {
      is_behind = true;
    } else if (kind == NodeKind::limit || kind == NodeKind::fetch || kind == NodeKind::pipe) {
      return false;
    } else if (is_behind ? kind != NodeKind::offset : spark && kind == NodeKind::offset) {
      return false;
    }
  }
  return true;
}

void Form::query(NodeId id) {
  const bool was_in_on = std::exchange(in_on_, false);
  const bool was_sorted = is_sorted_;
  const bool sorted_expressions = sorts_expressions_;
  const std::uint32_t matched = matched_;
  is_sorted_ = has_order(id);
  sorts_expressions_ = sorts_by_expressions(id);
  const bool named_branches = names_branches_;
  names_branches_ = std::exchange(is_operand_, false) && names_branches_;
  names_branches_ = names_branches_ || (is_sorted_ && tree_.dialect == Dialect::duckdb);
  // Of a set the order's expressions are looked for in each of its branches.
  if (sorts_expressions_ && tree_.child(id, NodeKind::set_operations) != kNoNode) ++matched_;
  query_parts(id);
  matched_ = matched;
  names_branches_ = named_branches;
  sorts_expressions_ = sorted_expressions;
  is_sorted_ = was_sorted;
  in_on_ = was_in_on;
}

bool Form::has_order(NodeId query) const {
  return tree_.child(query, NodeKind::order_by) != kNoNode ||
         tree_.child(query, NodeKind::sort_by) != kNoNode;
}

// A part of a query whose body is one SELECT, or none.
void Form::modifier(NodeId query, NodeId id, NodeId body) {
  if (is_dropped_modifier(query, id)) return;
  if (tree_[id].kind == NodeKind::order_by && body != kNoNode) {
    order_by(id, body);
  } else {
    node(id);
  }
}

void Form::query_parts(NodeId id) {
  const NodeId inner = passed_through(id);
  preimage_.begin_list(name_of(NodeKind::query));
  if (inner != kNoNode) {
    is_sorted_ = is_sorted_ || has_order(inner);
    sorts_expressions_ = sorts_expressions_ || sorts_by_expressions(inner);
    const NodeId list = tree_[id].first_child;
    if (tree_[list].first_child != tree_[list].last_child) with(list, tree_[list].last_child);
    const NodeId body = tree_[inner].first_child;
    for (const NodeId child : children(tree_, inner)) modifier(inner, child, body);
    const NodeId last = tree_[list].next;
    for (NodeId child = tree_[last].next; child != kNoNode; child = tree_[child].next) {
      modifier(id, child, body);
    }
    preimage_.end_list();
    return;
  }
  NodeId body = kNoNode;
  std::uint32_t from = tree_[id].begin;
  for (const NodeId child : children(tree_, id)) {
    own_tokens(id, from, tree_[child].begin);
    from = tree_[child].end;
    if (tree_[child].kind == NodeKind::select) body = child;
    modifier(id, child, body);
  }
  own_tokens(id, from, tree_[id].end);
  preimage_.end_list();
}

// `without`: a CTE at the end that is not written, or kNoNode.
void Form::with(NodeId id, NodeId without) {
  bool refers = tree_.has(id, flag::recursive);
  if (refers && rewrites() && !naming_.scopes().reads_names) {
    std::vector<NameId> later;
    for (const NodeId child : children(tree_, id)) {
      later.push_back(tree_.tokens[tree_[child].begin].name);
    }
    refers = later.size() > kMostItems;
    std::size_t at = 0;
    for (const NodeId child : children(tree_, id)) {
      // Under RECURSIVE DuckDB gives any union the types of its first branch.
      const NodeId own = tree_.child(child, NodeKind::query);
      refers =
          refers || own == kNoNode ||
          (tree_.dialect == Dialect::duckdb && tree_.child(own, NodeKind::select) == kNoNode) ||
          tree_.child(child, NodeKind::using_key) != kNoNode;
      for (std::uint32_t i = tree_[child].begin + 1; !refers && i < tree_[child].end; ++i) {
        const NameId name = tree_.tokens[i].name;
        refers = name != kNoName && std::find(later.begin() + static_cast<std::ptrdiff_t>(at),
                                              later.end(), name) != later.end();
      }
      ++at;
    }
  }
  preimage_.begin_list(name_of(NodeKind::with));
  std::uint32_t from = tree_[id].begin;
  for (const NodeId child : children(tree_, id)) {
    if (child == without) break;
    if (from == tree_[id].begin && tree_.has(id, flag::recursive) && !refers && rewrites()) {
      own_tokens(id, from, from + 1);
    } else if (from == tree_[id].begin) {
      own_tokens(id, from, tree_[child].begin);
    }
    node(child);
    from = tree_[child].end;
  }
  preimage_.end_list();
}

// Whether a list of names can be the aliases of the items of a query.
bool Form::gives_columns(NodeId names, NodeId body) const {
  const NodeId select = tree_[body].first_child;
  if (select == kNoNode || select != tree_[body].last_child ||
      tree_[select].kind != NodeKind::select ||
      tree_.child(select, NodeKind::distinct) != kNoNode) {
    return false;
  }
  const NodeId list = tree_.child(select, NodeKind::select_list);
  if (list == kNoNode) return false;
  NodeId name = tree_[names].first_child;
  std::size_t count = 0;
  for (const NodeId item : children(tree_, list)) {
    const NodeId only = tree_[item].first_child;
    const NodeId leaf = only == kNoNode ? kNoNode : only_node(only);
    const bool is_plain =
        only != kNoNode && only == tree_[item].last_child && tree_[only].kind == NodeKind::expr &&
        leaf != kNoNode &&
        (tree_[leaf].kind == NodeKind::column || tree_[leaf].kind == NodeKind::literal);
    const bool is_named = name != kNoNode && tree_[name].kind == NodeKind::name;
    if (!is_plain || !is_named || ++count > kMostItems) return false;
    // Nothing in the query may come to mean the new name: the list is its one place before.
    const std::uint32_t token = tree_[name].begin;
    if (!is_plain_name(token)) return false;
    for (NodeId other = tree_[names].first_child; other != name; other = tree_[other].next) {
      if (tree_.tokens[tree_[other].begin].name == tree_.tokens[token].name) return false;
    }
    for (std::uint32_t i = tree_[body].begin; i < tree_[body].end && count_of(token) > 1; ++i) {
      if (tree_.tokens[i].name == tree_.tokens[token].name) return false;
    }
    name = tree_[name].next;
  }
  return name == kNoNode;
}

void Form::cte(NodeId id) {
  const NodeId names = tree_.child(id, NodeKind::column_names);
  const NodeId body = tree_.child(id, NodeKind::query);
  if (!rewrites() || names == kNoNode || body == kNoNode || !gives_columns(names, body)) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::cte));
  const NodeId name = tree_[id].first_child;
  node(name);
  given_names_ = tree_[names].first_child;
  rest(id, names);
  given_names_ = kNoNode;
  preimage_.end_list();
}

// The query of the last CTE, where all of the query is `select * from` it.
NodeId Form::passed_through(NodeId id) const {
  const NodeId list = tree_[id].first_child;
  if (!rewrites() || list == kNoNode || tree_[list].kind != NodeKind::with ||
      tree_.has(list, flag::recursive)) {
    return kNoNode;
  }
  const NodeId select = tree_[list].next;
  const NodeId last = tree_[list].last_child;
  if (select == kNoNode || last == kNoNode) return kNoNode;
  // SELECT * FROM f: four tokens, then `;` at the end.
  const std::uint32_t begin = tree_[select].begin;
  const bool is_star = tree_[select].kind == NodeKind::select && tree_[select].end == begin + 4 &&
                       keyword(begin, "select") && keyword(begin + 2, "from") &&
                       is_symbol(tree_.tokens[begin + 1], tree_.sql, "*");
  const NodeId name = tree_[last].first_child;
  const NodeId inner = tree_[last].last_child;
  if (!is_star || tree_[last].flags != 0 || tree_[name].kind != NodeKind::name ||
      tree_[name].next != inner || tree_[inner].kind != NodeKind::query) {
    return kNoNode;
  }
  const NameId called = tree_.tokens[tree_[name].begin].name;
  if (called == kNoName || !is_plain_name(tree_[name].begin) ||
      tree_.tokens[begin + 3].name != called || count_of(tree_[name].begin) != 2) {
    return kNoNode;
  }
  // `f as materialized (`, MAX RECURSION LEVEL: tokens that no child has.
  if (tree_[inner].begin != tree_[name].end + 2) return kNoNode;
  const NodeId body = tree_[inner].first_child;
  if (body == kNoNode || tree_[body].kind != NodeKind::select) return kNoNode;
  return names_all(body) && passes_on(select, inner) ? inner : kNoNode;
}

// Whether what stands behind either SELECT may stand behind the inner one.
bool Form::passes_on(NodeId select, NodeId inner) const {
  bool is_limited = false;
  const NodeId body = tree_[inner].first_child;
  for (NodeId child = tree_[body].next; child != kNoNode; child = tree_[child].next) {
    // Without a limit the order of an inner query is none.
    if (tree_[child].kind != NodeKind::order_by && tree_[child].kind != NodeKind::limit) {
      return false;
    }
    is_limited =
        is_limited || (tree_[child].kind == NodeKind::limit && !tree_.has(child, flag::all));
  }
  if (tree_[body].next != kNoNode) return is_limited && tree_[select].next == kNoNode;
  const NodeId items = tree_.child(body, NodeKind::select_list);
  const NodeId distinct = tree_.child(body, NodeKind::distinct);
  // DISTINCT ON takes the first row of an order, a sample is taken before or after.
  const bool takes_rows = (distinct != kNoNode && tree_.has(distinct, flag::on)) ||
                          tree_.child(body, NodeKind::sample) != kNoNode;
  if (takes_rows && tree_[select].next != kNoNode) return false;
  for (NodeId child = tree_[select].next; child != kNoNode; child = tree_[child].next) {
    if (tree_[child].kind == NodeKind::limit) continue;
    if (tree_[child].kind != NodeKind::order_by || tree_.has(child, flag::all)) return false;
    for (const NodeId item : children(tree_, child)) {
      const NodeId leaf = only_node(tree_[item].first_child);
      if (leaf == kNoNode || tree_[leaf].kind != NodeKind::column ||
          tree_[leaf].end != tree_[leaf].begin + 1) {
        return false;
      }
      const NameId name = tree_.tokens[tree_[leaf].begin].name;
      bool is_output = false;
      for (const NodeId output : children(tree_, items)) {
        is_output = is_output || (output_name(output) == name && sorts_as_output(body, output));
      }
      if (!is_output) return false;
    }
  }
  return true;
}

// The name that an item has by an alias or as a plain column; else kNoName.
NameId Form::output_name(NodeId item) const {
  const NodeId alias = tree_.child(item, NodeKind::alias);
  const NodeId expr = tree_.child(item, NodeKind::expr);
  if (expr == kNoNode) return kNoName;
  if (alias != kNoNode) {
    const NodeId name = tree_.child(alias, NodeKind::name);
    return name == kNoNode || tree_[alias].last_child != name
               ? kNoName
               : tree_.tokens[tree_[name].begin].name;
  }
  const NodeId leaf = opened_node(expr);
  if (leaf == kNoNode || tree_[leaf].kind != NodeKind::column) return kNoName;
  return tree_.tokens[tree_[leaf].end - 1].name;
}

// Whether each item of a SELECT is one column, and no two have one name.
bool Form::names_all(NodeId select) const {
  const NodeId items = tree_.child(select, NodeKind::select_list);
  if (items == kNoNode) return false;
  std::vector<NameId> seen;
  bool has_unnamed = false;
  for (const NodeId item : children(tree_, items)) {
    const NodeId expr = tree_.child(item, NodeKind::expr);
    if (expr == kNoNode || tree_.child(expr, NodeKind::star) != kNoNode) return false;
    const NameId name = output_name(item);
    if (name != kNoName) {
      seen.push_back(name);
      continue;
    }
    // One may have a name that the engine makes, unless a name of the text could be that.
    if (has_unnamed || sees_made_names_ || tree_.child(item, NodeKind::alias) != kNoNode ||
        may_be_many_columns(tree_)) {
      return false;
    }
    // DuckDB `#1` has the name of the column that it means.
    for (std::uint32_t i = tree_[item].begin; i < tree_[item].end; ++i) {
      if (tree_.tokens[i].kind == TokenKind::parameter) return false;
    }
    has_unnamed = true;
  }
  std::sort(seen.begin(), seen.end());
  return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
}

void Form::table_query(NodeId id) {
  const NodeId only = tree_[id].first_child;
  if (!rewrites() || only == kNoNode || only != tree_[id].last_child ||
      tree_[only].end != tree_[id].end) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::select));
  preimage_.text("", "select");
  preimage_.begin_list(name_of(NodeKind::select_list));
  preimage_.begin_list(name_of(NodeKind::select_item));
  preimage_.begin_list(name_of(NodeKind::star));
  preimage_.text("", "*");
  preimage_.end_list();
  preimage_.end_list();
  preimage_.end_list();
  preimage_.begin_list(name_of(NodeKind::from));
  preimage_.text("", "from");
  preimage_.begin_list(name_of(NodeKind::from_item));
  node(only);
  preimage_.end_list();
  preimage_.end_list();
  preimage_.end_list();
}

// Whether the first operand is a set in parentheses that may stand without them.
bool Form::opens_to_left(NodeId id) const {
  const NodeId first = tree_[id].first_child;
  const NodeId outer = first == kNoNode ? kNoNode : tree_[first].next;
  if (outer == kNoNode || tree_[first].kind != NodeKind::subquery) return false;
  const NodeId query = tree_[first].first_child;
  if (query == kNoNode || query != tree_[first].last_child ||
      tree_[query].kind != NodeKind::query || tree_[query].first_child == kNoNode ||
      tree_[query].first_child != tree_[query].last_child) {
    return false;
  }
  const NodeId inner = tree_[query].first_child;
  if (tree_[inner].kind != NodeKind::set_operations) return false;
  bool only_intersects = true;
  for (const NodeId child : children(tree_, inner)) {
    if (tree_[child].kind != NodeKind::set_operator) continue;
    only_intersects = only_intersects && tree_.has(child, flag::set_intersect);
    if (tree_.has(child, flag::set_by_name)) return false;
  }
  for (const NodeId child : children(tree_, id)) {
    const bool by_name =
        tree_[child].kind == NodeKind::set_operator && tree_.has(child, flag::set_by_name);
    if (by_name) return false;
  }
  return only_intersects || !tree_.has(outer, flag::set_intersect);
}

void Form::set_operations(NodeId id) {
  preimage_.begin_list(name_of(NodeKind::set_operations));
  branches(id);
  preimage_.end_list();
}

void Form::branches(NodeId id) {
  bool by_name = false;
  for (const NodeId child : children(tree_, id)) {
    by_name |= tree_[child].kind == NodeKind::set_operator && tree_.has(child, flag::set_by_name);
  }
  const bool loses_names = !by_name && rewrites() && !sees_made_names_ && !names_branches_;
  for (const NodeId child : children(tree_, id)) {
    is_operand_ = tree_[child].kind == NodeKind::subquery;
    if (child == tree_[id].first_child) {
      if (tree_.dialect == Dialect::databricks && rewrites() && opens_to_left(id)) {
        branches(tree_[tree_[child].first_child].first_child);
      } else {
        node(child);
      }
      continue;
    }
    if (tree_[child].kind == NodeKind::select && loses_names) {
      branches_.resize(tree_.nodes.size());
      branches_[child] = true;
    }
    node(child);
  }
}

void Form::set_operator(NodeId id) {
  const std::uint32_t token = tree_[id].begin;
  if (tree_.dialect != Dialect::databricks || !keyword(token, "minus")) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::set_operator));
  preimage_.text("", "except");
  own_tokens(id, token + 1, tree_[id].end);
  preimage_.end_list();
}

void Form::fetch(NodeId id) {
  const NodeId count = tree_[id].first_child;
  const NodeId leaf = count == kNoNode ? kNoNode : only_node(count);
  if (tree_.dialect != Dialect::duckdb || !rewrites() || tree_.has(id, flag::with_ties) ||
      leaf == kNoNode || count != tree_[id].last_child || !is_number(leaf)) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::limit));
  preimage_.text("", "limit");
  expr(count);
  preimage_.end_list();
}

void Form::row(NodeId id) {
  const NodeId only = tree_[id].first_child;
  const bool is_wrapped = tree_.dialect == Dialect::databricks && rewrites() && only != kNoNode &&
                          only == tree_[id].last_child &&
                          tree_[id].begin + 1 == tree_[only].begin &&
                          tree_[id].end == tree_[only].end + 1 &&
                          tree_[tree_[only].first_child].kind != NodeKind::parens;
  preimage_.begin_list(name_of(NodeKind::row));
  if (is_wrapped) {
    expr(only);
  } else {
    rest(id, kNoNode);
  }
  preimage_.end_list();
}

}  // namespace hodor
