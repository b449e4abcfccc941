// Precedence climbing over one flat expression at a time. See grouping.hpp.
#include "grouping.hpp"

namespace hodor {
namespace {

constexpr std::uint32_t kMostPrefixes = 64;  // NOT NOT NOT ...: beyond it the text stays as it is

}  // namespace

// A word in lower case, a symbol as it is.
std::string_view Grouping::word_of(std::uint32_t token) const {
  const Token& t = tree_.tokens[token];
  return t.kind == TokenKind::identifier ? tree_.names.text(t.name) : t.text(tree_.sql);
}

std::string_view Grouping::text_of(NodeId op) {
  const Node& node = tree_[op];
  if (node.end == node.begin + 1) {
    const std::string_view text = word_of(node.begin);
    return text == "!=" ? "<>" : text == "==" ? "=" : text;
  }
  text_.clear();
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    if (!text_.empty()) text_ += ' ';
    text_ += word_of(i);
  }
  return text_;
}

OperatorLevel Grouping::level_of(NodeId op, OperatorPlace place) const {
  const Node& node = tree_[op];
  std::string_view first = word_of(node.begin);
  if (first == "not" && node.end > node.begin + 1) first = word_of(node.begin + 1);
  return operator_level(first, place, tree_.dialect);
}

std::uint32_t Grouping::add(Term::Kind kind, OperatorLevel level, NodeId node, std::uint32_t first,
                            std::uint32_t second) {
  Term& term = terms_.emplace_back();
  term.kind = kind;
  term.level = level;
  term.node = node;
  term.operands[0] = first;
  term.operands[1] = second;
  return static_cast<std::uint32_t>(terms_.size() - 1);
}

std::optional<Term> Grouping::single(NodeId expr) const {
  const Node& node = tree_[expr];
  if (node.first_child == kNoNode || node.first_child != node.last_child) return std::nullopt;
  const Node& only = tree_[node.first_child];
  const bool is_whole = only.begin == node.begin && only.end == node.end;
  if (!is_whole || only.kind == NodeKind::op || only.kind == NodeKind::parens) return std::nullopt;
  Term term;
  term.node = node.first_child;
  return term;
}

std::optional<std::uint32_t> Grouping::group(NodeId expr) {
  if (open_ == items_.size()) items_.emplace_back();
  std::vector<NodeId>& items = items_[open_];
  items.clear();
  std::uint32_t at = tree_[expr].begin;
  bool is_covered = true;  // else the expression has tokens of its own, which no term would hold
  for (const NodeId child : children(tree_, expr)) {
    is_covered = is_covered && tree_[child].begin == at;
    at = tree_[child].end;
    items.push_back(child);
  }
  if (!is_covered || at != tree_[expr].end) return std::nullopt;
  Cursor cursor;
  cursor.items = items;
  if (!arrows_are_clear(cursor)) return std::nullopt;
  const auto first = static_cast<std::uint32_t>(terms_.size());
  ++open_;
  const std::optional<std::uint32_t> root = sequence(cursor, 1);
  const bool is_whole = root && cursor.at == cursor.items.size();
  if (is_whole) open_parens(first);
  --open_;
  if (!is_whole) {
    terms_.resize(first);
    return std::nullopt;
  }
  return root;
}

// An operator is infix when an operand comes after it.
bool Grouping::is_infix(const Cursor& cursor) const {
  if (cursor.at + 1 >= cursor.items.size()) return false;
  const NodeId after = cursor.items[cursor.at + 1];
  switch (tree_[after].kind) {
    case NodeKind::op:
      return tree_.has(after, flag::prefix);
    case NodeKind::cast_postfix:
    case NodeKind::subscript:
    case NodeKind::field:
    case NodeKind::json_path:
      return false;
    default:
      return true;
  }
}

std::optional<std::uint32_t> Grouping::sequence(Cursor& cursor, std::uint8_t least) {
  std::optional<std::uint32_t> left = operand(cursor, least);
  while (left && cursor.at < cursor.items.size()) {
    const NodeId item = cursor.items[cursor.at];
    if (tree_[item].kind != NodeKind::op) return std::nullopt;
    if (tree_.has(item, flag::between_and)) return left;  // of a BETWEEN further out
    if (!is_infix(cursor)) {
      const OperatorLevel level = level_of(item, OperatorPlace::postfix);
      if (level.level == 0 || !mixes_with(level, *left)) return std::nullopt;
      if (level.level < least) return left;
      if (binds_looser(*left, level)) return std::nullopt;
      ++cursor.at;
      left = add(Term::Kind::postfix, level, item, *left);
      continue;
    }
    const OperatorLevel level = level_of(item, OperatorPlace::infix);
    if (level.level == 0) {
      // ESCAPE belongs to the LIKE that asked for it.
      return text_of(item) == "escape" ? left : std::nullopt;
    }
    if (level.level < least) return left;
    left = infix(cursor, *left, level);
  }
  return left;
}

std::optional<std::uint32_t> Grouping::infix(Cursor& cursor, std::uint32_t left,
                                             OperatorLevel level) {
  const NodeId op = cursor.items[cursor.at++];
  if (binds_looser(left, level)) return std::nullopt;
  if (!mixes_with(level, left)) return std::nullopt;
  const std::optional<std::uint32_t> right = right_side(cursor, op, level);
  if (!right || !mixes_with(level, *right)) return std::nullopt;
  const std::uint32_t term = add(Term::Kind::infix, level, op, left, *right);
  return third(cursor, term);
}

std::optional<std::uint32_t> Grouping::right_side(Cursor& cursor, NodeId op, OperatorLevel level) {
  const std::string_view text = text_of(op);
  const bool is_arrow = text == "->";
  if (text == "in" || text == "not in") {
    if (cursor.at == cursor.items.size()) return std::nullopt;
    const NodeId list = cursor.items[cursor.at];
    if (tree_[list].kind != NodeKind::parens && tree_[list].kind != NodeKind::subquery) {
      return std::nullopt;  // DuckDB `a in b`
    }
    ++cursor.at;
    const std::uint32_t leaf = add(Term::Kind::leaf, {}, list);
    terms_[leaf].in_parens = true;
    return leaf;
  }
  if (cursor.only_arrows) return operand(cursor, kPostfixLevel);
  return sequence(cursor, is_arrow ? 1 : static_cast<std::uint8_t>(level.level + 1));
}

// Arrows chain to the left. Among other operators one arrow is clear, when it is the first.
bool Grouping::arrows_are_clear(Cursor& cursor) const {
  std::uint32_t arrows = 0;
  std::uint32_t others = 0;
  bool first_is_arrow = false;
  for (const NodeId item : cursor.items) {
    if (tree_[item].kind != NodeKind::op) continue;
    const std::string_view text = tree_.token_text(tree_[item].begin);
    const bool is_arrow = text == "->" || text == "->>";
    if (is_arrow && arrows + others == 0) first_is_arrow = true;
    (is_arrow ? arrows : others) += 1;
  }
  cursor.only_arrows = arrows > 0 && others == 0;
  return arrows == 0 || cursor.only_arrows || (arrows == 1 && first_is_arrow);
}

// x BETWEEN a AND b, x LIKE a ESCAPE b
std::optional<std::uint32_t> Grouping::third(Cursor& cursor, std::uint32_t term) {
  if (terms_[term].level.group != OperatorGroup::pattern) return term;
  const bool between = text_of(terms_[term].node).find("between") != std::string_view::npos;
  const bool comes = cursor.at < cursor.items.size() &&
                     tree_[cursor.items[cursor.at]].kind == NodeKind::op &&
                     (between ? tree_.has(cursor.items[cursor.at], flag::between_and)
                              : text_of(cursor.items[cursor.at]) == "escape");
  if (!comes) return between ? std::nullopt : std::optional(term);
  const NodeId second = cursor.items[cursor.at++];
  const std::optional<std::uint32_t> right =
      sequence(cursor, static_cast<std::uint8_t>(terms_[term].level.level + 1));
  if (!right || !mixes_with(terms_[term].level, *right)) return std::nullopt;
  terms_[term].kind = Term::Kind::three;
  terms_[term].second = second;
  terms_[term].operands[2] = *right;
  return term;
}

std::optional<std::uint32_t> Grouping::operand(Cursor& cursor, std::uint8_t least) {
  if (cursor.at == cursor.items.size()) return std::nullopt;
  const NodeId item = cursor.items[cursor.at];
  if (tree_[item].kind == NodeKind::op) {
    if (!tree_.has(item, flag::prefix)) return std::nullopt;
    if (!is_signed_number(cursor)) return prefixed(cursor, least);
    const NodeId number = cursor.items[cursor.at + 1];
    cursor.at += 2;
    const std::uint32_t leaf = add(Term::Kind::leaf, {}, number);
    const OperatorLevel level{kPostfixLevel, OperatorGroup::plain};
    return followed(cursor, add(Term::Kind::prefix, level, item, leaf));
  }
  ++cursor.at;
  return followed(cursor, add(Term::Kind::leaf, {}, item));
}

// Spark takes the sign of a number for a part of it: -128::tinyint is (-128)::tinyint.
bool Grouping::is_signed_number(const Cursor& cursor) {
  if (tree_.dialect != Dialect::databricks || cursor.at + 1 == cursor.items.size()) return false;
  const Node& next = tree_[cursor.items[cursor.at + 1]];
  return text_of(cursor.items[cursor.at]) == "-" && next.kind == NodeKind::literal &&
         tree_.tokens[next.begin].kind == TokenKind::number;
}

std::uint32_t Grouping::followed(Cursor& cursor, std::uint32_t term) {
  constexpr OperatorLevel level{kPostfixLevel, OperatorGroup::plain};
  while (cursor.at < cursor.items.size() && is_followed_by(cursor.items[cursor.at])) {
    const NodeId after = cursor.items[cursor.at++];
    term = add(Term::Kind::postfix, level, after, term);
  }
  return term;
}

bool Grouping::is_followed_by(NodeId after) const {
  switch (tree_[after].kind) {
    case NodeKind::cast_postfix:
    case NodeKind::subscript:
    case NodeKind::field:
    case NodeKind::json_path:
    case NodeKind::star:
      return true;
    case NodeKind::call:
      return tree_.has(after, flag::method);
    default:
      return false;
  }
}

std::optional<std::uint32_t> Grouping::prefixed(Cursor& cursor, std::uint8_t least) {
  const NodeId op = cursor.items[cursor.at];
  const OperatorLevel level = level_of(op, OperatorPlace::prefix);
  const bool loose = level.group == OperatorGroup::negation ||
                     (level.group == OperatorGroup::unary && tree_.dialect == Dialect::duckdb);
  // NOT and the like below a tighter operator: engines differ in what they take then.
  if (level.level == 0 || (loose && least > kNotLevel)) return std::nullopt;
  if (++cursor.prefixes > kMostPrefixes) return std::nullopt;
  ++cursor.at;
  const std::optional<std::uint32_t> right = sequence(cursor, level.level);
  --cursor.prefixes;
  if (!right) return std::nullopt;
  return add(Term::Kind::prefix, level, op, *right);
}

// `a is null + b`, `a is true collate c`: what binds less tightly came first.
bool Grouping::binds_looser(std::uint32_t left, OperatorLevel level) const {
  const Term& before = terms_[left];
  return before.kind != Term::Kind::leaf && !before.in_parens && before.level.level < level.level;
}

bool Grouping::mixes_with(OperatorLevel outer, std::uint32_t operand) const {
  const Term& term = terms_[operand];
  if (term.in_parens || term.kind == Term::Kind::leaf) return true;
  if (tree_.dialect == Dialect::databricks) {
    // Spark takes one IS, IN, LIKE or BETWEEN, another only in parentheses.
    return outer.level != kPredicateLevel || term.level.level != kPredicateLevel;
  }
  return mixes(outer.group, term.level.group);
}

// (a AND b) before another AND: Spark shows how it grouped them, and groups a longer chain in the
// middle.
bool Grouping::is_chain_of(std::uint32_t operand, OperatorLevel level) const {
  const NodeId expr = inside(terms_[operand].node);
  if (tree_.dialect != Dialect::databricks || level.level >= kNotLevel || expr == kNoNode) {
    return false;
  }
  for (const NodeId child : children(tree_, expr)) {
    const bool is_op = tree_[child].kind == NodeKind::op;
    if (is_op && level_of(child, OperatorPlace::infix).level == level.level) return true;
    // ((a AND b)) AND c
    if (tree_[child].kind == NodeKind::parens &&
        tree_[expr].first_child == tree_[expr].last_child) {
      return true;
    }
  }
  return false;
}

// Parentheses among the terms from `first` on give way to what is in them, where they only group.
void Grouping::open_parens(std::uint32_t first) {
  const auto end = static_cast<std::uint32_t>(terms_.size());
  for (std::uint32_t i = first; i < end; ++i) {
    const Term& term = terms_[i];
    const bool follows = term.kind == Term::Kind::postfix &&
                         tree_[term.node].kind != NodeKind::op &&
                         tree_[term.node].kind != NodeKind::cast_postfix;
    const bool sign =
        term.kind == Term::Kind::prefix && term.level.group != OperatorGroup::negation;
    const bool arrow = term.kind == Term::Kind::infix && term.level.group == OperatorGroup::arrow;
    const bool chain = keeps_chains_ && term.kind == Term::Kind::infix &&
                       term.operands[0] >= first && is_chain_of(term.operands[0], term.level);
    if ((follows || sign || arrow || chain) && term.operands[0] >= first) {
      terms_[term.operands[0]].keeps = true;
    }
    const int operands = term.kind == Term::Kind::infix   ? 2
                         : term.kind == Term::Kind::three ? 3
                                                          : 0;
    for (int operand = 0; operand < operands; ++operand) {
      if (term.operands[operand] >= first) terms_[term.operands[operand]].between = true;
    }
  }
  for (std::uint32_t i = first; i < end; ++i) {
    if (terms_[i].keeps || terms_[i].kind != Term::Kind::leaf || terms_[i].in_parens) continue;
    const NodeId expr = inside(terms_[i].node);
    if (expr == kNoNode || keeps_parens(expr, terms_[i].between)) continue;
    const std::optional<std::uint32_t> root = group(expr);
    if (!root) continue;
    terms_[i] = terms_[*root];
    terms_[i].in_parens = true;
  }
}

NodeId Grouping::in_parens(NodeId expr) const {
  NodeId found = kNoNode;
  while (tree_[expr].kind == NodeKind::expr && tree_[expr].first_child != kNoNode &&
         tree_[expr].first_child == tree_[expr].last_child &&
         tree_[tree_[expr].first_child].begin == tree_[expr].begin &&
         tree_[tree_[expr].first_child].end == tree_[expr].end) {
    const NodeId next = inside(tree_[expr].first_child);
    if (next == kNoNode) break;
    found = expr = next;
  }
  return found;
}

// The expression in parentheses around one expression and nothing else.
NodeId Grouping::inside(NodeId parens) const {
  const Node& node = tree_[parens];
  if (node.kind != NodeKind::parens || node.first_child == kNoNode ||
      node.first_child != node.last_child) {
    return kNoNode;
  }
  const Node& argument = tree_[node.first_child];
  const bool whole = argument.begin == node.begin + 1 && argument.end + 1 == node.end;
  if (!whole || argument.kind != NodeKind::argument || argument.flags != 0 ||
      argument.first_child != argument.last_child || argument.first_child == kNoNode ||
      tree_[argument.first_child].kind != NodeKind::expr) {
    return kNoNode;
  }
  return argument.first_child;
}

// (1), (-1), (*), (a.*), ((select 1)): a literal may mean another thing without them, if it is not
// `between` operators.
bool Grouping::keeps_parens(NodeId expr, bool between) const {
  NodeId last = kNoNode;
  bool is_signed = false;
  for (const NodeId child : children(tree_, expr)) {
    if (tree_[child].kind == NodeKind::op && tree_.has(child, flag::prefix)) {
      is_signed = true;
      continue;
    }
    if (last != kNoNode) return false;
    last = child;
  }
  switch (tree_[last].kind) {
    case NodeKind::literal:
      return is_signed || !between;
    case NodeKind::star:
    case NodeKind::subquery:
    case NodeKind::lambda:
      return true;
    case NodeKind::parens:
      return tree_[last].first_child == kNoNode;  // GROUP BY (())
    default:
      return false;
  }
}

}  // namespace hodor
