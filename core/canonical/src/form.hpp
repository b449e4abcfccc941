// Writes the pre-image of a canonical form, node by node.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grouping.hpp"
#include "hodor/canonical/canonical_form.hpp"
#include "naming.hpp"

namespace hodor {

// Whether the text has a function that may make more than one column of an item.
bool may_be_many_columns(const Tree& tree);

class Form {
 public:
  Form(const Tree& tree, const CodeHasher& tokens, const Naming& naming, Preimage& preimage)
      : tree_(tree), tokens_(tokens), naming_(naming), grouping_(tree), preimage_(preimage) {
    for (NameId name = kNoName + 1; name < tree.names.size(); ++name) {
      sees_made_names_ |= may_be_made_of_text(tree, name);
    }
    count_words();
  }

  void node(NodeId id);

 private:
  bool rewritten(NodeId id);
  void plain(NodeId id);
  void literal(NodeId id);
  void rest(NodeId id, NodeId after);
  void name(std::uint32_t token, NameUse use);
  NameUse::Kind as_it_counts(std::uint32_t token, NameUse::Kind kind) const;
  std::string_view plain_name(std::uint32_t token, NameUse::Kind use, bool* is_quoted) const;
  bool name_as(std::string_view kind, std::uint32_t token);
  void names(NodeId id);
  void path(NodeId id);
  void star(NodeId id);
  void call(NodeId id);
  void builtin_call(NodeId id, const WordEntry& word);
  bool names_fields(NodeId call) const;
  void condition(NodeId id);
  void condition_as_it_is(NodeId id);
  void grouping(NodeId id);
  bool is_dropped_alias(NodeId id) const;
  void own_tokens(NodeId id, std::uint32_t begin, std::uint32_t end);
  bool is_dropped(NodeId id, std::uint32_t token) const;
  bool is_plain_name(std::uint32_t token) const;
  void select(NodeId id);
  void select_parts(NodeId id);
  void select_item(NodeId id);
  void expr(NodeId id);
  void expr_by_terms(NodeId id);
  void leaf(NodeId id);
  void term(std::uint32_t number);
  void chain(std::uint32_t number);
  void op(NodeId id);
  void cast(NodeId type, const Term* operand, NodeId expr);
  void type(NodeId id);
  void visible(NodeId expr);
  void as_written(NodeId id);
  bool is_plain_column(NodeId expr) const;

  // Rewrites, each in a file rewrite_*.cpp with its reasons.
  bool rewrites() const { return verbatim_ == 0 && visible_ == 0 && !is_matched(); }
  // DuckDB looks for this expression among others by its tree, as it was parsed.
  bool is_matched() const { return matched_ > 0 && tree_.dialect == Dialect::duckdb; }
  // Spark names a column by the tree that it parsed: what its parser makes one may change there.
  bool rewrites_parsed() const {
    return verbatim_ == 0 &&
           ((visible_ == 0 && !is_matched()) || tree_.dialect == Dialect::databricks);
  }
  void count_words();
  std::uint32_t count_of(std::uint32_t token) const { return counts_[tree_.tokens[token].name]; }
  bool keyword(std::uint32_t token, std::string_view word) const {
    return tree_.keyword[token] != 0 && is_word(tree_.tokens[token], tree_.sql, word);
  }
  NodeId only_node(NodeId expr) const;
  NodeId opened_node(NodeId expr) const;  // through parentheses
  bool is_number(NodeId literal) const;
  std::int64_t numbered(std::uint32_t definition);
  // rewrite_operators.cpp
  std::string_view operator_text(NodeId op);
  bool negated_term(const Term& negation);
  void links(std::uint32_t number);
  void link_operand(std::uint32_t number, std::uint8_t level);
  bool swapped_equality(const Term& infix);
  // rewrite_where.cpp
  bool where(NodeId id);
  bool is_behind_from(NodeId where) const;
  bool is_true(std::uint32_t term) const;
  // rewrite_case.cpp
  void case_when(NodeId id);
  // rewrite_literals.cpp
  bool number_literal(std::uint32_t token);
  bool string_literal(NodeId id);
  bool decode(std::uint32_t token);
  bool decode_spark(std::string_view inside, char quote);
  bool typed_literal(NodeId id);
  void interval(NodeId id);
  // matched_expressions.cpp
  bool matches_expressions(NodeId select);
  bool is_plain_key(NodeId key) const;
  bool sorts_by_expressions(NodeId query) const;
  // rewrite_queries.cpp
  void query(NodeId id);
  bool has_order(NodeId query) const;
  void query_parts(NodeId id);
  void modifier(NodeId query, NodeId id, NodeId body);
  bool passes_on(NodeId select, NodeId inner) const;
  NameId output_name(NodeId item) const;
  bool names_all(NodeId select) const;
  bool is_dropped_modifier(NodeId query, NodeId id) const;
  void with(NodeId id, NodeId without);
  void cte(NodeId id);
  bool gives_columns(NodeId names, NodeId body) const;
  NodeId passed_through(NodeId query) const;
  void table_query(NodeId id);
  void set_operations(NodeId id);
  void branches(NodeId id);
  bool opens_to_left(NodeId set_operations) const;
  void set_operator(NodeId id);
  void fetch(NodeId id);
  void row(NodeId id);
  // rewrite_from.cpp
  void from(NodeId id);
  void crossed(NodeId id);
  bool is_crossed(NodeId from) const;
  bool is_dropped_side(NodeId join, std::uint32_t token) const;
  bool is_dropped_null_order(NodeId item, std::uint32_t token) const;
  // rewrite_windows.cpp
  std::size_t open_windows(NodeId select);
  std::uint32_t count_windows(NodeId id, NameId name, std::string_view text) const;
  NodeId window_of(std::uint32_t name_token) const;
  NodeId window_of_use(NodeId used) const;
  void shown_window(NodeId used);
  void over(NodeId id);
  void frame(NodeId id);
  // rewrite_calls.cpp
  std::uint32_t plain_arguments(NodeId id) const;
  std::uint32_t end_of_call(NodeId id) const;
  bool rewritten_call(NodeId id, const WordEntry& word);
  bool star_count(NodeId id, const WordEntry& word);
  bool has_from_form(NodeId id, const WordEntry& word) const;
  bool cast_call(NodeId id, const WordEntry& word);
  bool operator_call(NodeId id, const WordEntry& word);
  void call_tokens(NodeId id, const WordEntry& word);
  // rewrite_items.cpp
  bool rewritten_item(NodeId expr, NodeId alias);
  bool is_certain_alias(NodeId alias) const;
  bool is_own_name(NodeId column, NodeId alias) const;
  bool is_whole_source(NodeId star) const;
  bool is_named_by_sources(NodeId expr) const;
  bool excluded_columns(NodeId option);
  // rewrite_types.cpp
  bool default_scale(NodeId type, NodeId path);
  bool has_ignored_length(NodeId type, NodeId path) const;
  bool collation(NodeId op);
  bool is_excluded_nulls(NodeId unpivot, std::uint32_t token) const;
  // rewrite_ordinals.cpp
  void note_items(NodeId select);
  NodeId item_at(NodeId literal) const;
  bool is_key(NodeId item) const;
  bool is_settled(NodeId id, NameId own_alias) const;
  bool group_by(NodeId id);
  bool group_all(NodeId id, NodeId list);
  bool is_known_aggregate(NodeId node) const;
  void order_by(NodeId id, NodeId select);
  void order_items(NodeId id, NodeId select);
  bool sorts_as_output(NodeId select, NodeId item) const;
  bool has_one_source(NodeId select) const;
  bool order_ordinal(NodeId select, NodeId literal);
  bool order_name(NodeId select, NodeId item);
  bool order_all(NodeId id, NodeId select);

  const Tree& tree_;
  const CodeHasher& tokens_;
  const Naming& naming_;
  Grouping grouping_;
  Preimage& preimage_;
  std::vector<std::uint32_t> spine_;  // of the chains that are open
  std::vector<bool> values_;          // per node: a SELECT whose columns' names nobody sees
  bool sees_made_names_ = false;  // the text may mean a column by the name that the engine makes
  NodeId select_ = kNoNode;       // the innermost one that is being written
  struct Window {
    NodeId select = kNoNode;
    std::uint32_t token = 0;  // of its name
    NodeId spec = kNoNode;
  };
  std::vector<Window> windows_;         // that are written where they are used
  std::vector<bool> branches_;          // per node: a SELECT behind the first of a set operation
  std::vector<std::uint32_t> counts_;   // per name: how often the text has it
  std::vector<std::uint32_t> numbers_;  // per definition: its place among those written, from 1
  std::uint32_t last_number_ = 0;
  std::vector<std::uint32_t> conjuncts_;
  std::string decoded_;
  NodeId negated_ = kNoNode;       // an operator that is written as its opposite
  NodeId given_names_ = kNoNode;   // names for the items of the SELECT that is written next
  NodeId given_select_ = kNoNode;  // ... and of this one
  NodeId given_name_ = kNoNode;    // the next of them
  NodeId item_star_ = kNoNode;     // a star that is all of an item
  std::uint32_t kept_token_ = 0;   // a name that counts in its case though it is no item itself
  NodeId noted_ = kNoNode;         // the SELECT that the next two lists are of
  std::vector<NodeId> items_;
  std::vector<NameId> item_names_;    // sorted; kNoName for what has no name of its own
  std::vector<NameId> item_aliases_;  // sorted
  bool has_many_ = false;             // a function that may make many columns of one item
  bool names_branches_ = false;       // DuckDB: the order of a set may mean names of each branch
  bool is_operand_ = false;           // the next query is one of a set
  bool is_sorted_ = false;            // the query of the innermost SELECT has an ORDER BY
  bool sorts_expressions_ = false;    // ... with more than names and numbers
  bool folds_ = false;                // names of columns: where an item stands in for its number
  bool in_on_ = false;                // inside of a join's condition, not of a query in it
  std::uint32_t visible_ = 0;         // > 0: inside of what names a column
  NodeId matched_select_ = kNoNode;   // a SELECT whose expressions are looked for by their trees
  std::uint32_t matched_ = 0;         // > 0: inside of such an expression
  std::uint32_t verbatim_ = 0;        // > 0: inside of what the engine may take by its text
};

}  // namespace hodor
