// Follows what a text reads through the views of the warehouse down to tables, files and values.
//
// In:  facts of a text, and a catalog of what stands in the warehouse (tables, views with the facts
//      of *their warehouse definition*, user macros).
// Out: every input with the direct relation through which it is reached.
// Never: looks at dbt's graph or at a file that was not built; an unresolved name is an opaque input.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hodor/facts/facts.hpp"

namespace hodor {

enum class InputKind { table, view, file, function, volatile_value, opaque };

struct Input {
  InputKind kind = InputKind::opaque;
  std::string key;    // relation key, file pattern, function name, volatile class, or a description
  std::string group;  // key of the direct input, or the same as key
  std::string definition_hash;  // of a view or function
  auto operator<=>(const Input&) const = default;
};

// Lower-case parts joined by '.', a part with '.', '"' or nothing in it quoted with doubled quotes.
std::string relation_key(const std::vector<std::string>& parts);

// The relations of one warehouse at one moment. Not thread-safe: the session guards it.
class Catalog {
 public:
  // Names are (database, schema, relation). `default_database/schema`: how partial names resolve.
  Catalog(std::string default_database, std::string default_schema);
  void put_table(const std::vector<std::string>& parts);
  // `facts` empty: the definition could not be analysed; everything behind it is unknown.
  void put_view(const std::vector<std::string>& parts, std::string definition_hash,
                std::optional<Facts> facts);
  // A user macro or function; `facts` of its body (table macros: of its query).
  void put_function(const std::string& name, std::string definition_hash,
                    std::optional<Facts> facts);
  // Functions of the engine itself; a called name in neither list is an opaque input.
  void set_builtin_functions(std::vector<std::string> names);
  void remove(const std::vector<std::string>& parts);
  void invalidate();  // nothing is known any more: every trace is opaque until entries are put again

  // The inputs of `facts`. `reader` is the relation being built (its reads of itself are left out).
  std::vector<Input> trace(const Facts& facts, const std::vector<std::string>& reader) const;
  // Existence and type: "table", "view" or empty.
  std::string type_of(const std::vector<std::string>& parts) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hodor
