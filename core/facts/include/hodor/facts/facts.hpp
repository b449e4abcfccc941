// What one SQL text reads, calls and depends on: the answers that decisions need, without the SQL.
//
// In:  nothing; this is data. `extract/` makes it from a syntax tree, `facts/codec` stores it.
// Out: plain structs, ordered and without duplicates, so that equal facts have equal encodings.
// Never: claims more than was proven. `exact == false` means that some text was not understood, and
// every reader must then treat the inputs as unknown.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace hodor {

// A relation as the text names it: one to three parts, unquoted, case as written.
struct RelationName {
  std::vector<std::string> parts;
  bool pinned = false;  // time travel: reads a fixed version, never comparable
  auto operator<=>(const RelationName&) const = default;
};

// A file read by literal name or glob: `'x.parquet'` in FROM (function empty), read_csv('x.csv').
struct FileRead {
  std::string pattern;
  std::string function;
  auto operator<=>(const FileRead&) const = default;
};

enum class VolatileClass { date, session, always };
enum class VolatileUse { stamp, logic };

// One call whose value changes without any input changing.
struct VolatileCall {
  VolatileClass volatile_class = VolatileClass::always;
  VolatileUse use = VolatileUse::logic;
  std::string text;   // the call as written, for people
  std::string alias;  // output column of a stamp, else empty
  auto operator<=>(const VolatileCall&) const = default;
};

// How a text reads the relation that it builds (incremental models). decisions.md 8b (c).
enum class OwnReads { none, high_water_mark, other };
struct OwnReadFacts {
  OwnReads reads = OwnReads::none;
  bool plain_greater = false;  // `column > (select max(c) from this)`, no arithmetic, no coalesce
  auto operator<=>(const OwnReadFacts&) const = default;
};

struct Facts {
  bool exact = false;                   // the whole skeleton was understood
  std::vector<RelationName> relations;  // read by scope: CTE names are not in it
  std::vector<std::string> paths;       // delta.`/path`
  std::vector<FileRead> files;
  std::vector<std::string>
      opaque_inputs;  // table functions and reads nobody can version, for people
  std::vector<VolatileCall> volatile_calls;
  std::vector<std::string> functions;       // called, lower case, qualified names joined by '.'
  std::vector<std::string> columns;         // column names mentioned, lower case
  std::vector<std::string> output_columns;  // of the final SELECT when all are named, else empty
  bool star = false;                        // output columns follow an input's schema
  bool order_sensitive = false;             // the result depends on the order of input rows
  bool inexact = false;  // makes values that may equal another and differ: floats, intervals
  bool merges = false;   // makes one value of several rows': a sum, a group key, DISTINCT
  OwnReadFacts own;
  auto operator<=>(const Facts&) const = default;
};

// One statement of a hook or of sql_header.
enum class StatementKind {
  query,     // SELECT: reads only
  harmless,  // GRANT, ANALYZE, COMMENT, OPTIMIZE, ... : changes no data that a node reads
  write,     // writes `target`; facts say what it reads
  session,   // SET, USE, PRAGMA, CREATE TEMP ..., LOAD: changes how later statements run
  loads,     // brings data in from outside (COPY FROM, CALL, ATTACH, INSTALL, ...)
  opaque     // not understood
};
struct StatementFacts {
  StatementKind kind = StatementKind::opaque;
  std::optional<RelationName> target;  // of a write
  Facts facts;
  auto operator<=>(const StatementFacts&) const = default;
};

}  // namespace hodor
