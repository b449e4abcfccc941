// Expressions that an engine finds among others by their trees.
//
// What: the expressions of a SELECT that groups by more than plain columns, or that sorts distinct
// rows
//   or the rows of a set by an expression, are written as they were parsed: no rewrite in them.
// Why: `select ceiling(f) from t group by ceil(f)` is an error: DuckDB compares the trees of both
//   before it knows that the functions are one. Spark compares what it has made of them, and tells
//   fewer apart (a CASE with ELSE NULL).
#include <algorithm>

#include "form.hpp"

namespace hodor {
namespace {

bool is_column_node(const Tree& tree, NodeId node) {
  return node != kNoNode && tree[node].kind == NodeKind::column;
}

}  // namespace

// A key that stands for nothing but itself: a plain column that is no alias of more, its number.
bool Form::is_plain_key(NodeId key) const {
  if (tree_[key].kind != NodeKind::expr) {  // ROLLUP (..) and its kin
    for (const NodeId child : children(tree_, key)) {
      if (!is_plain_key(child)) return false;
    }
    return true;
  }
  const NodeId leaf = opened_node(key);
  if (leaf == kNoNode) return false;
  if (is_number(leaf)) {
    const NodeId item = item_at(leaf);
    return item != kNoNode && is_column_node(tree_, opened_node(tree_.child(item, NodeKind::expr)));
  }
  if (!is_column_node(tree_, leaf)) return false;
  const NameId name = tree_.tokens[tree_[leaf].begin].name;
  return !std::binary_search(item_aliases_.begin(), item_aliases_.end(), name) ||
         std::all_of(items_.begin(), items_.end(), [&](NodeId item) {
           return output_name(item) != name ||
                  is_column_node(tree_, opened_node(tree_.child(item, NodeKind::expr)));
         });
}

// Whether the order of a query asks for more than names and numbers of columns.
bool Form::sorts_by_expressions(NodeId query) const {
  const NodeId order = tree_.child(query, NodeKind::order_by);
  if (order == kNoNode || tree_.has(order, flag::all)) return false;
  for (const NodeId item : children(tree_, order)) {
    const NodeId key = tree_.child(item, NodeKind::expr);
    const NodeId leaf = key == kNoNode ? kNoNode : only_node(key);
    if (leaf == kNoNode || (!is_column_node(tree_, leaf) && !is_number(leaf))) return true;
  }
  return false;
}

bool Form::matches_expressions(NodeId select) {
  if (tree_.child(select, NodeKind::distinct) != kNoNode && sorts_expressions_) return true;
  const NodeId group = tree_.child(select, NodeKind::group_by);
  if (group == kNoNode) return false;
  note_items(select);
  if (has_many_) return true;
  if (tree_.has(group, flag::all)) {
    return !std::all_of(items_.begin(), items_.end(), [this](NodeId item) {
      const NodeId leaf = opened_node(tree_.child(item, NodeKind::expr));
      return is_column_node(tree_, leaf) || is_known_aggregate(leaf);
    });
  }
  for (const NodeId key : children(tree_, group)) {
    if (!is_plain_key(key)) return true;
  }
  return false;
}

}  // namespace hodor
