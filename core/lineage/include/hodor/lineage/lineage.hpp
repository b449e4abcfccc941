// Follows what a text reads through the views of the warehouse down to tables, files and values.
//
// In:  facts of a text, and a catalog of what stands in the warehouse (tables, views with the facts
//      of *their warehouse definition*, user macros).
// Out: every input with the direct relation through which it is reached.
// Never: looks at dbt's graph or at a file that was not built; an unresolved name is an opaque
// input.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hodor/base/limits.hpp"
#include "hodor/facts/facts.hpp"

namespace hodor {

enum class InputKind { table, view, file, function, volatile_value, opaque };

// Limits of one trace; what lies beyond them is an opaque input.
using limits::kMaxInputsOfView;
using limits::kMaxViewDepth;

struct Input {
  InputKind kind = InputKind::opaque;
  // table, view: relation key · file: "<function>:<pattern>" (function empty for a name in FROM,
  // "delta" for a path) · function: its name · volatile_value: date, session, always ·
  // opaque: a description.
  std::string key;
  // Key of the direct relation, "function:<called name>" for what a function's body reads, or the
  // same as key.
  std::string group;
  std::string definition_hash;  // of a view or function
  auto operator<=>(const Input&) const = default;
};

// Lower-case (ASCII) parts joined by '.'; a part with '.', ':' or '"', or an empty one, is quoted
// with doubled quotes. So no key begins like "view:", "code:" or "file:".
std::string relation_key(const std::vector<std::string>& parts);

// The relations of one warehouse at one moment. Not thread-safe, `const` members included (they
// memoise): the session guards it.
//
// Names resolve as DuckDB does it [measured on 2.0.1]. One part: temporary objects, then the schema
// of the view that holds the text, then the default schema, then `main`. Two parts:
// `schema.relation` in the database of the view (DuckDB prints view SQL without it) or the default
// database, or `database.relation`; more than one fitting relation is opaque. Names in a function's
// body resolve where the function is called.
class Catalog {
 public:
  // Names are (database, schema, relation). `default_database/schema`: how partial names resolve.
  // A new catalog is like one after invalidate().
  Catalog(std::string default_database, std::string default_schema);
  void put_table(const std::vector<std::string>& parts);
  // `facts` empty: the definition could not be analysed; everything behind it is unknown.
  void put_view(const std::vector<std::string>& parts, std::string definition_hash,
                std::optional<Facts> facts);
  // A user macro or function (`name` may be qualified); `facts` of its body (table macros: of its
  // query). Another definition under a known name is an overload: both count until clear_functions.
  void put_function(const std::string& name, std::string definition_hash,
                    std::optional<Facts> facts);
  void clear_functions();  // before user functions are listed again
  // Functions of the engine itself; a called name in neither list is an opaque input. Ends what
  // invalidate() began, so it is called after relations and functions were put again.
  void set_builtin_functions(std::vector<std::string> names);
  void remove(const std::vector<std::string>& parts);
  // Nothing is known any more: every trace has an opaque input until set_builtin_functions is
  // called.
  void invalidate();
  // A session made temporary objects that no listing shows: names without a database are opaque
  // from now on, in views too.
  void distrust_partial_names();

  // The inputs of `facts`. `reader` is the relation being built (its reads of itself are left out).
  // Sorted, without duplicates. Volatile calls: `logic` of the text itself, and stamps too of views
  // and functions on the way, since their readers use the value.
  std::vector<Input> trace(const Facts& facts, const std::vector<std::string>& reader) const;
  // Whether the order of input rows matters to the text or to any view or function on the way.
  bool order_sensitive(const Facts& facts) const;
  // Existence and type: "table", "view" or empty.
  std::string type_of(const std::vector<std::string>& parts) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hodor
