// Collects everything that one text reads, through views and functions, into one list.
//
// In:  facts, the scope in which their names resolve, the catalog's relations and functions.
// Out: inputs without groups, and whether the order of input rows matters anywhere on the way.
// Never: loops (a cycle and a depth beyond kMaxViewDepth are opaque inputs).
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "functions.hpp"
#include "hodor/facts/codec.hpp"
#include "names.hpp"

namespace hodor {

struct Warehouse {
  Names names;
  Functions functions;
};

Input opaque_input(std::string text);
Input file_input(const FileRead& file);

// One walk per direct input, since each has its own group.
class Walk {
 public:
  explicit Walk(const Warehouse& warehouse) : warehouse_(warehouse) {}

  // A view without itself: only what stands behind it.
  void into_view(const Relation& view);
  // A called function: its definition and what its body reads.
  void into_function(const std::string& called, const Scope& scope);
  // The same for a function that the text may call by an operator or special syntax.
  void into_implicit_function(const std::string& name, const Scope& scope);

  // Sorted, without duplicates; empties the walk.
  std::vector<Input> take();
  bool order_sensitive() const { return order_sensitive_; }
  bool inexact() const { return inexact_; }
  bool merges() const { return merges_; }

 private:
  enum class State { open, done };
  using Node = std::pair<const void*, const Scope*>;

  void text(const std::optional<Facts>& facts, const std::string& owner, const Scope& scope);
  void relation(const RelationName& name, const Scope& scope);
  void resolved(const Resolved& target, const std::string& written);
  bool enter(const Node& node, const std::string& name);
  void definitions(const UserFunction& function, const Scope& scope);

  const Warehouse& warehouse_;
  std::map<Node, State> states_;
  std::vector<Input> inputs_;
  int depth_ = 0;
  bool order_sensitive_ = false;
  bool inexact_ = false;
  bool merges_ = false;
};

}  // namespace hodor
