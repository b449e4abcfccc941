// Reads one listing, and compares it with what we know of our own writes.
#include "hodor/delta/history.hpp"

#include <algorithm>
#include <utility>

#include "hodor/base/limits.hpp"

namespace hodor::delta {
namespace {

bool leaves(Write write, std::string_view operation) {
  const auto is_one_of = [operation](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), operation) != names.end();
  };
  switch (write) {
    case Write::create:
      return is_one_of({"CREATE TABLE", "CREATE OR REPLACE TABLE", "REPLACE TABLE",
                        "CREATE TABLE AS SELECT", "CREATE OR REPLACE TABLE AS SELECT",
                        "REPLACE TABLE AS SELECT"});
    case Write::write:
      return operation == "WRITE";
    case Write::merge:
      return operation == "MERGE";
    case Write::erase:
      return operation == "DELETE";
    case Write::update:
      return operation == "UPDATE";
    case Write::truncate:
      return operation == "TRUNCATE";
    case Write::columns:
      return is_one_of({"ADD COLUMNS", "DROP COLUMNS", "RENAME COLUMN", "REPLACE COLUMNS"});
    case Write::change_column:
      return is_one_of({"CHANGE COLUMN", "CHANGE COLUMNS"});
  }
  return false;
}

}  // namespace

Result<History> History::read(const std::vector<HistoryRow>& rows, std::int64_t page) {
  if (rows.empty()) return Error{"the history is empty"};
  if (page <= 0 || static_cast<std::size_t>(page) > limits::kHistoryRows) {
    return Error{"the size of the page is not one that is asked for"};
  }
  if (rows.size() > static_cast<std::size_t>(page)) {
    return Error{"the history has more rows than were asked for"};
  }
  History history;
  for (const HistoryRow& row : rows) {
    if (!row.version || *row.version < 0) return Error{"a commit has no version"};
    if (!row.time_ms) return Error{"a commit has no time"};
    history.commits_.push_back(
        {{*row.version, *row.time_ms}, row.operation.value_or(""), effect_of(row)});
  }
  std::sort(history.commits_.begin(), history.commits_.end(),
            [](const Commit& a, const Commit& b) { return a.id.version > b.id.version; });
  for (std::size_t place = 1; place < history.commits_.size(); ++place) {
    if (history.commits_[place].id.version + 1 != history.commits_[place - 1].id.version) {
      return Error{"the history has a gap or a commit twice"};
    }
  }
  Position& position = history.position_;
  position.anchor = history.commits_.front().id;
  position.page = page;
  for (const Commit& commit : history.commits_) {
    if (commit.effect == Effect::data) {
      position.change = commit.id;
      break;
    }
    if (!(commit.id == position.anchor)) position.trail.push_back(commit.id);
  }
  return history;
}

bool History::decides(const Position& recorded) const {
  if (position_.change || position_.covers(recorded.anchor)) return true;
  return commits_.size() < static_cast<std::size_t>(position_.page) || is_whole();
}

bool History::are_ours(const std::optional<Position>& before,
                       const std::vector<Write>& writes) const {
  std::vector<std::string_view> since;  // oldest first
  bool found = false;
  for (const Commit& commit : commits_) {
    if (before && commit.id == before->anchor) {
      found = true;
      break;
    }
    if (!is_maintenance(commit.operation)) since.insert(since.begin(), commit.operation);
  }
  if (before ? !found : !is_whole()) return false;
  if (before && since.empty()) return true;
  std::size_t place = 0;
  for (const Write write : writes) {
    if (place < since.size() && leaves(write, since[place])) {
      ++place;
    } else if (write != Write::change_column) {
      return false;
    }
  }
  return place == since.size();
}

}  // namespace hodor::delta
