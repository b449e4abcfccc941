// Items of SELECT.
//
// What: (a) without an alias is a; Spark a AS a, in the same letters, is a; q.* is * where q is all
// of
//   the FROM; an alias behind the first branch of a set operation goes where the text has it once;
//   a list of column names of a CTE stands as aliases of its items.
// Why sound: both engines name the column a in each case; one source has all of the star's columns;
//   a set operation has the names of its first branch. Executed.
// When not: a alias whose case differs, a name that is written as a number, a FROM with a join,
//   LATERAL VIEW or another item.
#include "form.hpp"

namespace hodor {

// An alias that every version takes for one.
bool Form::is_certain_alias(NodeId alias) const {
  return keyword(tree_[alias].begin, "as") ||
         is_plain_name(tree_[tree_.child(alias, NodeKind::name)].begin);
}

bool Form::is_own_name(NodeId column, NodeId alias) const {
  const NodeId name = tree_.child(alias, NodeKind::name);
  if (name == kNoNode || tree_[alias].last_child != name || !is_certain_alias(alias)) return false;
  const std::uint32_t own = tree_[column].end - 1;
  const std::uint32_t given = tree_[name].begin;
  const auto counts_as_text = [this](std::uint32_t token) {
    const NameUse::Kind kind = naming_[token].kind;
    return kind == NameUse::Kind::folded || kind == NameUse::Kind::keeps_case;
  };
  return tree_.tokens[own].kind == TokenKind::identifier &&
         tree_.tokens[given].kind == TokenKind::identifier &&
         tree_.names.word(tree_.tokens[own].name).volatile_word == nullptr &&
         tree_.token_text(own) == tree_.token_text(given) && counts_as_text(own) &&
         counts_as_text(given);
}

// q.* where q is the only source of its SELECT.
bool Form::is_whole_source(NodeId star) const {
  if (star != item_star_ || tree_[star].end != tree_[star].begin + 3 || select_ == kNoNode ||
      naming_[tree_[star].begin].kind != NameUse::Kind::source) {
    return false;
  }
  return has_one_source(select_);
}

// A star, but for options that name columns: its columns have the names that they have in the
// sources.
bool Form::is_named_by_sources(NodeId expr) const {
  const NodeId star = only_node(expr);
  if (star == kNoNode || tree_[star].kind != NodeKind::star) return false;
  for (const NodeId option : children(tree_, star)) {
    const std::uint32_t begin = tree_[option].begin;
    const bool leaves_out = tree_[option].kind == NodeKind::star_option &&
                            (keyword(begin, "exclude") || keyword(begin, "except"));
    if (!leaves_out) return false;
  }
  return true;
}

// EXCLUDE (a, b), EXCLUDE a: names of columns, whose case counts on neither engine.
bool Form::excluded_columns(NodeId option) {
  const Node& node = tree_[option];
  const bool leaves_out = node.kind == NodeKind::star_option && visible_ == 0 &&
                          (keyword(node.begin, "exclude") || keyword(node.begin, "except"));
  if (!leaves_out || node.first_child == kNoNode) return false;
  for (const NodeId column : children(tree_, option)) {
    if (tree_[column].kind != NodeKind::column) return false;
  }
  preimage_.begin_list(name_of(NodeKind::star_option));
  own_tokens(option, node.begin, node.begin + 1);
  for (const NodeId column : children(tree_, option)) {
    preimage_.begin_list(name_of(NodeKind::column));
    for (std::uint32_t i = tree_[column].begin; i < tree_[column].end; i += 2) {
      name(i, {NameUse::Kind::folded, 0});
    }
    preimage_.end_list();
  }
  preimage_.end_list();
  return true;
}

// False: the item is written as it stands.
bool Form::rewritten_item(NodeId expr_node, NodeId alias) {
  if (!rewrites() || expr_node == kNoNode || tree_[expr_node].kind != NodeKind::expr) return false;
  if (select_ == given_select_ && given_name_ != kNoNode) {
    expr(expr_node);
    preimage_.begin_list(name_of(NodeKind::alias));
    node(given_name_);
    preimage_.end_list();
    given_name_ = tree_[given_name_].next;
    return true;
  }
  const NodeId inside = grouping_.in_parens(expr_node);
  const NodeId leaf = only_node(inside == kNoNode ? expr_node : inside);
  const bool is_column = leaf != kNoNode && tree_[leaf].kind == NodeKind::column;
  if (leaf != kNoNode && tree_[leaf].kind == NodeKind::star) {
    if (alias == kNoNode && inside == kNoNode) item_star_ = leaf;
    return false;
  }
  const bool is_branch = select_ < branches_.size() && branches_[select_];
  if (is_branch) {
    const NodeId name = alias == kNoNode ? kNoNode : tree_.child(alias, NodeKind::name);
    const bool is_lost =
        alias == kNoNode ||
        (name != kNoNode && tree_[alias].last_child == name && is_certain_alias(alias) &&
         tree_.names.is_ascii(tree_.tokens[tree_[name].begin].name) &&
         count_of(tree_[name].begin) == 1);
    if (is_lost) {
      folds_ = is_column;
      expr(inside != kNoNode && is_column ? inside : expr_node);
      folds_ = false;
      return true;
    }
  }
  if (!is_column || (alias == kNoNode ? inside == kNoNode : !is_own_name(leaf, alias)))
    return false;
  // DuckDB names a column without an alias as its table does, whatever the case it is written in.
  const bool duckdb = tree_.dialect == Dialect::duckdb;
  if (alias != kNoNode && (inside != kNoNode || duckdb)) return false;
  kept_token_ = tree_[leaf].end - 1;
  node(leaf);
  kept_token_ = 0;
  return true;
}

}  // namespace hodor
