// WHERE without what is always true.
//
// What: conjuncts TRUE and n = n (one number written twice) of WHERE go; WHERE TRUE goes.
// Why sound: x AND TRUE is x in three-valued logic; a row passes WHERE where it is true.
// When not: HAVING (it makes an aggregation of the query), ON (a join without a condition is
// another
//   join), inside an expression that names a column; where one operand is left that could be no
//   truth value (a column, a call, a literal): AND gives it a cast that WHERE alone need not give.
#include "form.hpp"

namespace hodor {

namespace {

// An operator that gives a truth value: a comparison, a test, NOT, OR.
bool is_truth(const Term& term, Dialect dialect) {
  const std::uint8_t least = 10;
  const std::uint8_t most = dialect == Dialect::duckdb ? 50 : 40;
  return term.kind != Term::Kind::leaf && term.level.level >= least && term.level.level <= most;
}

}  // namespace

bool Form::is_true(std::uint32_t number) const {
  const auto literal = [this](const Term& term) {
    return term.kind == Term::Kind::leaf && tree_[term.node].kind == NodeKind::literal &&
           tree_[term.node].end == tree_[term.node].begin + 1;
  };
  const Term term = grouping_[number];
  if (literal(term)) return is_word(tree_.tokens[tree_[term.node].begin], tree_.sql, "true");
  if (term.kind != Term::Kind::infix) return false;
  const Term left = grouping_[term.operands[0]];
  const Term right = grouping_[term.operands[1]];
  const std::string_view text = tree_.token_text(tree_[term.node].begin);
  return tree_[term.node].end == tree_[term.node].begin + 1 && (text == "=" || text == "==") &&
         literal(left) && literal(right) && is_number(left.node) && is_number(right.node) &&
         tree_.token_text(tree_[left.node].begin) == tree_.token_text(tree_[right.node].begin);
}

// Elsewhere it is an error.
bool Form::is_behind_from(NodeId where) const {
  if (select_ == kNoNode) return false;
  for (const NodeId child : children(tree_, select_)) {
    if (child == where) return true;
    switch (tree_[child].kind) {
      case NodeKind::hint:
      case NodeKind::distinct:
      case NodeKind::select_list:
      case NodeKind::from:
      case NodeKind::lateral_view:
        break;
      default:
        return false;
    }
  }
  return false;
}

// False: nothing of the condition goes.
bool Form::where(NodeId id) {
  constexpr std::uint8_t kAndLevel = 20;
  const NodeId only = tree_[id].first_child;
  if (!rewrites() || !is_behind_from(id) || only == kNoNode || only != tree_[id].last_child)
    return false;
  const NodeId inside = grouping_.in_parens(only);
  const NodeId condition = inside == kNoNode ? only : inside;
  if (const NodeId leaf = only_node(condition); leaf != kNoNode) {
    return tree_[leaf].kind == NodeKind::literal && tree_[leaf].end == tree_[leaf].begin + 1 &&
           is_word(tree_.tokens[tree_[leaf].begin], tree_.sql, "true");
  }
  const std::size_t before = grouping_.size();
  const std::optional<std::uint32_t> root = grouping_.group(condition);
  if (!root) return false;
  const std::size_t first = conjuncts_.size();
  std::size_t all = 0;
  spine_.push_back(*root);
  const std::size_t bottom = spine_.size();
  while (spine_.size() >= bottom) {
    const std::uint32_t number = spine_.back();
    spine_.pop_back();
    const Term& term = grouping_[number];
    if (term.kind == Term::Kind::infix && term.level.level == kAndLevel) {
      spine_.push_back(term.operands[1]);
      spine_.push_back(term.operands[0]);
      continue;
    }
    ++all;
    if (!is_true(number)) conjuncts_.push_back(number);
  }
  const std::size_t left = conjuncts_.size() - first;
  const bool is_clear = left != 1 || is_truth(grouping_[conjuncts_[first]], tree_.dialect);
  const bool drops = left < all && is_clear;
  if (drops && left > 0) {
    preimage_.begin_list(name_of(NodeKind::where));
    own_tokens(id, tree_[id].begin, tree_[only].begin);
    if (left > 1) preimage_.begin_list("infix");
    for (std::size_t i = first; i < first + left; ++i) {
      if (i > first) preimage_.text("op", "and");
      term(conjuncts_[i]);
    }
    if (left > 1) preimage_.end_list();
    preimage_.end_list();
  }
  conjuncts_.resize(first);
  grouping_.release(before);
  return drops;
}

}  // namespace hodor
