// What the names of a query mean, as far as that is certain.
//
// In:  a tree without problems, and the columns of the tables that the caller knows.
// Out: the names that the text itself gives (aliases of tables, CTEs, columns), its FROM sources in
// the
//      order of the text, and every reference that certainly means one of them, with what it takes
//      for granted of tables whose columns are not known.
// Never: a guess. A reference that could mean two things is not resolved; a name with a byte beyond
//        ASCII, or in a place that is not followed (lambdas, pivots, stars with options), neither.
//
// A source is *closed* when all of its columns are known, *open* when it has those of a table whose
// columns are not (that the table lacks a name can be assumed, and is noted as an `Absence`), and
// *unknown* when nothing can be assumed of it either.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hodor/syntax/ast.hpp"

namespace hodor {

// Taken for granted: `relation` (its name as written, lower case) has no column of this name.
struct Absence {
  std::string relation;
  std::string column;
  auto operator<=>(const Absence&) const = default;
};

// Columns by relation name, lower case, parts joined by '.'.
using KnownColumns = std::map<std::string, std::vector<std::string>, std::less<>>;

inline constexpr std::uint32_t kNone = 0xffffffff;
inline constexpr NameId kOtherName = 0xffffffff;  // of a column that the text does not name

// The same as an Absence, while a text is read: a place in Scopes::tables, and a name of the text.
struct Gap {
  std::uint32_t table = 0;
  NameId column = kNoName;
  bool operator==(const Gap&) const = default;
  bool operator<(const Gap& other) const { return number() < other.number(); }
  std::uint64_t number() const { return std::uint64_t{table} << 32 | column; }
};
// Half-open, in Scopes::gaps.
struct GapRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct Definition {
  enum class Kind : std::uint8_t { source, cte, column };
  Kind kind = Kind::column;
  NameId name = kNoName;  // kNoName: cannot be resolved to
  std::uint32_t token = 0;
  bool is_visible = false;  // the name itself can reach the result
};

struct Column {
  NameId name = kNoName;             // kNoName: made by the engine
  std::uint32_t definition = kNone;  // kNone: the name comes from a table
};

struct RowShape {
  bool is_unknown = false;
  std::vector<std::uint32_t> open;  // tables whose columns it has and that are not known
  std::vector<Column> columns;
  bool is_numbered = false;  // two columns of one name would be told apart by numbers
  bool is_closed() const { return !is_unknown && open.empty(); }
};

struct Source {
  NameId name = kNoName;
  std::uint32_t definition = kNone;  // of its alias
  std::uint32_t path_token = kNone;  // the last part of a relation's name
  RowShape shape;
  bool is_hidden = false;  // the right side of a SEMI or ANTI join, after its ON
};

// A column as written: `c`, `q.c`, `q.c.field`.
struct Reference {
  NodeId node = kNoNode;
  std::uint32_t source = kNone;  // what the qualifier means
  GapRange for_source;
  std::uint32_t definition = kNone;  // the column that is meant, when the text gives it its name
  GapRange for_definition;
  bool keeps_case = false;  // the last part may become a column's name as it is written
  bool is_bare = false;  // without its qualifier it would mean the same, if the sources in `rivals`
  std::uint32_t rivals_begin = 0;  // ... (a range of Scopes::rivals) lack its column
  std::uint32_t rivals_end = 0;
};

// A star with a qualifier that means a source.
struct StarReference {
  std::uint32_t token = 0;
  std::uint32_t source = kNone;
  GapRange for_source;
};

// A relation's name that means a CTE.
struct CteReference {
  std::uint32_t token = 0;
  std::uint32_t definition = kNone;
};

struct Scopes {
  std::vector<Definition> definitions;
  std::vector<Source> sources;
  std::vector<Reference> references;
  std::vector<StarReference> stars;
  std::vector<CteReference> ctes;
  std::vector<std::string> tables;  // names as written, lower case, parts joined by '.'
  std::vector<Gap> gaps;
  std::vector<std::uint32_t> rivals;  // sources
  // A function that could read names of the text is called: nothing may be renamed.
  bool reads_names = false;
};

Scopes resolve_names(const Tree& tree, const KnownColumns& known);

// Where the name of a CTE under RECURSIVE means itself: the last branch of its query, if that is a
// union; else nowhere.
TokenRange recursive_branch(const Tree& tree, NodeId query);

// Whether an engine could make this name of the text of an expression: it is more than a word.
inline bool may_be_made_of_text(const Tree& tree, NameId name) {
  return !tree.names.is_plain(name);
}
// `a_1`: DuckDB gives such a name to the second column `a` of a subquery.
inline bool is_numbered(const Tree& tree, NameId name) {
  return tree.dialect == Dialect::duckdb && tree.names.is_numbered(name);
}
// Whether a column could have this name that does not stand in the text.
bool may_make(const Tree& tree, const RowShape& shape, NameId name);

// The name in a token as names are compared. kNoName when it is not ASCII or no name.
inline NameId ascii_name(const Tree& tree, std::uint32_t token) {
  const NameId name = tree.tokens[token].name;
  return tree.names.is_ascii(name) ? name : kNoName;
}

}  // namespace hodor
