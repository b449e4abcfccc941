// Writes the pre-image of a canonical form, node by node.
#pragma once
#include <cstdint>
#include <string_view>

#include "grouping.hpp"
#include "hodor/canonical/canonical_form.hpp"

namespace hodor {

class Form {
 public:
  Form(const Tree& tree, const CodeHasher& tokens, Preimage& preimage)
      : tree_(tree), tokens_(tokens), grouping_(tree), preimage_(preimage) {}

  void node(NodeId id);

 private:
  void plain(NodeId id);
  void own_tokens(NodeId id, std::uint32_t begin, std::uint32_t end);
  bool is_dropped(NodeId id, std::uint32_t token) const;
  bool is_plain_name(std::uint32_t token) const;
  void select(NodeId id);
  void select_item(NodeId id);
  void expr(NodeId id);
  void term(std::uint32_t number);
  void chain(std::uint32_t number);
  void op(NodeId id);
  void cast(NodeId type, const Term* operand, NodeId expr);
  void type(NodeId id);
  void as_written(NodeId id);
  bool is_plain_column(NodeId expr) const;

  const Tree& tree_;
  const CodeHasher& tokens_;
  Grouping grouping_;
  Preimage& preimage_;
  std::uint32_t verbatim_ = 0;  // > 0: inside of what the engine may take by its text
};

}  // namespace hodor
