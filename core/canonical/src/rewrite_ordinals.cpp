// GROUP BY and ORDER BY by number.
//
// What: GROUP BY n is GROUP BY its item; GROUP BY ALL is GROUP BY the items that are plain columns;
//   ORDER BY n is ORDER BY the name of its column.
// Why sound: both engines put the item in place of the number. A name in GROUP BY means a column of
//   a source before an alias, as it does in the item; a single name in ORDER BY means an output
//   column before a column of a source. Executed.
// When not: an item that is a literal (GROUP BY would take it for a number again), has a subquery,
// a
//   window, a function that is volatile or not builtin, or names an alias of another item; items
//   that may be many columns (stars, COLUMNS, unnest, generators); names that come twice; GROUPING
//   SETS; GROUP BY ALL beside ORDER BY, HAVING or QUALIFY, or with an item that is neither a plain
//   column nor one of a few aggregates.
#include <algorithm>
#include <string>

#include "form.hpp"

namespace hodor {
namespace {

constexpr std::size_t kMostItems = 256;
constexpr std::uint32_t kLongestKey = 64;  // tokens: it is written once more

constexpr std::string_view kManyColumns[] = {
    "columns",    "unnest",           "explode",         "explode_outer",
    "posexplode", "inline",           "inline_outer",    "stack",
    "json_tuple", "posexplode_outer", "variant_explode", "variant_explode_outer"};

// How often a name is in a sorted list.
std::ptrdiff_t names_like(const std::vector<NameId>& names, NameId name) {
  const auto [first, last] = std::equal_range(names.begin(), names.end(), name);
  return last - first;
}

bool has_column(const Tree& tree, NodeId id) {
  if (tree[id].kind == NodeKind::column) return true;
  for (const NodeId child : children(tree, id)) {
    if (has_column(tree, child)) return true;
  }
  return false;
}

}  // namespace

bool may_be_many_columns(const Tree& tree) {
  return std::any_of(std::begin(kManyColumns), std::end(kManyColumns),
                     [&](std::string_view name) { return tree.names.find(name) != kNoName; });
}

// The items of a SELECT and their names.
void Form::note_items(NodeId select) {
  if (noted_ == select) return;
  noted_ = select;
  items_.clear();
  item_names_.clear();
  item_aliases_.clear();
  has_many_ = may_be_many_columns(tree_);
  const NodeId list = tree_.child(select, NodeKind::select_list);
  has_many_ = has_many_ || list == kNoNode;
  if (has_many_) return;
  for (const NodeId item : children(tree_, list)) {
    const NodeId expr = tree_.child(item, NodeKind::expr);
    const NodeId alias = tree_.child(item, NodeKind::alias);
    const NodeId leaf = expr == kNoNode ? kNoNode : opened_node(expr);
    NodeId name = alias == kNoNode ? kNoNode : tree_.child(alias, NodeKind::name);
    NameId given = name == kNoNode ? kNoName : tree_.tokens[tree_[name].begin].name;
    if (alias == kNoNode && leaf != kNoNode && tree_[leaf].kind == NodeKind::column) {
      given = tree_.tokens[tree_[leaf].end - 1].name;
    }
    has_many_ = has_many_ || expr == kNoNode || tree_.child(expr, NodeKind::star) != kNoNode ||
                (alias != kNoNode && (name == kNoNode || tree_[alias].last_child != name)) ||
                items_.size() == kMostItems;
    items_.push_back(item);
    item_names_.push_back(given);
    if (alias != kNoNode) item_aliases_.push_back(given);
    if (has_many_) return;
  }
  std::sort(item_names_.begin(), item_names_.end());
  std::sort(item_aliases_.begin(), item_aliases_.end());
}

// The item that a number means, or kNoNode.
NodeId Form::item_at(NodeId literal) const {
  const std::string_view text = tree_.token_text(tree_[literal].begin);
  if (has_many_ || !is_number(literal) || text.size() > 3) return kNoNode;
  std::size_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return kNoNode;
    number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  return number == 0 || number > items_.size() ? kNoNode : items_[number - 1];
}

// Whether all that stands in an expression means the same in GROUP BY.
bool Form::is_settled(NodeId id, NameId own_alias) const {
  switch (tree_[id].kind) {
    case NodeKind::type:
      return true;
    case NodeKind::subquery:
    case NodeKind::query:
    case NodeKind::over:
    case NodeKind::lambda:
    case NodeKind::star:
    case NodeKind::opaque:
      return false;
    case NodeKind::column: {
      const NameId name = tree_.tokens[tree_[id].begin].name;
      return tree_.names.word(name).volatile_word == nullptr &&
             names_like(item_aliases_, name) <= (name == own_alias ? 1 : 0);
    }
    case NodeKind::path: {
      const WordEntry& word = tree_.names.word(tree_.tokens[tree_[id].begin].name);
      return tree_[id].end == tree_[id].begin + 1 && word.volatile_word == nullptr &&
             (word.is_builtin_function || word.is_grammar_call);
    }
    default:
      break;
  }
  for (const NodeId child : children(tree_, id)) {
    if (!is_settled(child, own_alias)) return false;
  }
  return true;
}

bool Form::is_key(NodeId item) const {
  const NodeId expr = tree_.child(item, NodeKind::expr);
  const NodeId alias = tree_.child(item, NodeKind::alias);
  if (tree_[expr].end - tree_[expr].begin > kLongestKey) return false;
  const NodeId leaf = only_node(expr);
  if (leaf == kNoNode && tree_[tree_[expr].first_child].kind == NodeKind::parens) return false;
  NameId own = kNoName;
  if (alias != kNoNode) own = tree_.tokens[tree_[tree_.child(alias, NodeKind::name)].begin].name;
  return has_column(tree_, expr) && is_settled(expr, own);
}

// False: nothing in it is a number.
bool Form::group_by(NodeId id) {
  if (!rewrites() || select_ == kNoNode || tree_.has(id, flag::grouping_sets)) return false;
  const NodeId list = tree_.child(select_, NodeKind::select_list);
  if (tree_.has(id, flag::all)) return list != kNoNode && group_all(id, list);
  bool has_number = false;
  for (const NodeId child : children(tree_, id)) {
    const NodeId leaf = only_node(child);
    has_number = has_number || (leaf != kNoNode && is_number(leaf));
  }
  if (!has_number) return false;
  note_items(select_);
  preimage_.begin_list(name_of(NodeKind::group_by));
  std::uint32_t from = tree_[id].begin;
  for (const NodeId child : children(tree_, id)) {
    own_tokens(id, from, tree_[child].begin);
    from = tree_[child].end;
    const NodeId leaf = only_node(child);
    const NodeId item = leaf == kNoNode ? kNoNode : item_at(leaf);
    if (item != kNoNode && is_key(item)) {
      // Other expressions have names whose case counts, as fields of structs.
      const NodeId key = tree_.child(item, NodeKind::expr);
      folds_ = only_node(key) != kNoNode && tree_[only_node(key)].kind == NodeKind::column;
      expr(key);
      folds_ = false;
    } else {
      node(child);
    }
  }
  own_tokens(id, from, tree_[id].end);
  preimage_.end_list();
  return true;
}

// A call of an aggregate for which no column of the item is a key.
bool Form::is_known_aggregate(NodeId id) const {
  constexpr std::string_view kAggregates[] = {"sum", "count", "min", "max", "avg"};
  if (id == kNoNode || tree_[id].kind != NodeKind::call ||
      tree_.child(id, NodeKind::over) != kNoNode) {
    return false;
  }
  const Node& path = tree_[tree_[id].first_child];
  const std::string_view name = tree_.names.text(tree_.tokens[path.begin].name);
  return path.end == path.begin + 1 &&
         std::find(std::begin(kAggregates), std::end(kAggregates), name) != std::end(kAggregates);
}

bool Form::group_all(NodeId id, NodeId list) {
  if (is_sorted_ || tree_.child(select_, NodeKind::having) != kNoNode ||
      tree_.child(select_, NodeKind::qualify) != kNoNode ||
      tree_.child(select_, NodeKind::distinct) != kNoNode) {
    return false;
  }
  note_items(select_);
  if (has_many_) return false;
  std::size_t keys = 0;
  for (const NodeId item : children(tree_, list)) {
    const NodeId leaf = only_node(tree_.child(item, NodeKind::expr));
    if (leaf == kNoNode) return false;
    if (tree_[leaf].kind == NodeKind::column) {
      if (!is_key(item)) return false;
      ++keys;
      continue;
    }
    if (!is_known_aggregate(leaf)) return false;
  }
  if (keys == 0) return false;
  preimage_.begin_list(name_of(NodeKind::group_by));
  own_tokens(id, tree_[id].begin, tree_[id].end - 1);
  folds_ = true;
  for (const NodeId item : children(tree_, list)) {
    const NodeId expr_node = tree_.child(item, NodeKind::expr);
    if (tree_[only_node(expr_node)].kind == NodeKind::column) expr(expr_node);
  }
  folds_ = false;
  preimage_.end_list();
  return true;
}

// The order of a query whose body is one SELECT.
void Form::order_by(NodeId id, NodeId select) {
  if (!rewrites() || (tree_.has(id, flag::all) && !order_all(id, select))) {
    plain(id);
    return;
  }
  if (tree_.has(id, flag::all)) return;
  const std::uint32_t outer = matched_;
  if (matches_expressions(select)) ++matched_;
  order_items(id, select);
  matched_ = outer;
}

void Form::order_items(NodeId id, NodeId select) {
  preimage_.begin_list(name_of(NodeKind::order_by));
  std::uint32_t from = tree_[id].begin;
  for (const NodeId item : children(tree_, id)) {
    own_tokens(id, from, tree_[item].begin);
    from = tree_[item].end;
    const NodeId expr = tree_.child(item, NodeKind::expr);
    const NodeId leaf = expr == kNoNode ? kNoNode : only_node(expr);
    if (leaf == kNoNode || !is_number(leaf)) {
      node(item);
      continue;
    }
    note_items(select);
    preimage_.begin_list(name_of(NodeKind::order_item));
    if (!order_ordinal(select, leaf)) node(expr);
    own_tokens(item, tree_[expr].end, tree_[item].end);
    preimage_.end_list();
  }
  own_tokens(id, from, tree_[id].end);
  preimage_.end_list();
}

// DuckDB ORDER BY ALL, without any direction. False: an item has no name of its own.
bool Form::order_all(NodeId id, NodeId select) {
  const NodeId only = tree_[id].first_child;
  if (tree_.dialect != Dialect::duckdb || only != tree_[id].last_child ||
      tree_[only].end != tree_[only].begin + 1 || tree_[id].end != tree_[only].end) {
    return false;
  }
  note_items(select);
  if (has_many_) return false;
  const std::size_t before = preimage_.size();
  preimage_.begin_list(name_of(NodeKind::order_by));
  own_tokens(id, tree_[id].begin, tree_[only].begin);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) preimage_.text("", ",");
    preimage_.begin_list(name_of(NodeKind::order_item));
    if (!order_name(select, items_[i])) {
      preimage_.cut(before);
      return false;
    }
    preimage_.end_list();
  }
  preimage_.end_list();
  return true;
}

bool Form::order_ordinal(NodeId select, NodeId literal) {
  const NodeId item = item_at(literal);
  return item != kNoNode && order_name(select, item);
}

// Whether a single name in ORDER BY means this item. DuckDB knows an item without an alias by its
// expression: `select s.a from t order by a` sorts by a column of t, `select t.a from t, u order by
// a` is an error.
bool Form::sorts_as_output(NodeId select, NodeId item) const {
  if (tree_.dialect != Dialect::duckdb || tree_.child(item, NodeKind::alias) != kNoNode) {
    return true;
  }
  const NodeId leaf = opened_node(tree_.child(item, NodeKind::expr));
  if (leaf == kNoNode || tree_[leaf].kind != NodeKind::column) return false;
  const std::uint32_t first = tree_[leaf].begin;
  if (tree_[leaf].end == first + 1) return true;
  if (tree_[leaf].end != first + 3 || !has_one_source(select)) return false;
  const NameUse::Kind kind = naming_[first].kind;
  return kind == NameUse::Kind::source || kind == NameUse::Kind::dropped;
}

// FROM one table, subquery or function.
bool Form::has_one_source(NodeId select) const {
  const NodeId from = tree_.child(select, NodeKind::from);
  const NodeId item = from == kNoNode ? kNoNode : tree_[from].first_child;
  return item != kNoNode && item == tree_[from].last_child && tree_[item].first_child != kNoNode &&
         tree_[item].first_child == tree_[item].last_child &&
         tree_[tree_[item].first_child].kind != NodeKind::from_group &&
         tree_.child(select, NodeKind::lateral_view) == kNoNode;
}

// The name of an output column, where it is the only one of that name.
bool Form::order_name(NodeId select, NodeId item) {
  if (!sorts_as_output(select, item)) return false;
  const NodeId alias = tree_.child(item, NodeKind::alias);
  const NodeId leaf = opened_node(tree_.child(item, NodeKind::expr));
  std::uint32_t token = 0;
  if (alias != kNoNode) {
    token = tree_[tree_.child(alias, NodeKind::name)].begin;
  } else if (leaf != kNoNode && tree_[leaf].kind == NodeKind::column &&
             tree_[leaf].end <= tree_[leaf].begin + 3) {
    token = tree_[leaf].end - 1;
  } else {
    return false;
  }
  const NameId name = tree_.tokens[token].name;
  // An item without a name of its own may get any.
  if (name == kNoName || names_like(item_names_, name) != 1 ||
      names_like(item_names_, kNoName) != 0 || tree_.names.word(name).volatile_word != nullptr) {
    return false;
  }
  folds_ = true;
  const bool is_written = name_as(name_of(NodeKind::column), token);
  folds_ = false;
  return is_written;
}

}  // namespace hodor
