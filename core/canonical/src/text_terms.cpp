// Expressions in the canonical text: operators with the parentheses that their tree needs.
#include <utility>

#include "shown_names.hpp"
#include "text.hpp"

namespace hodor {

void TextForm::expr(NodeId id) {
  const bool breaks = std::exchange(breaks_, false);
  if (verbatim_ > 0) return plain(id);
  if (const std::optional<Term> only = grouping_.single(id)) return leaf(only->node);
  const std::size_t before = grouping_.size();
  const std::optional<std::uint32_t> root = grouping_.group(id);
  if (!root) return plain(id);
  breaks_ = breaks;
  term(*root);
  breaks_ = false;
  grouping_.release(before);
}

void TextForm::leaf(NodeId id) {
  breaks_ = false;
  if (tree_[id].kind == NodeKind::subquery && !sees_made_names_) {
    mark_selects_of_value(tree_, id, values_);
  }
  node(id);
}

void TextForm::term(std::uint32_t number) {
  const Term found = grouping_[number];
  if (found.kind != Term::Kind::infix) breaks_ = false;
  switch (found.kind) {
    case Term::Kind::leaf:
      return leaf(found.node);
    case Term::Kind::prefix:
      op(found.node);
      return operand(found.operands[0], found, false);
    case Term::Kind::postfix:
      if (tree_[found.node].kind == NodeKind::cast_postfix &&
          is_symbol(tree_.tokens[tree_[found.node].begin], tree_.sql, "::")) {
        return cast(tree_[found.node].first_child, &found, kNoNode);
      }
      operand(found.operands[0], found, true);
      return op(found.node);
    case Term::Kind::infix:
      return chain(number);
    case Term::Kind::three:
      operand(found.operands[0], found, true);
      op(found.node);
      operand(found.operands[1], found, false);
      op(found.second);
      return operand(found.operands[2], found, false);
  }
}

void TextForm::operand(std::uint32_t number, const Term& outer, bool is_left) {
  const bool wraps = needs_parens(number, outer, is_left);
  if (wraps) lines_.put("(");
  term(number);
  if (wraps) lines_.put(")");
}

// Whether the operand would be read as another one without them.
bool TextForm::needs_parens(std::uint32_t number, const Term& outer, bool is_left) const {
  const Term& inner = grouping_[number];
  if (inner.kind == Term::Kind::leaf) return false;
  const bool is_sequence = inner.kind == Term::Kind::infix || inner.kind == Term::Kind::three;
  if (outer.kind == Term::Kind::postfix && is_sequence) return true;  // people read it otherwise
  const bool is_cast =
      inner.kind == Term::Kind::postfix && tree_[inner.node].kind == NodeKind::cast_postfix;
  if (is_cast) return false;  // printed as a call
  const std::uint8_t level = inner.level.level;
  const std::uint8_t around = outer.level.level;
  // An arrow is clear only where it comes first.
  const bool is_arrow = outer.level.group == OperatorGroup::arrow;
  if (inner.level.group == OperatorGroup::arrow && !is_arrow) return true;
  if (outer.kind == Term::Kind::prefix) return level < around;
  const bool mixes_here = tree_.dialect == Dialect::duckdb
                              ? mixes(outer.level.group, inner.level.group)
                              : level != kPredicateLevel || around != kPredicateLevel;
  if (!mixes_here) return true;
  if (is_left) return level < around;
  if (is_arrow && tree_.token_text(tree_[outer.node].begin) == "->") return false;  // takes it all
  const bool is_loose =
      inner.kind == Term::Kind::prefix &&
      (inner.level.group == OperatorGroup::negation ||
       (inner.level.group == OperatorGroup::unary && tree_.dialect == Dialect::duckdb));
  if (is_loose && around >= kNotLevel) return true;
  return level <= around;
}

// Form flattens operands of one level on the left; here some need parentheses all the same.
void TextForm::chain(std::uint32_t number) {
  const bool breaks = std::exchange(breaks_, false);
  const std::uint8_t level = grouping_[number].level.level;
  const std::size_t first = spine_.size();
  std::uint32_t at = number;
  while (grouping_[at].kind == Term::Kind::infix && grouping_[at].level.level == level) {
    if (at != number && needs_parens(at, grouping_[spine_.back()], true)) lines_.put("(");
    spine_.push_back(at);
    at = grouping_[at].operands[0];
  }
  const bool has_lines = breaks && level <= 20;
  operand(at, grouping_[spine_.back()], true);
  if (has_lines) lines_.indent();
  while (spine_.size() > first) {
    const std::uint32_t here = spine_.back();
    const Term infix = grouping_[here];
    spine_.pop_back();
    if (has_lines) lines_.line();
    op(infix.node);
    operand(infix.operands[1], infix, false);
    if (here != number && needs_parens(here, grouping_[spine_.back()], true)) lines_.put(")");
  }
  if (has_lines) lines_.dedent();
}

void TextForm::op(NodeId id) {
  if (tree_[id].kind != NodeKind::op || tree_[id].first_child != kNoNode) return node(id);
  const std::string_view text = grouping_.text_of(id);
  lines_.put(text);
  if (tree_.has(id, flag::prefix) && tree_.tokens[tree_[id].begin].kind == TokenKind::op) {
    lines_.glue();
  }
}

void TextForm::cast(NodeId type_node, const Term* operand, NodeId expr_node) {
  lines_.put("cast");
  lines_.put("(", Gap::none);
  if (operand != nullptr) {
    term(operand->operands[0]);
  } else {
    expr(expr_node);
  }
  lines_.put("as");
  node(type_node);
  lines_.put(")");
}

}  // namespace hodor
