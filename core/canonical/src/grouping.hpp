// One expression as a tree of operators.
//
// In:  an `expr` node: operands, what follows them, and operators, in the order of the text.
// Out: terms, grouped as the engine groups them; parentheses that only group are gone.
// Never: a tree for an expression that two supported versions of the engine group differently, or
// that holds an operator not listed: `group` says so, and the expression stays a sequence.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hodor/syntax/ast.hpp"
#include "operator_levels.hpp"

namespace hodor {

struct Term {
  enum class Kind : std::uint8_t { leaf, prefix, postfix, infix, three };
  Kind kind = Kind::leaf;
  bool in_parens = false;
  bool keeps = false;    // its parentheses, whatever is in them
  bool between = false;  // an operand of an operator between operands
  OperatorLevel level;
  NodeId node = kNoNode;    // the leaf, the operator, or what follows the operand
  NodeId second = kNoNode;  // three: the AND of a BETWEEN, the ESCAPE of a LIKE
  std::uint32_t operands[3] = {0, 0, 0};
};

class Grouping {
 public:
  explicit Grouping(const Tree& tree) : tree_(tree) {}

  // The number of the root term; nothing when the expression has to stay as it is written.
  std::optional<std::uint32_t> group(NodeId expr);
  const Term& operator[](std::uint32_t term) const { return terms_[term]; }
  // The expression within parentheses that are all of this one, through any number of them.
  NodeId in_parens(NodeId expr) const;
  // The text of an operator as it counts: words in lower case, one spelling of two. Valid until the
  // next call.
  std::string_view text_of(NodeId op);
  // The term of an expression that is one operand; nothing for others, and for parentheses.
  std::optional<Term> single(NodeId expr) const;
  std::size_t size() const { return terms_.size(); }
  // Parentheses around a chain of AND or OR in a longer one count from now on, or no more.
  void keep_chains(bool keeps) { keeps_chains_ = keeps; }
  // Forgets the terms from one on, when all of them are written.
  void release(std::size_t first) { terms_.resize(first); }

 private:
  struct Cursor {
    std::span<const NodeId> items;
    std::size_t at = 0;
    std::uint32_t prefixes = 0;  // open ones
    bool only_arrows = false;    // a -> b ->> c
  };
  std::optional<std::uint32_t> sequence(Cursor& cursor, std::uint8_t least);
  std::optional<std::uint32_t> operand(Cursor& cursor, std::uint8_t least);
  std::optional<std::uint32_t> prefixed(Cursor& cursor, std::uint8_t least);
  std::optional<std::uint32_t> infix(Cursor& cursor, std::uint32_t left, OperatorLevel level);
  std::optional<std::uint32_t> right_side(Cursor& cursor, NodeId op, OperatorLevel level);
  std::optional<std::uint32_t> third(Cursor& cursor, std::uint32_t term);
  std::uint32_t followed(Cursor& cursor, std::uint32_t term);
  bool arrows_are_clear(Cursor& cursor) const;
  bool is_signed_number(const Cursor& cursor);
  bool is_infix(const Cursor& cursor) const;
  bool is_followed_by(NodeId after) const;
  std::string_view word_of(std::uint32_t token) const;
  OperatorLevel level_of(NodeId op, OperatorPlace place) const;
  std::uint32_t add(Term::Kind kind, OperatorLevel level, NodeId node, std::uint32_t first = 0,
                    std::uint32_t second = 0);
  bool is_chain_of(std::uint32_t operand, OperatorLevel level) const;
  bool binds_looser(std::uint32_t left, OperatorLevel level) const;
  bool mixes_with(OperatorLevel outer, std::uint32_t operand) const;
  void open_parens(std::uint32_t first);
  NodeId inside(NodeId parens) const;
  bool keeps_parens(NodeId expr, bool between) const;

  const Tree& tree_;
  std::vector<Term> terms_;
  std::deque<std::vector<NodeId>> items_;  // of the expressions that are open, outermost first
  std::size_t open_ = 0;
  std::string text_;
  bool keeps_chains_ = false;
};

}  // namespace hodor
