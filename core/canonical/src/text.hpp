// Prints the canonical text, node by node. As Form does, rule by rule: what Form drops is left out,
// what it writes in one way is printed in one way.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grouping.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "text_lines.hpp"
#include "text_names.hpp"

namespace hodor {

class TextForm {
 public:
  // `is_first`: nothing but what it tells `names` counts.
  TextForm(const Tree& tree, const CodeHasher& tokens, TextNames& names, bool is_first)
      : tree_(tree), tokens_(tokens), names_(names), grouping_(tree), is_first_(is_first) {
    for (NameId name = kNoName + 1; name < tree.names.size(); ++name) {
      sees_made_names_ |= may_be_made_of_text(tree, name);
    }
  }

  void node(NodeId id);
  // A column that is printed by itself is one of this SELECT.
  void select_of_piece(NodeId select) { select_ = select; }
  std::string take() { return lines_.take(); }

 private:
  using Gap = TextLines::Gap;

  // text.cpp
  void plain(NodeId id);
  void rest(NodeId id, NodeId after);
  void own_tokens(NodeId id, std::uint32_t begin, std::uint32_t end);
  bool is_dropped(NodeId id, std::uint32_t token) const;
  void token(NodeId id, std::uint32_t number, bool follows);
  void token_text(std::uint32_t number, Gap gap);
  bool source_gap(std::uint32_t number, Gap* gap);
  Gap gap_in(NodeId id, std::uint32_t number) const;
  void raw(NodeId id);
  void break_before(NodeId parent, NodeId child);
  void case_when(NodeId id);
  // text_queries.cpp
  void query(NodeId id);
  void select(NodeId id);
  void select_parts(NodeId id);
  void select_item(NodeId id);
  void visible_item(NodeId id, NodeId expr);
  void list(NodeId id);
  void from(NodeId id);
  void note_twins(NodeId from, std::vector<std::uint32_t>& sources) const;
  void note_sample(NodeId factor);
  void from_item(NodeId id);
  void relation(NodeId id);
  void alias(NodeId id);
  void source_alias(std::uint32_t source);
  void condition(NodeId id);
  void grouping(NodeId id);
  void order_item(NodeId id);
  // text_words.cpp
  void name(std::uint32_t token);
  void name_of_source(std::uint32_t source);
  void written_name(std::uint32_t token, bool folds, bool is_in_place = true);
  void names(NodeId id);
  void path(NodeId id);
  void star(NodeId id);
  void call(NodeId id);
  void type(NodeId id);
  // text_terms.cpp
  void expr(NodeId id);
  void leaf(NodeId id);
  void term(std::uint32_t number);
  void operand(std::uint32_t number, const Term& outer, bool is_left);
  bool needs_parens(std::uint32_t number, const Term& outer, bool is_left) const;
  void chain(std::uint32_t number);
  void op(NodeId id);
  void cast(NodeId type, const Term* operand, NodeId expr);

  const Tree& tree_;
  const CodeHasher& tokens_;
  TextNames& names_;
  Grouping grouping_;
  TextLines lines_;
  std::string word_;
  std::vector<std::uint32_t> spine_;  // of the chains that are open
  std::vector<bool> values_;          // per node: a SELECT whose columns' names nobody sees
  NodeId select_ = kNoNode;           // the innermost one that is being printed
  std::uint32_t visible_ = 0;         // > 0: inside of what names a column
  std::uint32_t verbatim_ = 0;        // > 0: inside of what the engine may take by its text
  bool sees_made_names_ = false;      // as Form has it
  bool is_first_;
  bool in_literal_ = false;  // that names a column by its type: json '{}'
  bool breaks_ = false;      // the next expression is all of a condition: its parts get lines
};

}  // namespace hodor
