// Values of this run (invocation id, start time) that a text contains, and the text without them.
//
// In:  a text; pairs of (value of this run, placeholder).
// Out: where such values stand, or the text with each replaced by its placeholder.
// Never: finds a value that is so short that it may stand in the text by chance.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hodor {

using RunValues = std::vector<std::pair<std::string, std::string>>;

struct RunValuePlace {
  std::size_t begin = 0;  // bytes
  std::size_t end = 0;
  std::string_view placeholder;  // of the caller's RunValues
};

// In order, without overlaps: the leftmost place first, of several values at one place the longest.
std::vector<RunValuePlace> find_run_values(std::string_view text, const RunValues& run_values);

// A text in which placeholders stand where run values stood, and where: a reader of the text alone
// could not tell a placeholder from the same bytes written by a user.
struct PlacedText {
  std::string text;
  std::vector<RunValuePlace> places;  // in `text`
  // Every value and placeholder is made of letters, digits and " _.:+-" only, so that none can end
  // the string or comment that it stands in.
  bool plain = true;
};
PlacedText place_run_values(std::string_view text, const RunValues& run_values);

}  // namespace hodor
