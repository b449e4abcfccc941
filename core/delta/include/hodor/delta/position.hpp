// Where a table stands in its history: the data part of a Delta table's version token.
//
// In:  what a listing of the history showed, or the text of it.
// Out: the text; `same`, `changed` or `unknown` for a position now and a recorded one.
// Never: `same` without one of two proofs: the newest change of the rows is the recorded one, or
// the newest commit that was recorded is still listed and every newer one is harmless.
//
// The second proof is what keeps a table reusable when its log was cleaned up, or when maintenance
// has pushed its last change out of every listing that is worth reading.
//
// Grammar: position ::= "history:" change "," anchor "," page { "," commit }
//          change ::= "-" | commit     anchor ::= commit     commit ::= version "@" time_ms
// The commits at the end are the harmless ones since the change, newest first, without the anchor:
// only a position of now has them; what is recorded does not.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hodor::delta {

struct CommitId {
  std::int64_t version = 0;
  std::int64_t time_ms = 0;  // versions begin anew when a table is dropped and made again
  bool operator==(const CommitId&) const = default;
};

struct Position {
  std::optional<CommitId> change;  // none: the whole listing is harmless
  CommitId anchor;                 // the newest commit
  std::int64_t page = 0;  // rows asked for: without in-commit timestamps times depend on it
  std::vector<CommitId> trail;

  std::string text() const;
  std::string recorded_text() const;  // without the trail
  // Whether the rows at this commit are those of this position.
  bool covers(const CommitId& commit) const;
};

enum class Standing { same, changed, unknown };

bool is_position(std::string_view text);
// Nothing when the text does not follow the grammar.
std::optional<Position> parse_position(std::string_view text);
Standing compare(const Position& now, const Position& recorded);

}  // namespace hodor::delta
