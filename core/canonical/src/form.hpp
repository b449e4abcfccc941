// Writes the pre-image of a canonical form, node by node.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "grouping.hpp"
#include "hodor/canonical/canonical_form.hpp"
#include "naming.hpp"

namespace hodor {

class Form {
 public:
  Form(const Tree& tree, const CodeHasher& tokens, const Naming& naming, Preimage& preimage)
      : tree_(tree), tokens_(tokens), naming_(naming), grouping_(tree), preimage_(preimage) {
    for (NameId name = kNoName + 1; name < tree.names.size(); ++name) {
      sees_made_names_ |= may_be_made_of_text(tree, name);
    }
  }

  void node(NodeId id);

 private:
  void plain(NodeId id);
  void literal(NodeId id);
  void rest(NodeId id, NodeId after);
  void name(std::uint32_t token, NameUse use);
  std::string_view plain_name(std::uint32_t token, NameUse::Kind use, bool* is_quoted) const;
  bool name_as(std::string_view kind, std::uint32_t token);
  void names(NodeId id);
  void path(NodeId id);
  void star(NodeId id);
  void call(NodeId id);
  void condition(NodeId id);
  void grouping(NodeId id);
  bool is_dropped_alias(NodeId id) const;
  void own_tokens(NodeId id, std::uint32_t begin, std::uint32_t end);
  bool is_dropped(NodeId id, std::uint32_t token) const;
  bool is_plain_name(std::uint32_t token) const;
  void select(NodeId id);
  void select_parts(NodeId id);
  void value_query(NodeId subquery);
  void select_item(NodeId id);
  void expr(NodeId id);
  void leaf(NodeId id);
  void term(std::uint32_t number);
  void chain(std::uint32_t number);
  void op(NodeId id);
  void cast(NodeId type, const Term* operand, NodeId expr);
  void type(NodeId id);
  void visible(NodeId expr);
  void as_written(NodeId id);
  bool is_plain_column(NodeId expr) const;

  const Tree& tree_;
  const CodeHasher& tokens_;
  const Naming& naming_;
  Grouping grouping_;
  Preimage& preimage_;
  std::vector<std::uint32_t> spine_;  // of the chains that are open
  std::vector<bool> values_;          // per node: a SELECT whose columns' names nobody sees
  bool sees_made_names_ = false;  // the text may mean a column by the name that the engine makes
  NodeId select_ = kNoNode;       // the innermost one that is being written
  std::uint32_t visible_ = 0;     // > 0: inside of what names a column
  std::uint32_t verbatim_ = 0;    // > 0: inside of what the engine may take by its text
};

}  // namespace hodor
