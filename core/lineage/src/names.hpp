// Finds the relation that a written name means, in the scope in which the text stands.
//
// In:  name parts, a scope, the relations of the warehouse.
// Out: one relation, a file, or the reason why it is not certain.
// Never: picks one of several relations that would fit.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hodor/lineage/lineage.hpp"

namespace hodor {

void append_lower(std::string& out, std::string_view text);
void append_key_part(std::string& out, std::string_view part);
// Whether `text` is `lower_text` but for the case of ASCII letters.
bool equals_lower(std::string_view text, std::string_view lower_text);

// Where a text stands: partial names are looked up here first. Lower case.
struct Scope {
  std::string database, schema;
};

// What a view reads in the end, without the group, which differs per reader.
struct Closure {
  std::vector<Input> inputs;
  bool order_sensitive = true;
  bool inexact = true;  // see Facts
  bool merges = true;
  std::uint64_t generation = 0;  // of the catalog when it was made
};

struct Relation {
  bool is_view = false;
  std::string key;
  Scope scope;
  std::string definition_hash;
  std::optional<Facts> facts;
  mutable std::optional<Closure> closure;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
template <typename Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using Texts = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// Exactly one of the three is set.
struct Resolved {
  const Relation* relation = nullptr;
  bool is_file = false;
  const char* problem = nullptr;
};

class Names {
 public:
  Names(std::string_view default_database, std::string_view default_schema);

  const Scope& default_scope() const { return default_scope_; }
  // Null when `parts` are not (database, schema, relation).
  Relation* put(const std::vector<std::string>& parts);
  bool remove(const std::vector<std::string>& parts);
  void clear();
  void distrust_partial() { partial_names_are_certain_ = false; }

  const Relation* find(std::string_view database, std::string_view schema,
                       std::string_view name) const;
  Resolved resolve(const std::vector<std::string>& parts, const Scope& scope) const;
  // A string in FROM: a relation of that name wins over the file.
  Resolved resolve_file_name(const std::string& name, const Scope& scope) const;

 private:
  Resolved resolve_one(const std::string& name, const Scope& scope, bool is_file) const;
  Resolved resolve_two(const std::string& qualifier, const std::string& name,
                       const Scope& scope) const;

  Scope default_scope_;
  bool partial_names_are_certain_ = true;
  ByText<Relation> relations_;
  // Names that were ever seen; one that is gone can only make a name ambiguous.
  Texts databases_, schemas_;
  mutable std::string key_;  // spares an allocation per look-up
};

}  // namespace hodor
