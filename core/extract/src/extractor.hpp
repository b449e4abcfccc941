// One walk over a tree that collects facts. Not thread-safe; lives for one call.
//
// In:  a tree and options. Out: facts, and the findings that are judged after the walk.
// Never: resolves columns. What needs a column's owner is decided for the worst case.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hodor/extract/facts.hpp"

namespace hodor {

// The value of a plain or dollar-quoted string; empty and false for other kinds.
bool string_value(const Tree& tree, std::uint32_t token, std::string& value);
// The last name of a path, call or column, in lower case.
std::string last_name(const Tree& tree, NodeId id);
// The one operand that an expr consists of, or kNoNode.
NodeId only_operand(const Tree& tree, NodeId expr);
// The name that a select item gives its column: alias or plain column; false when it has none.
bool item_name(const Tree& tree, NodeId item, std::string& name);
bool is_order_sensitive_call(const Tree& tree, NodeId call);
bool is_aggregate(Dialect dialect, std::string_view name);
// `own`: the relation nodes that are the own relation.
OwnReadFacts judge_own_reads(const Tree& tree, const std::vector<NodeId>& own);
bool names_own(const std::vector<std::string>& parts, const std::vector<std::string>& own);

// What is known of the columns of a query or table.
struct Shape {
  bool open = false;   // columns follow the schema of something outside of the text
  bool named = false;  // `columns` is complete
  std::vector<std::string> columns;
};

// CTEs in scope, innermost first; the last definition of a name wins.
struct CteScope {
  const CteScope* outer = nullptr;
  std::string name;  // lower case
  Shape shape;
  // While the CTE's own query is walked: the tokens in which its name means itself.
  bool in_own_query = false;
  TokenRange self;
};

// FROM sources in scope, innermost first.
struct Sources {
  struct Source {
    std::string name;  // lower case; empty: none
    Shape shape;
  };
  const Sources* outer = nullptr;
  std::vector<Source> list;
};

class Extractor {
 public:
  Extractor(const Tree& tree, const ExtractOptions& options) : tree_(tree), options_(options) {}
  Facts run();

 private:
  struct Place {
    const CteScope* ctes = nullptr;
    const Sources* sources = nullptr;
  };
  struct Volatile {
    VolatileCall call;
    NodeId item = kNoNode;  // select item of the final SELECT that it stands in
  };

  // extractor.cpp
  void walk(NodeId id, const Place& place);
  void walk_children(NodeId id, const Place& place);
  void literal(NodeId id);
  void column(NodeId id, const Place& place);
  void call(NodeId id, const Place& place);
  void subquery_in_expression(NodeId id, const Place& place, bool exists);
  void mention_names(NodeId id);
  void type(NodeId id);
  void mark_plain_texts(NodeId id);
  void order_marks(NodeId id);
  void pivot_types(NodeId id);

  // query_shape.cpp
  Shape query(NodeId id, const Place& place);
  Shape query_body(NodeId id, const Place& place);
  Shape select(NodeId id, const Place& place);
  Shape select_columns(NodeId list, const Place& place);
  void select_item(NodeId item, const Place& place, Shape& shape);
  void star(NodeId id, const Place& place, Shape& shape);
  bool has_columns_call(NodeId id) const;
  Shape set_operations(NodeId id, const Place& place);
  void cte(NodeId id, bool recursive, CteScope& entry, const Place& place);

  // from_sources.cpp
  void from_item(NodeId id, const Place& place, Sources& into);
  void relation(NodeId id, const Place& place, Sources& into);
  void table_function(NodeId id, const Place& place, Sources& into);
  void file_function(NodeId call, const std::string& name);
  void file(NodeId id, Sources& into);
  void derived(NodeId id, const Place& place, Sources& into);
  void join(NodeId id, const Place& place, Sources& into);
  void lateral_view(NodeId id, const Place& place, Sources& into);
  void pivot(NodeId id, const Place& place, Sources& into);
  void add_source(NodeId owner, std::string default_name, Shape shape, Sources& into);

  // volatile_calls.cpp
  void volatile_word(NodeId id, std::string_view name, bool bare);
  void volatile_string(NodeId literal, NodeId expr);
  void add_volatile(NodeId id, VolatileClass volatile_class);
  void settle_stamps();
  void note_run_values(NodeId id);
  void note_other_run_values();
  bool may_be_stamp(NodeId item, std::string& alias) const;
  bool final_select_sees(NodeId item) const;
  bool has_many_columns(NodeId call) const;

  const Tree& tree_;
  const ExtractOptions& options_;
  Facts facts_;
  std::vector<Volatile> volatiles_;
  NodeId final_select_ = kNoNode;    // the SELECT whose columns are the text's columns, when plain
  NodeId final_item_ = kNoNode;      // the item of it that the walk is in
  int nested_queries_ = 0;           // subqueries around the walk's place
  NodeId table_function_ = kNoNode;  // a call in FROM, whose rows are judged by name
  std::vector<NodeId> own_relations_;
  std::set<NodeId> plain_text_exprs_;  // exprs whose string stays a string
  std::vector<bool> noted_;            // per value of this run: its place has been judged
};

}  // namespace hodor
