// What each name of a text is called in its canonical text.
//
// In:  how the canonical form writes names; then, from a first printing, which names were printed
//      as they are written, and which sources are referred to.
// Out: per name its text; whether a source needs an alias.
// Never: gives a new name that the text has, or one to what an expression shows by its text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "hodor/canonical/canonical_text.hpp"
#include "naming.hpp"

namespace hodor {

// A name that no engine takes for anything else where AS is missing, as Form has it.
bool is_plain_alias(const Tree& tree, std::uint32_t token);

class TextNames {
 public:
  TextNames(const Tree& tree, const Naming& naming, NewNames new_names);

  // The first printing tells these.
  void note_as_written(std::uint32_t token);
  void note_use(std::uint32_t source) { used_[source] = 1; }
  void note_other(NameId name) { ++others_[name]; }
  void note_relation(NameId name) { is_relation_[name] = 1; }
  void note_twice(std::uint32_t source) { is_twice_[source] = 1; }
  void note_no_alias(std::uint32_t source) { keep_source(source); }

  // Whether a column reads the same without its qualifier, and so do all others of its name.
  bool drops_qualifier(const Node& column) const;
  // Only what stands in the piece itself counts then, and cases do not.
  bool as_written() const { return new_names_ == NewNames::as_written; }
  bool in_piece() const { return new_names_ == NewNames::none_in_piece; }
  NameUse use(std::uint32_t token) const { return naming_[token]; }
  // The source that an alias, a qualifier or a relation's last name means; kNone.
  std::uint32_t source_of(std::uint32_t token) const { return source_of_[token]; }
  // Whether the source has to be told from others by a name that is not its own.
  bool needs_alias(std::uint32_t source) const;
  // Its own name, or an alias that the text has no place for: none is added.
  bool keeps_own_name(std::uint32_t source) const;
  // The token whose name a source, or a definition, keeps; kNone: it gets a new one.
  std::uint32_t kept_source(std::uint32_t source) const;
  std::uint32_t kept_definition(std::uint32_t definition) const;
  // New names count from one again: they are given in the order in which they are printed.
  void forget_new();
  const std::string& new_source(std::uint32_t source);
  const std::string& new_definition(std::uint32_t definition, bool is_cte);
  const Scopes& scopes() const { return naming_.scopes(); }

 private:
  bool has_none() const { return new_names_ == NewNames::none || as_written(); }
  bool keeps_names() const { return has_none() || in_piece(); }
  void keep_source(std::uint32_t source);
  bool may_drop(const Node& column) const;
  void find_qualified();
  std::string fresh(const char* kind, std::uint32_t& count);
  std::uint32_t own_token(std::uint32_t source) const;

  const Tree& tree_;
  const Naming& naming_;
  NewNames new_names_;
  std::vector<std::uint32_t> source_of_;  // per token
  std::vector<std::uint8_t> keeps_source_, used_, is_twice_;
  std::vector<std::uint8_t> keeps_definition_;
  std::vector<std::uint8_t> is_qualified_;  // per name: a column of it has to keep its qualifier
  std::vector<std::uint32_t> others_;       // per name: how often it stands where no relation does
  std::vector<std::uint8_t> is_relation_;   // per name
  std::vector<std::string> new_sources_, new_definitions_;
  std::vector<std::uint32_t> first_of_name_;  // per name: the definition whose new name it has
  std::uint32_t sources_ = 0, columns_ = 0, ctes_ = 0;  // numbers given
};

}  // namespace hodor
