// How a text reads the relation that it builds: not at all, for a high-water mark, or otherwise.
//
// In:  a tree and the relation nodes that are the own relation.
// Out: high_water_mark only when a second run over equal inputs can be told to settle.
// Never: a guess. The proof follows the "spine": the SELECT whose WHERE holds the comparison, and
// the SELECTs that its rows pass through to become the result. Nothing else may read the own
// relation.
//
// Why the spine: with `col > (select max(c) from this)` a second run finds no new row *there*. That
// makes the result empty only if every row of the result comes from a row of the spine: an outer
// join from elsewhere, a set operation or a second use of the CTE gives rows without it. And max(c)
// has passed col only if c is that col, unchanged.
#include <algorithm>

#include "extractor.hpp"

namespace hodor {
namespace {

struct Mark {
  bool found = false;
  bool plain = false;     // column > (select max(c) from this)
  NodeId left = kNoNode;  // the compared column
  std::string own_column;
};

struct Level {
  NodeId select = kNoNode;
  std::string source;   // alias of the spine in this FROM, lower case
  bool single = false;  // it is the only source
};

class Spine {
 public:
  Spine(const Tree& tree, const std::vector<NodeId>& own) : tree_(tree), own_(own) {}
  OwnReadFacts judge();

 private:
  bool descend(NodeId query);
  bool select_passes(NodeId select);
  NodeId next_query(NodeId select, Level& level) const;
  NodeId cte_query(const std::string& name) const;
  std::vector<Mark> marks_in(NodeId select) const;
  Mark mark_of(const std::vector<NodeId>& conjunct) const;
  bool mark_query(NodeId subquery, Mark& mark) const;
  bool mark_value(NodeId expr, Mark& mark, int& extremes) const;
  bool constant_around(NodeId node, Mark& mark, int& marks) const;
  bool passes_column(const std::vector<Level>& levels, const Mark& mark) const;
  bool item_passes(const Level& level, const std::string& out, NodeId in_column,
                   const std::string& in_name) const;
  bool has_below(NodeId id, NodeKind kind) const;
  bool has_aggregate(NodeId id) const;

  const Tree& tree_;
  const std::vector<NodeId>& own_;
  std::vector<NodeId> withs_;
  std::vector<Level> levels_;
  std::vector<Mark> marks_;
  bool grouped_ = false;
  bool lone_aggregate_ = false;
};

bool is_kind(const Tree& tree, NodeId id, NodeKind kind) {
  return id != kNoNode && tree[id].kind == kind;
}

// Functions of a constant shift: they depend on their arguments only and keep the order of values.
bool is_shift(std::string_view name) {
  static constexpr std::string_view kShifts[] = {
      "add_months", "coalesce",     "date",      "date_add", "date_sub", "date_trunc",
      "dateadd",    "datetrunc",    "greatest",  "ifnull",   "least",    "nvl",
      "to_date",    "to_timestamp", "timestamp", "trunc"};
  return std::find(std::begin(kShifts), std::end(kShifts), name) != std::end(kShifts);
}

bool Spine::has_below(NodeId id, NodeKind kind) const {
  if (tree_[id].kind == kind) return true;
  for (const NodeId child : children(tree_, id)) {
    if (has_below(child, kind)) return true;
  }
  return false;
}

// An aggregate of this SELECT, not of a query inside of it.
bool Spine::has_aggregate(NodeId id) const {
  if (tree_[id].kind == NodeKind::query || tree_[id].kind == NodeKind::subquery) return false;
  if (tree_[id].kind == NodeKind::call && tree_.child(id, NodeKind::over) == kNoNode) {
    const NameId name = last_name_of(tree_, tree_[id].first_child);
    // A user's own function may be a macro around an aggregate.
    if (is_aggregate(tree_, name) || is_order_sensitive_call(tree_, id)) return true;
  }
  for (const NodeId child : children(tree_, id)) {
    if (has_aggregate(child)) return true;
  }
  return false;
}

OwnReadFacts Spine::judge() {
  if (own_.empty()) return {};
  const OwnReadFacts other{OwnReads::other, false};
  for (NodeId id = 1; id < tree_.nodes.size(); ++id) {
    const NodeKind kind = tree_[id].kind;
    if (kind == NodeKind::sample || kind == NodeKind::pivot || kind == NodeKind::unpivot) {
      return other;
    }
  }
  if (tree_[tree_.root].kind != NodeKind::query || !descend(tree_.root)) return other;
  if (marks_.size() != own_.size()) return other;
  bool plain = !lone_aggregate_;
  for (const Mark& mark : marks_) plain = plain && mark.plain && passes_column(levels_, mark);
  if (!plain && (grouped_ || lone_aggregate_)) return other;
  return {OwnReads::high_water_mark, plain};
}

// Down from the final SELECT until one whose WHERE holds the comparison.
bool Spine::descend(NodeId query) {
  for (std::size_t steps = 0; steps <= tree_.nodes.size(); ++steps) {
    NodeId body = kNoNode;
    for (const NodeId child : children(tree_, query)) {
      const NodeKind kind = tree_[child].kind;
      if (kind == NodeKind::with) {
        if (tree_.has(child, flag::recursive)) return false;
        withs_.push_back(child);
      } else if (kind == NodeKind::select && body == kNoNode) {
        body = child;
      } else if (kind != NodeKind::order_by) {
        return false;
      }
    }
    if (body == kNoNode) return false;
    Level level;
    level.select = body;
    if (!select_passes(body)) return false;
    marks_ = marks_in(body);
    const NodeId below = next_query(body, level);
    levels_.push_back(level);
    if (!marks_.empty()) return true;
    if (below == kNoNode) return false;
    query = below;
  }
  return false;
}

// No clause of this SELECT drops, numbers or compares rows by what other rows there are.
bool Spine::select_passes(NodeId select) {
  bool grouped = false;
  bool aggregate = false;
  for (const NodeId child : children(tree_, select)) {
    switch (tree_[child].kind) {
      case NodeKind::from:
      case NodeKind::hint:
        break;
      case NodeKind::distinct:
        if (tree_.has(child, flag::on)) return false;
        break;
      case NodeKind::select_list:
      case NodeKind::where:
        if (has_below(child, NodeKind::over) || has_below(child, NodeKind::opaque)) return false;
        aggregate = aggregate || has_aggregate(child);
        break;
      case NodeKind::group_by:
        if (tree_.has(child, flag::grouping_sets)) return false;
        grouped = true;
        break;
      default:
        return false;
    }
  }
  // Without GROUP BY an aggregate gives a row even over no rows.
  lone_aggregate_ = lone_aggregate_ || (aggregate && !grouped);
  grouped_ = grouped_ || grouped;
  return true;
}

// The query behind the first FROM item, when all its rows and only they go on.
NodeId Spine::next_query(NodeId select, Level& level) const {
  const NodeId from = tree_.child(select, NodeKind::from);
  if (from == kNoNode) return kNoNode;
  const NodeId item = tree_[from].first_child;
  if (item == kNoNode) return kNoNode;
  level.single =
      tree_[from].last_child == item && tree_[item].first_child == tree_[item].last_child;
  const NodeId factor = tree_[item].first_child;
  if (factor == kNoNode) return kNoNode;
  const NodeId alias = tree_.child(factor, NodeKind::alias);
  if (alias != kNoNode) {
    if (tree_.child(alias, NodeKind::column_names) != kNoNode) return kNoNode;
    level.source = last_name(tree_, tree_[alias].first_child);
  }
  for (NodeId next = tree_[factor].next; next != kNoNode; next = tree_[next].next) {
    const std::uint32_t bad = flag::right | flag::full | flag::semi | flag::anti | flag::natural |
                              flag::asof | flag::positional;
    if (tree_[next].kind != NodeKind::join || tree_.has(next, bad)) return kNoNode;
  }
  if (is_kind(tree_, factor, NodeKind::derived)) {
    const NodeId inner = tree_.child(factor, NodeKind::subquery);
    return inner == kNoNode ? kNoNode : tree_.child(inner, NodeKind::query);
  }
  if (!is_kind(tree_, factor, NodeKind::relation)) return kNoNode;
  const NodeId path = tree_.child(factor, NodeKind::path);
  if (path == kNoNode) return kNoNode;
  if (level.source.empty()) level.source = last_name(tree_, path);
  if (names_in(tree_, path).size() != 1) return kNoNode;
  return cte_query(last_name(tree_, path));
}

// The CTE of that name, when there is one and it is read once.
NodeId Spine::cte_query(const std::string& name) const {
  NodeId found = kNoNode;
  int definitions = 0;
  int uses = 0;
  for (NodeId id = 1; id < tree_.nodes.size(); ++id) {
    if (tree_[id].kind == NodeKind::relation) {
      const NodeId path = tree_.child(id, NodeKind::path);
      if (path != kNoNode && last_name(tree_, path) == name) ++uses;
    } else if (tree_[id].kind == NodeKind::cte && tree_[id].first_child != kNoNode &&
               last_name(tree_, tree_[id].first_child) == name) {
      ++definitions;
    }
  }
  for (const NodeId with : withs_) {
    for (const NodeId cte : children(tree_, with)) {
      if (tree_[cte].kind != NodeKind::cte || tree_[cte].first_child == kNoNode) continue;
      if (last_name(tree_, tree_[cte].first_child) == name) found = cte;
    }
  }
  if (found == kNoNode || definitions != 1 || uses != 1) return kNoNode;
  if (tree_.child(found, NodeKind::column_names) != kNoNode) return kNoNode;
  return tree_.child(found, NodeKind::query);
}

// The comparisons with the own relation among the conditions that WHERE joins by AND.
std::vector<Mark> Spine::marks_in(NodeId select) const {
  const NodeId where = tree_.child(select, NodeKind::where);
  const NodeId expr = where == kNoNode ? kNoNode : tree_.child(where, NodeKind::expr);
  if (expr == kNoNode) return {};
  std::vector<std::vector<NodeId>> conjuncts(1);
  for (const NodeId node : children(tree_, expr)) {
    if (tree_[node].kind == NodeKind::op) {
      const std::string word = lower_case(tree_.text(node));
      if (word == "or") return {};
      if (word == "and" && !tree_.has(node, flag::between_and)) {
        conjuncts.emplace_back();
        continue;
      }
    }
    conjuncts.back().push_back(node);
  }
  std::vector<Mark> marks;
  for (const std::vector<NodeId>& conjunct : conjuncts) {
    const Mark mark = mark_of(conjunct);
    if (mark.found) marks.push_back(mark);
  }
  return marks;
}

// column > value or column >= value, where the value holds one mark and otherwise constants.
Mark Spine::mark_of(const std::vector<NodeId>& conjunct) const {
  if (conjunct.size() < 3 || !is_kind(tree_, conjunct[0], NodeKind::column)) return {};
  if (!is_kind(tree_, conjunct[1], NodeKind::op)) return {};
  const std::string_view op = tree_.text(conjunct[1]);
  if (op != ">" && op != ">=") return {};
  Mark mark;
  mark.left = conjunct[0];
  int marks = 0;
  for (std::size_t i = 2; i < conjunct.size(); ++i) {
    if (!constant_around(conjunct[i], mark, marks)) return {};
  }
  if (marks != 1) return {};
  mark.found = true;
  mark.plain = mark.plain && conjunct.size() == 3 && op == ">" &&
               is_kind(tree_, conjunct[2], NodeKind::subquery);
  return mark;
}

bool Spine::constant_around(NodeId node, Mark& mark, int& marks) const {
  switch (tree_[node].kind) {
    case NodeKind::subquery:
      ++marks;
      return mark_query(node, mark);
    case NodeKind::literal:
    case NodeKind::type:
    case NodeKind::path:
    case NodeKind::cast_postfix:
      return true;
    case NodeKind::op: {
      const std::string_view op = tree_.text(node);
      return op == "+" || op == "-";
    }
    case NodeKind::call:
      if (!is_shift(last_name(tree_, tree_[node].first_child)) ||
          tree_.child(node, NodeKind::over) != kNoNode) {
        return false;
      }
      break;
    case NodeKind::expr:
    case NodeKind::argument:
    case NodeKind::parens:
    case NodeKind::cast:
    case NodeKind::interval:
      break;
    default:
      return false;
  }
  for (const NodeId child : children(tree_, node)) {
    if (!constant_around(child, mark, marks)) return false;
  }
  return true;
}

// (select f(max(c)) from this)
bool Spine::mark_query(NodeId subquery, Mark& mark) const {
  const NodeId query = tree_[subquery].first_child;
  if (!is_kind(tree_, query, NodeKind::query)) return false;
  const NodeId select = tree_[query].first_child;
  if (!is_kind(tree_, select, NodeKind::select) || tree_[query].last_child != select) return false;
  const NodeId list = tree_[select].first_child;
  if (!is_kind(tree_, list, NodeKind::select_list)) return false;
  const NodeId from = tree_[list].next;
  if (!is_kind(tree_, from, NodeKind::from) || tree_[select].last_child != from) return false;
  const NodeId item = tree_[from].first_child;
  if (!is_kind(tree_, item, NodeKind::from_item) || tree_[from].last_child != item) return false;
  const NodeId relation = tree_[item].first_child;
  if (relation == kNoNode || tree_[item].last_child != relation) return false;
  if (std::find(own_.begin(), own_.end(), relation) == own_.end()) return false;
  for (const NodeId child : children(tree_, relation)) {
    if (tree_[child].kind != NodeKind::path && tree_[child].kind != NodeKind::alias) return false;
  }
  const NodeId column = tree_[list].first_child;
  if (column == kNoNode || tree_[list].last_child != column) return false;
  const NodeId expr = tree_.child(column, NodeKind::expr);
  int extremes = 0;
  if (expr == kNoNode || !mark_value(expr, mark, extremes) || extremes != 1) return false;
  const NodeId operand = only_operand(tree_, expr);
  mark.plain = is_kind(tree_, operand, NodeKind::call) &&
               last_name(tree_, tree_[operand].first_child) == "max";
  return true;
}

// f(max(c)): one max or min of a plain column, with shifts and constants around it.
bool Spine::mark_value(NodeId node, Mark& mark, int& extremes) const {
  if (tree_[node].kind == NodeKind::call) {
    const std::string name = last_name(tree_, tree_[node].first_child);
    if (name == "max" || name == "min") {
      ++extremes;
      if (tree_[node].flags != 0) return false;
      const NodeId argument = tree_[tree_[node].first_child].next;
      if (!is_kind(tree_, argument, NodeKind::argument) || tree_[node].last_child != argument) {
        return false;
      }
      const NodeId expr = tree_[argument].first_child;
      const NodeId column = expr == kNoNode ? kNoNode : only_operand(tree_, expr);
      if (!is_kind(tree_, column, NodeKind::column)) return false;
      mark.own_column = last_name(tree_, column);
      return true;
    }
    if (!is_shift(name) || tree_.child(node, NodeKind::over) != kNoNode) return false;
  } else if (tree_[node].kind == NodeKind::op) {
    return tree_.text(node) == "+" || tree_.text(node) == "-";
  } else if (tree_[node].kind == NodeKind::literal || tree_[node].kind == NodeKind::type ||
             tree_[node].kind == NodeKind::path || tree_[node].kind == NodeKind::cast_postfix) {
    return true;
  } else if (tree_[node].kind != NodeKind::expr && tree_[node].kind != NodeKind::argument &&
             tree_[node].kind != NodeKind::parens && tree_[node].kind != NodeKind::cast &&
             tree_[node].kind != NodeKind::interval) {
    return false;
  }
  for (const NodeId child : children(tree_, node)) {
    if (!mark_value(child, mark, extremes)) return false;
  }
  return true;
}

// Is the result's column c the compared column, unchanged on the whole spine?
bool Spine::passes_column(const std::vector<Level>& levels, const Mark& mark) const {
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    if (!item_passes(levels[i], mark.own_column, kNoNode, mark.own_column)) return false;
  }
  return item_passes(levels.back(), mark.own_column, mark.left, last_name(tree_, mark.left));
}

// One item gives `out`, and it is the plain column `in_name` of the spine (or exactly `in_column`).
bool Spine::item_passes(const Level& level, const std::string& out, NodeId in_column,
                        const std::string& in_name) const {
  const NodeId list = tree_.child(level.select, NodeKind::select_list);
  if (list == kNoNode) return level.single && out == in_name;
  const auto from_spine = [&](const std::vector<std::string>& names) {
    if (in_column != kNoNode) {
      const std::vector<std::string> compared = names_in(tree_, in_column);
      if (compared.size() == names.size()) {
        return std::equal(
            names.begin(), names.end(), compared.begin(),
            [](const auto& a, const auto& b) { return lower_case(a) == lower_case(b); });
      }
      return level.single && names.size() <= 2 && compared.size() <= 2;
    }
    return names.size() == 1 ? level.single
                             : names.size() == 2 && lower_case(names.front()) == level.source;
  };
  int matches = 0;
  bool passes = false;
  for (const NodeId item : children(tree_, list)) {
    const NodeId expr = tree_.child(item, NodeKind::expr);
    const NodeId operand = expr == kNoNode ? kNoNode : only_operand(tree_, expr);
    if (is_kind(tree_, operand, NodeKind::star)) {
      if (tree_[operand].first_child != kNoNode) return false;  // EXCLUDE, REPLACE, ...
      const std::vector<std::string> qualifier = names_in(tree_, operand);
      bool spine = level.single;
      if (!spine && qualifier.size() == 1) {
        spine = lower_case(qualifier.front()) == level.source;
        if (in_column != kNoNode) {
          const std::vector<std::string> compared = names_in(tree_, in_column);
          spine =
              compared.size() == 2 && lower_case(compared.front()) == lower_case(qualifier.front());
        }
      }
      if (!spine && !level.single) {
        // A star of another source may hold a column of that name too.
        if (qualifier.empty()) return false;
        continue;
      }
      if (out == in_name) {
        ++matches;
        passes = true;
      }
      continue;
    }
    std::string name;
    if (!item_name(tree_, item, name) || lower_case(name) != out) continue;
    ++matches;
    passes = is_kind(tree_, operand, NodeKind::column) && last_name(tree_, operand) == in_name &&
             from_spine(names_in(tree_, operand));
  }
  return matches == 1 && passes;
}

}  // namespace

OwnReadFacts judge_own_reads(const Tree& tree, const std::vector<NodeId>& own) {
  return Spine(tree, own).judge();
}

bool names_own(const std::vector<std::string>& parts, const std::vector<std::string>& own) {
  if (parts.empty() || parts.size() > own.size()) return false;
  return std::equal(parts.rbegin(), parts.rend(), own.rbegin(),
                    [](const auto& a, const auto& b) { return lower_case(a) == lower_case(b); });
}

}  // namespace hodor
