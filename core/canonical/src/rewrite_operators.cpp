// Operators that have two spellings, and negations.
//
// What and why sound:
//   Spark: `<=>` is IS NOT DISTINCT FROM, `!` is NOT, REGEXP is RLIKE, `<>` is NOT (=): its parser
//     makes one tree of them (AstBuilder).
//   DuckDB: `**` is `^`, `~~` is LIKE, `!~~` NOT LIKE, `~~~` GLOB, ISNULL and NOTNULL are IS [NOT]
//     NULL: executed on 1.5.5 and 2.0.1 over NULLs and mixed types.
//   NOT x IN (..) is x NOT IN (..), the same for BETWEEN, LIKE, IS NULL, IS DISTINCT FROM: Spark's
//     parser makes one tree of them; on DuckDB executed. Three-valued logic has it so.
//   a AND (b AND c) is a AND b AND c, OR the same: three-valued logic is associative.
//   ON a.x = b.y is ON b.y = a.x: equality and its coercion are symmetric.
// When not: where the two give a column two names (DuckDB `**`, NOT x LIKE; Spark NOT x IS NULL);
//   NOT x LIKE ANY (..), which is not x NOT LIKE ANY
//   (..); NOT over a chain of operators; sides that are more than a column.
#include <utility>

#include "form.hpp"

namespace hodor {
namespace {

struct Pair {
  std::string_view text;
  std::string_view other;
};

constexpr Pair kDuckDB[] = {
    {"**", "^"},
    {"~~", "like"},
    {"!~~", "not like"},
    {"~~~", "glob"},
    {"isnull", "is null"},
    {"notnull", "is not null"},
    {"not null", "is not null"},
};
constexpr Pair kSpark[] = {
    {"<=>", "is not distinct from"},
    {"!", "not"},
    {"regexp", "rlike"},
    {"not regexp", "not rlike"},
};
constexpr Pair kOpposites[] = {
    {"in", "not in"},
    {"like", "not like"},
    {"ilike", "not ilike"},
    {"rlike", "not rlike"},
    {"between", "not between"},
    {"is null", "is not null"},
    {"is not distinct from", "is distinct from"},
};

// Whether the name of a column is the same with this operator and with NOT before its opposite.
bool shows_opposite(std::string_view op, Dialect dialect) {
  if (dialect == Dialect::databricks) return op != "is not null";
  return op == "not in" || op == "not between";
}

std::string_view find(std::span<const Pair> pairs, std::string_view text) {
  for (const Pair& pair : pairs) {
    if (pair.text == text) return pair.other;
  }
  return {};
}

}  // namespace

// As it counts. Valid until the next call.
std::string_view Form::operator_text(NodeId op) {
  std::string_view text = grouping_.text_of(op);
  const bool spark = tree_.dialect == Dialect::databricks;
  // DuckDB prints `**`, and one text for both of the others.
  if (verbatim_ == 0 && !is_matched() && (spark || visible_ == 0 || text != "**")) {
    const std::string_view one = spark ? find(kSpark, text) : find(kDuckDB, text);
    if (!one.empty()) text = one;
  }
  if (op != negated_) return text;
  return spark && text == "=" ? "<>" : find(kOpposites, text);
}

// NOT x IN (..) as x NOT IN (..). False: it is another negation.
bool Form::negated_term(const Term& negation) {
  if (verbatim_ > 0 || is_matched()) return false;
  const std::string_view word = grouping_.text_of(negation.node);
  if (word != "not" && word != "!") return false;
  const std::uint32_t number = negation.operands[0];
  const Term operand = grouping_[number];
  if (operand.kind == Term::Kind::leaf || operand.kind == Term::Kind::prefix) return false;
  if (tree_[operand.node].kind != NodeKind::op || tree_[operand.node].first_child != kNoNode) {
    return false;
  }
  const Term left = grouping_[operand.operands[0]];
  if (left.kind == Term::Kind::infix && left.level.level == operand.level.level) return false;
  if (operand.kind == Term::Kind::infix) {
    const Term right = grouping_[operand.operands[1]];
    // NOT x LIKE ANY (..): the negation would go inside.
    const std::uint32_t first = tree_[right.node].begin;
    const bool is_call = right.kind == Term::Kind::leaf && tree_[right.node].kind == NodeKind::call;
    for (const std::string_view quantifier : {"any", "all", "some"}) {
      if (is_call && is_word(tree_.tokens[first], tree_.sql, quantifier)) return false;
    }
  }
  const NodeId before = std::exchange(negated_, operand.node);
  const std::string_view opposite = operator_text(operand.node);
  bool has_opposite = !opposite.empty();
  // Where Spark compares expressions it tells these two apart, as in names.
  if (visible_ > 0 || matched_ > 0) {
    has_opposite = has_opposite && shows_opposite(opposite, tree_.dialect);
  }
  negated_ = before;
  if (!has_opposite) return false;
  negated_ = operand.node;
  term(number);
  negated_ = before;
  return true;
}

// The operators of one level without the list around them.
void Form::links(std::uint32_t number) {
  const std::uint8_t level = grouping_[number].level.level;
  const std::size_t first = spine_.size();
  while (grouping_[number].kind == Term::Kind::infix && grouping_[number].level.level == level) {
    spine_.push_back(number);
    number = grouping_[number].operands[0];
  }
  link_operand(number, level);
  while (spine_.size() > first) {
    const Term infix = grouping_[spine_.back()];
    spine_.pop_back();
    op(infix.node);
    link_operand(infix.operands[1], level);
  }
}

void Form::link_operand(std::uint32_t number, std::uint8_t level) {
  constexpr std::uint8_t kOrLevel = 10;
  constexpr std::uint8_t kAndLevel = 20;
  const bool is_flat = (level == kOrLevel || level == kAndLevel) && rewrites() &&
                       grouping_[number].kind == Term::Kind::infix &&
                       grouping_[number].level.level == level;
  if (is_flat) {
    links(number);
  } else {
    term(number);
  }
}

// ON a = b with plain columns: the lesser of the two as they are written comes first.
bool Form::swapped_equality(const Term& infix) {
  if (!in_on_ || !rewrites()) return false;
  const Term left = grouping_[infix.operands[0]];
  const Term right = grouping_[infix.operands[1]];
  const auto is_column = [this](const Term& term) {
    return term.kind == Term::Kind::leaf && tree_[term.node].kind == NodeKind::column;
  };
  if (!is_column(left) || !is_column(right)) return false;
  const std::string_view text = operator_text(infix.node);
  if (text != "=" && text != "is not distinct from") return false;
  preimage_.begin_list("infix");
  const std::size_t begin = preimage_.size();
  leaf(left.node);
  const std::size_t middle = preimage_.size();
  op(infix.node);
  const std::size_t after = preimage_.size();
  leaf(right.node);
  preimage_.order(begin, middle, after);
  preimage_.end_list();
  return true;
}

}  // namespace hodor
