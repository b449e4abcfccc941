// Writes, reads and compares positions. The grammar and the two proofs stand in the header.
#include "hodor/delta/position.hpp"

#include <algorithm>
#include <charconv>

#include "hodor/base/limits.hpp"

namespace hodor::delta {
namespace {

constexpr std::string_view kPrefix = "history:";
constexpr std::string_view kNoChange = "-";

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  // One text per number, so that equal positions have equal texts.
  if (error != std::errc() || stopped != end || std::to_string(value) != text) return std::nullopt;
  return value;
}

std::optional<CommitId> commit_of(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  const auto version = integer_of(text.substr(0, at));
  const auto time_ms = integer_of(text.substr(at + 1));
  if (!version || *version < 0 || !time_ms) return std::nullopt;
  return CommitId{*version, *time_ms};
}

std::string text_of(const CommitId& commit) {
  return std::to_string(commit.version) + "@" + std::to_string(commit.time_ms);
}

}  // namespace

std::string Position::recorded_text() const {
  std::string text(kPrefix);
  text += change ? text_of(*change) : std::string(kNoChange);
  text += "," + text_of(anchor) + "," + std::to_string(page);
  return text;
}

std::string Position::text() const {
  std::string text = recorded_text();
  for (const CommitId& commit : trail) text += "," + text_of(commit);
  return text;
}

bool Position::covers(const CommitId& commit) const {
  return commit == anchor || (change && commit == *change) ||
         std::find(trail.begin(), trail.end(), commit) != trail.end();
}

bool is_position(std::string_view text) { return text.substr(0, kPrefix.size()) == kPrefix; }

std::optional<Position> parse_position(std::string_view text) {
  if (!is_position(text)) return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::string_view rest = text.substr(kPrefix.size());;) {
    const std::size_t comma = rest.find(',');
    parts.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (parts.size() < 3 || parts.size() > limits::kHistoryRows + 3) return std::nullopt;
  Position position;
  if (parts[0] != kNoChange) {
    position.change = commit_of(parts[0]);
    if (!position.change) return std::nullopt;
  }
  const auto anchor = commit_of(parts[1]);
  const auto page = integer_of(parts[2]);
  if (!anchor || !page || *page <= 0) return std::nullopt;
  position.anchor = *anchor;
  position.page = *page;
  for (std::size_t place = 3; place < parts.size(); ++place) {
    const auto commit = commit_of(parts[place]);
    if (!commit) return std::nullopt;
    position.trail.push_back(*commit);
  }
  return position;
}

Standing compare(const Position& now, const Position& recorded) {
  const bool same_change = now.change && recorded.change && *now.change == *recorded.change;
  if (same_change || now.covers(recorded.anchor)) return Standing::same;
  // Another page may show the same commit with another time.
  if (now.page != recorded.page) return Standing::unknown;
  return now.change ? Standing::changed : Standing::unknown;
}

}  // namespace hodor::delta
