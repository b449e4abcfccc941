// One walk over a tree that collects facts. Not thread-safe; lives for one call.
//
// In:  a tree and options. Out: facts, and the findings that are judged after the walk.
// Never: resolves columns. What needs a column's owner is decided for the worst case.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "hodor/extract/facts.hpp"
#include "hodor/scopes/scopes.hpp"

namespace hodor {

// The value of a plain or dollar-quoted string; empty and false for other kinds.
bool string_value(const Tree& tree, std::uint32_t token, std::string& value);
// The last name of a path, call or column.
NameId last_name_of(const Tree& tree, NodeId id);
// The same in lower case.
std::string last_name(const Tree& tree, NodeId id);
// The only name of a path or call; kNoName when there are several.
NameId single_name_of(const Tree& tree, NodeId id);
// The one operand that an expr consists of, or kNoNode.
NodeId only_operand(const Tree& tree, NodeId expr);
// The name that a select item gives its column: alias or plain column; false when it has none.
bool item_name(const Tree& tree, NodeId item, std::string& name);
// The token of that name, or kNone.
std::uint32_t item_name_token(const Tree& tree, NodeId item);
bool is_order_sensitive_call(const Tree& tree, NodeId call);
bool is_aggregate(const Tree& tree, NameId name);
// `own`: the relation nodes that are the own relation.
OwnReadFacts judge_own_reads(const Tree& tree, const std::vector<NodeId>& own);
bool names_own(const std::vector<std::string>& parts, const std::vector<std::string>& own);

// What is known of the columns of a query or table.
struct Shape {
  bool open = false;                   // columns follow the schema of something outside of the text
  bool named = false;                  // `columns` is complete
  std::vector<std::uint32_t> columns;  // tokens of their names
};

// CTEs in scope, innermost first; the last definition of a name wins.
struct CteScope {
  const CteScope* outer = nullptr;
  NameId name = kNoName;
  Shape shape;
  // While the CTE's own query is walked: the tokens in which its name means itself.
  bool in_own_query = false;
  TokenRange self;
};

// FROM sources in scope, innermost first.
struct Sources {
  struct Source {
    NameId name = kNoName;
    Shape shape;
  };
  const Sources* outer = nullptr;
  std::vector<Source> list;
};

class Extractor {
 public:
  Extractor(const Tree& tree, const ExtractOptions& options);
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
  void list_names();
  void name_output(const std::vector<std::uint32_t>& tokens);
  Shape set_operations(NodeId id, const Place& place);
  void cte(NodeId id, bool recursive, CteScope& entry, const Place& place);

  // from_sources.cpp
  void from_item(NodeId id, const Place& place, Sources& into);
  void relation(NodeId id, const Place& place, Sources& into);
  void table_function(NodeId id, const Place& place, Sources& into);
  void file_function(NodeId call, std::string_view name);
  void file(NodeId id, Sources& into);
  void derived(NodeId id, const Place& place, Sources& into);
  void join(NodeId id, const Place& place, Sources& into);
  void lateral_view(NodeId id, const Place& place, Sources& into);
  void pivot(NodeId id, const Place& place, Sources& into);
  void add_source(NodeId owner, NameId default_name, Shape shape, Sources& into);

  // volatile_calls.cpp
  void volatile_word(NodeId id, NameId name, bool bare);
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
  std::vector<bool> plain_text_exprs_;  // by node: an expr whose string stays a string
  std::vector<bool> mentioned_;         // by name: columns of the facts
  std::vector<bool> called_;            // by name: functions of the facts with one name
  // Names that are asked for often, if the text has them.
  NameId columns_name_;
  NameId rowid_name_;
  NameId metadata_name_;
  std::vector<bool> noted_;  // per value of this run: its place has been judged
};

}  // namespace hodor
