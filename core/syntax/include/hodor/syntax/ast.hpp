// The syntax tree of one text: nodes in one vector, each with its tokens and its children.
//
// In:  nothing; this is data that the parser makes.
// Out: kinds, token ranges, flags, children in the order of the text.
// Never: text of its own, or a meaning that the tokens do not have: names are not resolved here.
//
// Every node has the same shape, so that a walk, a hash or a check over the tree cannot forget the
// fields of one kind (missed fields are how two different texts come to one hash).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hodor/syntax/dialect.hpp"
#include "hodor/syntax/names.hpp"
#include "hodor/syntax/token.hpp"

namespace hodor {

enum class NodeKind : std::uint8_t {
#define NODE(name, children) name,
#include "hodor/syntax/ast.def"
#undef NODE
};
std::string_view name_of(NodeKind kind);

// What a node's tokens say beyond its kind. A bit means one thing for one kind (see ast.def).
namespace flag {
inline constexpr std::uint32_t recursive = 1U << 0;     // with
inline constexpr std::uint32_t materialized = 1U << 0;  // cte
inline constexpr std::uint32_t not_materialized = 1U << 1;
inline constexpr std::uint32_t set_union = 1U << 0;  // set_operator
inline constexpr std::uint32_t set_except = 1U << 1;
inline constexpr std::uint32_t set_intersect = 1U << 2;
inline constexpr std::uint32_t set_all = 1U << 3;
inline constexpr std::uint32_t set_by_name = 1U << 4;
inline constexpr std::uint32_t from_first = 1U << 0;  // select
inline constexpr std::uint32_t on = 1U << 0;          // distinct
inline constexpr std::uint32_t unpivot = 1U << 0;     // pivot_query
inline constexpr std::uint32_t summarize = 1U << 0;   // describe
inline constexpr std::uint32_t show = 1U << 1;
inline constexpr std::uint32_t all = 1U << 0;              // group_by, order_by, limit
inline constexpr std::uint32_t grouping_sets = 1U << 1;    // group_by
inline constexpr std::uint32_t percent = 1U << 1;          // limit
inline constexpr std::uint32_t with_ties = 1U << 0;        // fetch
inline constexpr std::uint32_t repeatable = 1U << 0;       // sample
inline constexpr std::uint32_t lateral = 1U << 0;          // from_item
inline constexpr std::uint32_t with_ordinality = 1U << 0;  // table_function
inline constexpr std::uint32_t comma = 1U << 0;            // join
inline constexpr std::uint32_t inner = 1U << 1;
inline constexpr std::uint32_t left = 1U << 2;
inline constexpr std::uint32_t right = 1U << 3;
inline constexpr std::uint32_t full = 1U << 4;
inline constexpr std::uint32_t cross = 1U << 5;
inline constexpr std::uint32_t semi = 1U << 6;
inline constexpr std::uint32_t anti = 1U << 7;
inline constexpr std::uint32_t natural = 1U << 8;
inline constexpr std::uint32_t asof = 1U << 9;
inline constexpr std::uint32_t positional = 1U << 10;
inline constexpr std::uint32_t join_lateral = 1U << 11;
inline constexpr std::uint32_t outer = 1U << 0;        // lateral_view
inline constexpr std::uint32_t prefix = 1U << 0;       // op
inline constexpr std::uint32_t between_and = 1U << 1;  // op: the AND of a BETWEEN
inline constexpr std::uint32_t distinct = 1U << 0;     // call
inline constexpr std::uint32_t method = 1U << 1;
inline constexpr std::uint32_t star_argument = 1U << 2;
inline constexpr std::uint32_t named = 1U << 0;  // argument
inline constexpr std::uint32_t rows = 1U << 0;   // frame
inline constexpr std::uint32_t range = 1U << 1;
inline constexpr std::uint32_t groups = 1U << 2;
inline constexpr std::uint32_t try_cast = 1U << 0;  // cast
}  // namespace flag

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0;  // node 0 exists but is never a child

struct Node {
  NodeKind kind = NodeKind::opaque;
  std::uint32_t flags = 0;
  std::uint32_t begin = 0;  // tokens [begin, end)
  std::uint32_t end = 0;
  NodeId first_child = kNoNode;
  NodeId last_child = kNoNode;
  NodeId next = kNoNode;  // sibling
};

// A place that the parser did not understand.
struct Problem {
  std::uint32_t token = 0;
  const char* what = "";  // static text
};

struct Tree {
  std::string_view sql;  // the caller keeps the text alive
  Dialect dialect = Dialect::duckdb;
  std::vector<Token> tokens;
  Names names = Names(Dialect::duckdb);  // of the tokens
  std::vector<Node> nodes;
  std::vector<std::uint8_t> keyword;  // per token: the parser consumed it as a keyword
  std::vector<Problem> problems;
  NodeId root = kNoNode;

  // The whole text was understood. Otherwise every finding is one-sided: what was found is there,
  // but there may be more.
  bool exact() const { return problems.empty(); }
  const Node& operator[](NodeId id) const { return nodes[id]; }
  bool has(NodeId id, std::uint32_t bit) const { return (nodes[id].flags & bit) != 0; }
  std::string_view token_text(std::uint32_t token) const { return tokens[token].text(sql); }
  // The first child of a kind, or kNoNode.
  NodeId child(NodeId parent, NodeKind kind) const {
    NodeId id = nodes[parent].first_child;
    while (id != kNoNode && nodes[id].kind != kind) id = nodes[id].next;
    return id;
  }
  // The bytes from a node's first to its last token.
  std::string_view text(NodeId id) const;
};

// for (NodeId child : children(tree, id)) ...
class ChildRange {
 public:
  class Iterator {
   public:
    Iterator(const Tree* tree, NodeId id) : tree_(tree), id_(id) {}
    NodeId operator*() const { return id_; }
    Iterator& operator++() {
      id_ = tree_->nodes[id_].next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return id_ != other.id_; }

   private:
    const Tree* tree_;
    NodeId id_;
  };
  ChildRange(const Tree& tree, NodeId parent) : tree_(&tree), parent_(parent) {}
  Iterator begin() const { return {tree_, tree_->nodes[parent_].first_child}; }
  Iterator end() const { return {tree_, kNoNode}; }

 private:
  const Tree* tree_;
  NodeId parent_;
};
inline ChildRange children(const Tree& tree, NodeId parent) { return {tree, parent}; }

// The values of the names in a node's tokens: `a."B".c` → a, B, c.
std::vector<std::string> names_in(const Tree& tree, NodeId id);

// The tree as indented lines `kind flags "tokens"`, for people and tests.
std::string dump(const Tree& tree, NodeId root);

// Empty when every child lies inside its parent and after its elder sibling, every node but the
// root has one parent, and all indexes are in bounds; else what is wrong.
std::string check_shape(const Tree& tree);

}  // namespace hodor
