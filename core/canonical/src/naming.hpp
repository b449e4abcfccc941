// How each name of a text is written into its canonical form.
//
// In:  the scopes of a tree.
// Out: per token, whether it counts as written, folded, as a definition's number, or not at all;
// and
//      what that takes for granted.
// Never: renames a name of which one occurrence is not understood, or one that the result can show.
#pragma once
#include <cstdint>
#include <vector>

#include "hodor/scopes/scopes.hpp"

namespace hodor {

struct NameUse {
  enum class Kind : std::uint8_t {
    as_written,
    folded,      // the case of letters does not count, nor do quotes that are not needed
    keeps_case,  // only quotes that are not needed do not count
    dropped,     // a qualifier that is not needed, an alias that is only a number
    source,      // a qualifier: the source of this number
    column,      // the definition of this number
    cte
  };
  Kind kind = Kind::as_written;
  std::uint32_t number = 0;
  bool is_assumed = false;  // dropped: right only if other tables lack the column
};

class Naming {
 public:
  Naming(const Tree& tree, const KnownColumns& known);

  NameUse operator[](std::uint32_t token) const { return uses_[token]; }
  // Sorted; the form is right only while all of them hold.
  std::vector<Absence> assumes() && { return std::move(assumes_); }
  const Scopes& scopes() const { return scopes_; }

 private:
  void settle();
  void settle_reference(const Reference& reference);
  void count_names(std::vector<std::uint32_t>& open);
  bool is_refuted(const Gap& gap) const;
  bool is_refuted(GapRange gaps) const;
  bool may_lose_qualifier(const Reference& reference);
  bool is_renamed(std::uint32_t definition) const;
  void assume(GapRange gaps);
  void list_assumptions();

  const Tree& tree_;
  Scopes scopes_;
  std::vector<std::uint8_t> renamed_;   // per definition
  std::vector<std::uint8_t> replaced_;  // per source: its name is written as its number
  std::vector<Gap> owned_;              // sorted: columns that open tables do have
  std::vector<bool> is_owned_;          // per name: in one of these
  std::vector<Gap> read_of_;  // sorted: columns read by a source's name; `table` is the source
  std::vector<Gap> assumed_;  // while the text is read
  std::vector<NameUse> uses_;
  std::vector<Absence> assumes_;
};

}  // namespace hodor
