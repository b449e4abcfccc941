// CASE.
//
// What: CASE x WHEN y is CASE WHEN x = y; ELSE NULL goes.
// Why sound: Spark's parser makes CaseWhen(x = y) of the first; DuckDB's transformer makes the same
//   comparison of it; a CASE without ELSE gives NULL, with NULL's type.
// When not: x is more than a column or a literal (it would be computed again for each WHEN); ELSE
//   NULL on Spark inside an expression that names a column.
#include "form.hpp"

namespace hodor {

void Form::case_when(NodeId id) {
  const Node& node = tree_[id];
  NodeId child = node.first_child;
  if (verbatim_ > 0 || is_matched() || child == kNoNode) {
    plain(id);
    return;
  }
  NodeId operand = kNoNode;
  std::uint32_t from = node.begin;
  if (tree_[child].begin == node.begin + 1) {
    const NodeId leaf = only_node(child);
    const bool is_plain = leaf != kNoNode && (tree_[leaf].kind == NodeKind::column ||
                                              tree_[leaf].kind == NodeKind::literal);
    if (is_plain) {
      operand = child;
    }
  }
  const NodeId last = only_node(node.last_child);
  const bool drops_else = (tree_.dialect == Dialect::duckdb || (rewrites() && matched_ == 0)) &&
                          node.first_child != node.last_child && last != kNoNode &&
                          tree_[last].kind == NodeKind::literal &&
                          keyword(tree_[node.last_child].begin - 1, "else") &&
                          tree_[last].end == tree_[last].begin + 1 &&
                          is_word(tree_.tokens[tree_[last].begin], tree_.sql, "null");
  preimage_.begin_list(name_of(NodeKind::case_when));
  if (operand != kNoNode) {
    own_tokens(id, from, from + 1);
    from = tree_[operand].end;
    child = tree_[operand].next;
  }
  for (; child != kNoNode; child = tree_[child].next) {
    if (drops_else && child == node.last_child) {
      own_tokens(id, from, tree_[child].begin - 1);
    } else {
      own_tokens(id, from, tree_[child].begin);
      if (operand != kNoNode && keyword(tree_[child].begin - 1, "when")) {
        preimage_.begin_list("infix");
        expr(operand);
        preimage_.text("op", "=");
        expr(child);
        preimage_.end_list();
      } else {
        this->node(child);
      }
    }
    from = tree_[child].end;
  }
  own_tokens(id, from, node.end);
  preimage_.end_list();
}

}  // namespace hodor
