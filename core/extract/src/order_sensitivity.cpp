// Does the result depend on the order of input rows? When unsure: yes.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "extractor.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {
namespace {

#define SENSITIVE(name) name,
#define INSENSITIVE(name)
constexpr std::string_view kSensitiveDuckdb[] = {
#define DUCKDB
#include "aggregates.inc"
#undef DUCKDB
};
constexpr std::string_view kSensitiveDatabricks[] = {
#define DATABRICKS
#include "aggregates.inc"
#undef DATABRICKS
};
#undef SENSITIVE
#undef INSENSITIVE
#define SENSITIVE(name)
#define INSENSITIVE(name) name,
constexpr std::string_view kInsensitiveDuckdb[] = {
#define DUCKDB
#include "aggregates.inc"
#undef DUCKDB
};
constexpr std::string_view kInsensitiveDatabricks[] = {
#define DATABRICKS
#include "aggregates.inc"
#undef DATABRICKS
};
#undef SENSITIVE
#undef INSENSITIVE

bool is_sensitive(const Tree& tree, NameId name) {
  static const WordSet duckdb(Dialect::duckdb, kSensitiveDuckdb);
  static const WordSet databricks(Dialect::databricks, kSensitiveDatabricks);
  return (tree.dialect == Dialect::duckdb ? duckdb : databricks).has(tree.names, name);
}

bool is_insensitive(const Tree& tree, NameId name) {
  static const WordSet duckdb(Dialect::duckdb, kInsensitiveDuckdb);
  static const WordSet databricks(Dialect::databricks, kInsensitiveDatabricks);
  return (tree.dialect == Dialect::duckdb ? duckdb : databricks).has(tree.names, name);
}

// Equal for rows that the window's ORDER BY does not tell apart.
bool is_ranking(std::string_view name) {
  static constexpr std::string_view kRanking[] = {"cume_dist", "dense_rank", "percent_rank", "rank",
                                                  "rank_dense"};
  return std::find(std::begin(kRanking), std::end(kRanking), name) != std::end(kRanking);
}

// LIMIT 0, LIMIT NULL, OFFSET 0
bool is_zero_or_null(const Tree& tree, NodeId id) {
  const NodeId expr = tree.child(id, NodeKind::expr);
  const NodeId operand = expr == kNoNode ? kNoNode : only_operand(tree, expr);
  if (operand == kNoNode || tree[operand].kind != NodeKind::literal) return false;
  return tree.text(operand) == "0" || lower_case(tree.text(operand)) == "null";
}

// ARRAY(SELECT ...): the rows in their order.
bool takes_query(const Tree& tree, NodeId call) {
  const NodeId argument = tree.child(call, NodeKind::argument);
  if (argument == kNoNode || tree[argument].first_child == kNoNode) return false;
  return tree[tree[argument].first_child].kind == NodeKind::query ||
         tree.text(argument).starts_with("(");
}

}  // namespace

bool is_aggregate(const Tree& tree, NameId name) {
  return is_sensitive(tree, name) || is_insensitive(tree, name);
}

bool is_order_sensitive_call(const Tree& tree, NodeId call) {
  const NodeId path = tree[call].first_child;
  if (path == kNoNode || tree[path].kind != NodeKind::path) return true;
  const NameId name = last_name_of(tree, path);
  const WordEntry& word = tree.names.word(name);
  const bool is_qualified = single_name_of(tree, path) != name;
  const NodeId over = tree.child(call, NodeKind::over);
  if (over != kNoNode) {
    if (is_ranking(tree.names.text(name))) return false;
    const NodeId spec = tree.child(over, NodeKind::window_spec);
    const bool framed = spec == kNoNode || tree.child(spec, NodeKind::frame) != kNoNode ||
                        tree.child(spec, NodeKind::name) != kNoNode;
    return framed || !is_insensitive(tree, name);
  }
  if (is_sensitive(tree, name)) return true;
  if (word.text == "array" && takes_query(tree, call)) return true;
  // A user's own function may hold anything.
  const bool known = word.is_builtin_function || is_insensitive(tree, name);
  return is_qualified ? !tree.has(call, flag::method) && !known : !known && !word.is_grammar_call;
}

void Extractor::order_marks(NodeId id) {
  bool sensitive = false;
  switch (tree_[id].kind) {
    case NodeKind::limit:
      sensitive = !tree_.has(id, flag::all) && !is_zero_or_null(tree_, id);
      break;
    case NodeKind::offset:
      sensitive = !is_zero_or_null(tree_, id);
      break;
    case NodeKind::fetch:
    case NodeKind::using_key:
      sensitive = true;
      break;
    case NodeKind::distinct:
      sensitive = tree_.has(id, flag::on);
      break;
    case NodeKind::op:  // COLLATE: which of several spellings stands for all is a matter of order
      sensitive = tree_[id].first_child != kNoNode;
      break;
    case NodeKind::type:
      for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; ++i) {
        sensitive |= is_word(tree_.tokens[i], tree_.sql, "collate");
      }
      break;
    case NodeKind::join:
      sensitive = tree_.has(id, flag::asof | flag::positional);
      break;
    case NodeKind::sample:
      sensitive = true;
      if (!tree_.has(id, flag::repeatable)) add_volatile(id, VolatileClass::always);
      break;
    case NodeKind::pivot_for:
    case NodeKind::pivot_on:
      pivot_types(id);
      break;
    default:
      break;
  }
  facts_.order_sensitive |= sensitive;
}

}  // namespace hodor
