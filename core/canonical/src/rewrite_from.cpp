// FROM, its joins, and orders.
//
// What: FROM a CROSS JOIN b is FROM a, b; Spark LEFT SEMI and LEFT ANTI are SEMI and ANTI; the
// order
//   of NULLs that is the default goes (Spark: first, behind DESC last; DuckDB: last).
// Why sound: both engines make a product of either; Spark's parser makes one tree of the others;
//   DuckDB's default_null_order is NULLS LAST for both directions, executed, also in aggregates and
//   windows.
// When not: a FROM with any other join, or LATERAL, whose reach a comma would change; DuckDB inside
//   of an expression that names a column.
#include <utility>

#include "form.hpp"

namespace hodor {

// FROM a CROSS JOIN b ..., each of them one factor.
bool Form::is_crossed(NodeId from) const {
  const NodeId item = tree_[from].first_child;
  if (item == kNoNode || item != tree_[from].last_child || tree_.has(item, flag::lateral)) {
    return false;
  }
  const NodeId factor = tree_[item].first_child;
  if (factor == kNoNode || factor == tree_[item].last_child ||
      tree_[factor].kind == NodeKind::alias) {
    return false;
  }
  for (NodeId join = tree_[factor].next; join != kNoNode; join = tree_[join].next) {
    if (tree_[join].kind != NodeKind::join || tree_[join].flags != flag::cross) return false;
    const NodeId right = tree_[join].first_child;
    if (right != tree_[join].last_child || tree_[right].kind != NodeKind::from_item ||
        tree_.has(right, flag::lateral) || tree_[right].first_child == kNoNode ||
        tree_[right].first_child != tree_[right].last_child) {
      return false;
    }
  }
  return true;
}

void Form::from(NodeId id) {
  const NodeId matched = std::exchange(matched_select_, kNoNode);
  if (rewrites() && is_crossed(id)) {
    crossed(id);
  } else {
    plain(id);
  }
  matched_select_ = matched;
}

void Form::crossed(NodeId id) {
  const NodeId item = tree_[id].first_child;
  const NodeId factor = tree_[item].first_child;
  preimage_.begin_list(name_of(NodeKind::from));
  own_tokens(id, tree_[id].begin, tree_[item].begin);
  preimage_.begin_list(name_of(NodeKind::from_item));
  node(factor);
  preimage_.end_list();
  for (NodeId join = tree_[factor].next; join != kNoNode; join = tree_[join].next) {
    node(tree_[join].first_child);
  }
  own_tokens(id, tree_[item].end, tree_[id].end);
  preimage_.end_list();
}

// LEFT of LEFT SEMI JOIN.
bool Form::is_dropped_side(NodeId join, std::uint32_t token) const {
  if (tree_.dialect != Dialect::databricks || token != tree_[join].begin ||
      !keyword(token, "left")) {
    return false;
  }
  const bool is_half = keyword(token + 1, "semi") || keyword(token + 1, "anti");
  return is_half && is_word(tree_.tokens[token + 2], tree_.sql, "join");
}

// A token of NULLS FIRST or NULLS LAST that says what goes without saying.
bool Form::is_dropped_null_order(NodeId item, std::uint32_t token) const {
  std::uint32_t nulls = token;
  if (!keyword(token, "nulls")) {
    if (!keyword(token, "first") && !keyword(token, "last")) return false;
    nulls = token - 1;
  }
  const bool is_own = verbatim_ == 0 && nulls > tree_[item].begin && nulls + 2 == tree_[item].end;
  if (!is_own || is_matched() || !keyword(nulls, "nulls")) return false;
  const bool is_last = keyword(nulls + 1, "last");
  if (tree_.dialect == Dialect::duckdb) return is_last;
  return is_last == keyword(nulls - 1, "desc");
}

}  // namespace hodor
