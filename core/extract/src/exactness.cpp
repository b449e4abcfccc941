// See exactness.hpp. Values are followed by the names that select items give them; whatever passes
// them on by place, or under another name, makes every name suspect.
#include "exactness.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "extractor.hpp"

namespace hodor {
namespace {

#define EXACT_FUNCTION(name) name,
constexpr std::string_view kExactFunctions[] = {
#include "exact_words.inc"
};
#undef EXACT_FUNCTION
#define EXACT_TYPE(name) name,
constexpr std::string_view kExactTypes[] = {
#include "exact_words.inc"
};
#undef EXACT_TYPE
constexpr std::string_view kExactBytes = "&*+-<=>|~";  // symbols of one byte
constexpr std::string_view kExactSymbols[] = {
    // and of several
    "!=", "!~", "!~*", "!~~", "!~~*", "&&", "->", "->>", "<<", "<=",  "<>",
    "<@", "==", ">=",  ">>",  "@>",   "^@", "||", "~*",  "~~", "~~*",
};
// Aggregates whose value is a number of rows or a truth: equal values count alike.
constexpr std::string_view kCounts[] = {"approx_count_distinct",
                                        "bool_and",
                                        "bool_or",
                                        "count",
                                        "count_if",
                                        "count_star",
                                        "countif",
                                        "regr_count"};

constexpr int kMaxRounds = 16;          // of following names; beyond, every name is suspect
constexpr std::size_t kMaxDigits = 38;  // of an exact number (DECIMAL, HUGEINT)

template <class List>
bool in(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

const WordSet& exact_functions() {
  static const WordSet words(Dialect::duckdb, kExactFunctions);
  return words;
}

const WordSet& exact_types() {
  static const WordSet words(Dialect::duckdb, kExactTypes);
  return words;
}

const WordSet& counts() {
  static const WordSet words(Dialect::duckdb, kCounts);
  return words;
}

bool is_exact_symbol(std::string_view symbol) {
  return symbol.size() == 1 ? kExactBytes.find(symbol[0]) != std::string_view::npos
                            : in(kExactSymbols, symbol);
}

class Judge {
 public:
  Judge(const Tree& tree, NodeId final_select)
      : tree_(tree),
        final_list_(final_select == kNoNode ? kNoNode
                                            : tree.child(final_select, NodeKind::select_list)) {}

  Exactness run() {
    Exactness found{false, false, false};
    for (NodeId id = 1; id < tree_.nodes.size(); ++id) look_at(id, found);
    for (std::uint32_t i = 0; i < tree_.tokens.size(); ++i) {
      if (is_inexact_token(tree_.tokens[i])) makers_.push_back(i);
    }
    for (std::vector<std::uint32_t>* places : {&makers_, &aggregates_, &stars_}) {
      std::sort(places->begin(), places->end());
    }
    found.inexact = !makers_.empty();
    found.mixes = found.inexact && found.merges && mixes();
    return found;
  }

 private:
  void look_at(NodeId id, Exactness& found) {
    const Node& node = tree_[id];
    switch (node.kind) {
      case NodeKind::call:
        call(id, found);
        break;
      case NodeKind::type:
        if (!is_exact_type(id)) makers_.push_back(node.begin);
        break;
      case NodeKind::op:
        if (tree_.tokens[node.begin].kind != TokenKind::identifier &&
            !is_exact_symbol(tree_.token_text(node.begin))) {
          makers_.push_back(node.begin);
        }
        break;
      case NodeKind::interval:
      case NodeKind::opaque:
      case NodeKind::file:
        makers_.push_back(node.begin);
        break;
      case NodeKind::set_operator:
        found.merges |= !tree_.has(id, flag::set_union) || !tree_.has(id, flag::set_all);
        break;
      case NodeKind::star:
        stars_.push_back(node.begin);
        break;
      case NodeKind::group_by:
      case NodeKind::distinct:
        found.merges = true;
        break;
      default:
        break;
    }
    by_place_ |= passes_on_by_place(node.kind);
  }

  void call(NodeId id, Exactness& found) {
    const NodeId path = tree_[id].first_child;
    const bool named = path != kNoNode && tree_[path].kind == NodeKind::path;
    const NameId name = named ? last_name_of(tree_, path) : kNoName;
    const bool aggregates = is_aggregate(tree_, name);
    if (!exact_functions().has(tree_.names, name)) makers_.push_back(tree_[id].begin);
    if (!named || (aggregates && !counts().has(tree_.names, name))) {
      found.merges = true;
      merging_calls_.push_back(id);
    }
    if (aggregates && tree_.child(id, NodeKind::over) == kNoNode)
      aggregates_.push_back(tree_[id].begin);
  }

  // Kinds that give columns other names than an alias does, or none.
  static bool passes_on_by_place(NodeKind kind) {
    switch (kind) {
      case NodeKind::set_operations:
      case NodeKind::column_names:
      case NodeKind::values:
      case NodeKind::pivot_query:
      case NodeKind::pivot:
      case NodeKind::unpivot:
      case NodeKind::lateral_view:
      case NodeKind::table_function:
      case NodeKind::file:
      case NodeKind::star_option:
      case NodeKind::describe:
      case NodeKind::pipe:
      case NodeKind::using_key:
      case NodeKind::opaque:
      case NodeKind::statement:
        return true;
      default:
        return false;
    }
  }

  bool is_exact_type(NodeId id) const {
    const NodeId path = tree_.child(id, NodeKind::path);
    if (path == kNoNode) return false;
    const Token& first = tree_.tokens[tree_[path].begin];
    return exact_types().has(tree_.names, first.name);
  }

  bool is_inexact_token(const Token& token) const {
    if (token.kind == TokenKind::parameter) return true;  // GROUP BY #1
    if (token.kind != TokenKind::number) return false;
    const std::string_view text = token.text(tree_.sql);
    return text.find_first_of("eE") != std::string_view::npos || text.size() > kMaxDigits;
  }

  bool mixes() {
    for (int round = 0; !by_place_ && follow_names(); ++round) by_place_ |= round == kMaxRounds;
    if (by_place_) return true;
    for (const NodeId id : merging_calls_) {
      for (const NodeId child : children(tree_, id)) {
        if (tree_[child].kind == NodeKind::argument && is_suspect(child)) return true;
      }
    }
    for (NodeId id = 1; id < tree_.nodes.size(); ++id) {
      if (tree_[id].kind == NodeKind::select && select_mixes(id)) return true;
    }
    return false;
  }

  // Whether a name became suspect. Names: of columns, and of CTEs and subqueries as whole rows.
  bool follow_names() {
    const std::size_t before = suspects_.size();
    for (NodeId id = 1; id < tree_.nodes.size(); ++id) {
      const NodeKind kind = tree_[id].kind;
      if (kind == NodeKind::select_item) {
        follow_item(id);
      } else if ((kind == NodeKind::cte || kind == NodeKind::derived) && is_suspect(id)) {
        suspect_names_of(kind == NodeKind::cte ? tree_.child(id, NodeKind::name)
                                               : tree_.child(id, NodeKind::alias));
      }
    }
    return suspects_.size() != before;
  }

  void follow_item(NodeId item) {
    if (!is_suspect(item)) return;
    const std::uint32_t name = item_name_token(tree_, item);
    if (name != kNone && tree_.tokens[name].name != kNoName) {
      suspects_.insert(tree_.tokens[name].name);
    } else if (name != kNone) {
      by_place_ = true;  // DuckDB takes a string for an alias
    } else {
      by_place_ |= parent_of(item) != final_list_ && !is_of_value(item);
    }
  }

  // Whether an item is one of a subquery that stands for a value, inside of the expression that
  // uses it.
  bool is_of_value(NodeId item) {
    NodeId id = parent_of(parent_of(item));
    if (tree_[id].kind != NodeKind::select) return false;
    do id = parents_[id];
    while (tree_[id].kind == NodeKind::query || tree_[id].kind == NodeKind::subquery);
    return tree_[id].kind == NodeKind::expr || tree_[id].kind == NodeKind::argument;
  }

  NodeId parent_of(NodeId child) {
    if (parents_.empty()) {
      parents_.resize(tree_.nodes.size(), kNoNode);
      for (NodeId id = 0; id < tree_.nodes.size(); ++id) {
        for (const NodeId below : children(tree_, id)) parents_[below] = id;
      }
    }
    return parents_[child];
  }

  void suspect_names_of(NodeId id) {
    if (id == kNoNode) return;
    for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; ++i) {
      if (tree_.tokens[i].name != kNoName) suspects_.insert(tree_.tokens[i].name);
    }
  }

  bool select_mixes(NodeId id) const {
    const NodeId list = tree_.child(id, NodeKind::select_list);
    const bool distinct = tree_.child(id, NodeKind::distinct) != kNoNode;
    const NodeId group_by = tree_.child(id, NodeKind::group_by);
    if (group_by != kNoNode && is_suspect(group_by)) return true;
    if (!distinct && (group_by == kNoNode || !takes_items(group_by))) return false;
    if (list == kNoNode) return !suspects_.empty();  // FROM-first: a star
    for (const NodeId item : children(tree_, list)) {
      const bool may_pass_on = !suspects_.empty() && holds_one_of(stars_, tree_[item]);
      if (!may_pass_on && !is_suspect(item)) continue;
      if (distinct || !holds_one_of(aggregates_, tree_[item])) return true;
    }
    return false;
  }

  // GROUP BY ALL, GROUP BY 1
  bool takes_items(NodeId group_by) const {
    if (tree_.has(group_by, flag::all)) return true;
    for (std::uint32_t i = tree_[group_by].begin; i < tree_[group_by].end; ++i) {
      if (tree_.tokens[i].kind == TokenKind::number) return true;
    }
    return false;
  }

  static bool holds_one_of(const std::vector<std::uint32_t>& sorted, const Node& node) {
    const auto first = std::lower_bound(sorted.begin(), sorted.end(), node.begin);
    return first != sorted.end() && *first < node.end;
  }

  bool is_suspect(NodeId id) const {
    const Node& node = tree_[id];
    if (holds_one_of(makers_, node)) return true;
    if (suspects_.empty()) return false;
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const NameId name = tree_.tokens[i].name;
      if (name != kNoName && suspects_.contains(name)) return true;
    }
    return false;
  }

  const Tree& tree_;
  NodeId final_list_;                      // its items' names are the text's columns
  std::vector<std::uint32_t> makers_;      // tokens where an inexact value may begin
  std::vector<std::uint32_t> aggregates_;  // tokens where an aggregate begins
  std::vector<std::uint32_t> stars_;
  std::vector<NodeId> parents_;  // made when first needed
  std::vector<NodeId> merging_calls_;
  std::set<NameId> suspects_;  // names that may stand for inexact values
  bool by_place_ = false;
};

}  // namespace

Exactness judge_exactness(const Tree& tree, NodeId final_select) {
  if (tree.dialect != Dialect::duckdb || !tree.exact()) return {};
  return Judge(tree, final_select).run();
}

}  // namespace hodor
