// The parser's cursor, its node builder, and one method per construct of the grammar.
//
// In:  tokens. Out: nodes of the tree. Never: throws; a method that does not find what it wants
// notes a problem and leaves an `opaque` node, and each loop asserts that it moved.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "hodor/syntax/ast.hpp"
#include "hodor/syntax/parser.hpp"

namespace hodor {

enum class Word : std::uint8_t {
  none,
#define WORD(text) w_##text,
#include "parser_words.def"
#undef WORD
};

class Parser {
 public:
  Parser(std::string_view sql, Dialect dialect, std::vector<Token> tokens, Names names);
  Tree whole_query() &&;
  Tree whole_statement() &&;

 private:
  using W = Word;
  enum Stop : std::uint32_t { kNoStop = 0, kNoIn = 1, kNoAnd = 2, kLimit = 4 };

  // --- parse_core.cpp: cursor
  struct Cell {
    Word word = Word::none;
    char symbol = 0;  // of a one-byte operator or punctuation
  };
  std::uint32_t clamp(std::uint32_t i) const { return i < last_ ? i : last_; }
  Word word(std::uint32_t ahead = 0) const { return cells_[clamp(pos_ + ahead)].word; }
  bool at(Word w, std::uint32_t ahead = 0) const { return word(ahead) == w; }
  char symbol(std::uint32_t ahead = 0) const { return cells_[clamp(pos_ + ahead)].symbol; }
  bool at(char c, std::uint32_t ahead = 0) const { return symbol(ahead) == c; }
  bool at_op(std::string_view text, std::uint32_t ahead = 0) const;
  bool at_word_text(std::string_view lower, std::uint32_t ahead = 0) const;
  const Token& token(std::uint32_t ahead = 0) const { return tree_.tokens[clamp(pos_ + ahead)]; }
  bool at_end() const { return pos_ >= last_; }
  bool duckdb() const { return tree_.dialect == Dialect::duckdb; }
  void advance() {
    if (pos_ < last_) ++pos_;
  }
  void take_keyword();
  bool accept(Word w);
  bool accept(char c);
  bool accept_two(Word first, Word second);
  bool at_label(std::uint32_t ahead = 0) const;  // any word or quoted name
  bool at_name(std::uint32_t ahead = 0) const;   // a word that may be a column or table
  bool at_string(std::uint32_t ahead = 0) const;
  bool at_closer() const;                         // ) ] } ; end
  bool at_clause(std::uint32_t ahead = 0) const;  // a word that begins a clause here
  bool at_bare_alias() const;
  bool at_set_operator(std::uint32_t ahead = 0) const;
  std::uint32_t closer_of(std::uint32_t opener) const { return match_[opener]; }
  bool query_starts_at(std::uint32_t i) const;  // i: absolute; a SELECT, WITH, FROM ...
  bool query_in_parens_at(std::uint32_t i) const;

  // --- parse_core.cpp: nodes
  NodeId start(NodeKind kind);
  NodeId start_at(NodeKind kind, std::uint32_t begin);
  NodeId finish(NodeId id) {
    tree_.nodes[id].end = pos_;
    return id;
  }
  void add(NodeId parent, NodeId child);
  void set(NodeId id, std::uint32_t bit) { tree_.nodes[id].flags |= bit; }
  void problem(const char* what);
  bool enter();  // false beyond the nesting limit
  void leave() { --depth_; }
  void expect(char c, const char* what, NodeId parent);
  void opaque_run(NodeId parent, bool stop_at_clause);
  void opaque_group(NodeId parent);
  void opaque_flat(NodeId parent);
  void match_brackets();

  // --- parse_query.cpp
  NodeId query();
  NodeId with();
  NodeId cte();
  NodeId query_body();
  NodeId query_operand();
  NodeId set_operator();
  NodeId values();
  NodeId table_query();
  NodeId pivot_query();
  NodeId describe();
  void modifiers(NodeId parent);
  NodeId pipe();
  void pipe_operator(NodeId id);
  NodeId subquery();
  NodeId limit();
  NodeId fetch();
  NodeId order_by(NodeKind kind);
  NodeId order_item();

  // --- parse_select.cpp
  NodeId select();
  NodeId from_first();
  void select_head(NodeId id);
  void select_clauses(NodeId id, bool from_first);
  bool select_clause(NodeId id, bool from_first);
  NodeId select_list();
  NodeId select_item();
  NodeId group_by();
  NodeId grouping_sets();
  NodeId windows();
  NodeId window_spec();
  NodeId frame();
  void frame_bound(NodeId parent);
  NodeId clause(NodeKind kind);
  void expressions(NodeId parent, bool trailing_comma);
  bool trailing_comma_here() const;

  // --- parse_from.cpp
  NodeId from();
  NodeId from_item();
  NodeId from_item_body(NodeId id);
  void from_suffixes(NodeId id);
  bool from_suffix(NodeId id);
  void factor(NodeId parent);
  NodeId relation_or_function();
  NodeId derived_or_group();
  NodeId file();
  void optional_alias(NodeId parent);
  NodeId alias();
  NodeId column_names();
  bool at_from_alias() const;
  std::uint32_t join_words() const;
  NodeId join();
  NodeId comma_join();
  bool time_travel(NodeId parent);
  bool at_sample() const;
  NodeId sample();
  NodeId pivot();
  NodeId pivot_for();
  NodeId unpivot();
  NodeId lateral_view();
  NodeId path(NodeKind kind);
  NodeId name_node();
  NodeId using_columns();

  // --- parse_expr.cpp
  NodeId expr(std::uint32_t stop = kNoStop);
  bool prefix_operator(NodeId parent);
  bool infix(NodeId parent, std::uint32_t stop, std::uint32_t& betweens);
  bool infix_word(NodeId parent, std::uint32_t stop, std::uint32_t& betweens);
  std::uint32_t infix_word_length() const;
  bool postfix(NodeId parent);
  bool postfix_is(NodeId parent);
  bool postfix_dot(NodeId parent);
  NodeId subscript();
  NodeId json_path();
  void op_node(NodeId parent, std::uint32_t tokens, std::uint32_t flags);

  // --- parse_operand.cpp
  bool operand(NodeId parent);
  bool operand_word(NodeId parent);
  NodeId literal(std::uint32_t tokens);
  NodeId strings();
  void parens(NodeId parent);
  NodeId list();
  NodeId braces();
  NodeId star();
  void star_options(NodeId id);
  void star_replacements(NodeId option);
  NodeId case_when();
  NodeId cast();
  bool interval(NodeId parent);
  bool interval_part(NodeId id);
  bool typed_literal(NodeId parent);
  NodeId lambda();
  void name_or_call(NodeId parent);

  // --- parse_call.cpp
  NodeId call(NodeId path_node);
  void arguments(NodeId id);
  void argument_words(NodeId id);
  NodeId argument(std::uint32_t stop);
  bool argument_separator();
  void call_suffixes(NodeId id);
  NodeId table_argument();

  // --- parse_type.cpp
  NodeId type();
  void type_arguments(NodeId id);
  void type_angles();
  void type_words();

  // --- parse_statement.cpp
  void target(NodeId id, Word before);
  void insert(NodeId id);
  void returning(NodeId id);
  void changes(NodeId id);
  void assignments(NodeId id);
  void merge_branch(NodeId id);
  void object_kind(NodeId id);
  void create(NodeId id);
  void create_macro(NodeId id);
  void assignment(NodeId id);
  bool plain_group();
  void plain_words();

  Tree tree_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> match_;  // of an opening bracket: its closer, or the last token
  std::uint32_t pos_ = 0;
  std::uint32_t last_ = 0;  // index of the `end` token
  std::uint32_t depth_ = 0;
};

}  // namespace hodor
