// One listing of a Delta table's history: its position, whether a larger page is needed to compare
// it with what was recorded, and whether only we have written since.
//
// In:  the rows of DESCRIBE HISTORY t LIMIT page, in any order.
// Out: a History, or an error with a sentence when the rows prove nothing.
// Never: reads anything, or takes a listing with a gap, a doubled version or a null time for one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hodor/base/result.hpp"
#include "hodor/delta/commit.hpp"
#include "hodor/delta/position.hpp"

namespace hodor::delta {

struct Commit {
  CommitId id;
  std::string operation;  // empty when the history has null there
  Effect effect = Effect::data;
};

// A statement of ours that writes a table, named by what it leaves in the history.
enum class Write {
  create,         // CREATE [OR REPLACE] TABLE, with AS or without
  write,          // INSERT
  merge,          // MERGE
  erase,          // DELETE
  update,         // UPDATE
  truncate,       // TRUNCATE
  columns,        // ALTER TABLE … ADD, DROP, RENAME or REPLACE COLUMNS
  change_column,  // ALTER TABLE … ALTER COLUMN, COMMENT ON COLUMN: may leave no commit
};

class History {
 public:
  static Result<History> read(const std::vector<HistoryRow>& rows, std::int64_t page);

  const Position& position() const { return position_; }
  const std::vector<Commit>& commits() const { return commits_; }  // newest first

  // Whether this listing is enough to compare with a recorded position: no larger one could say
  // more. A position of another table or of nothing known is decided by any listing.
  bool decides(const Position& recorded) const;

  // Whether since `before` exactly these statements have written, in this order, each with one
  // commit, maintenance aside. No `before`: the table was made by the first of them, and the
  // listing has to show all of its history. If there is no commit at all, nobody has written.
  bool are_ours(const std::optional<Position>& before, const std::vector<Write>& writes) const;

 private:
  bool is_whole() const { return commits_.back().id.version == 0; }

  std::vector<Commit> commits_;
  Position position_;
};

}  // namespace hodor::delta
