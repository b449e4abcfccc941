#include "hodor/fingerprint/run_values.hpp"

#include <algorithm>

#include "hodor/base/limits.hpp"

namespace hodor {
namespace {

struct Candidate {
  std::string_view value;
  std::string_view placeholder;
  std::size_t at;  // next place in the text, npos when there is none
};

std::vector<Candidate> usable_values(std::string_view text, const RunValues& run_values) {
  std::vector<Candidate> candidates;
  for (const auto& [value, placeholder] : run_values) {
    const bool is_usable = value.size() >= limits::kRunValueMinBytes &&
                           value.size() <= limits::kRunValueBytes &&
                           candidates.size() < limits::kRunValues;
    if (is_usable) candidates.push_back({value, placeholder, text.find(value)});
  }
  return candidates;
}

// The leftmost, of several at one place the longest, of equal ones the first given.
const Candidate* next_of(const std::vector<Candidate>& candidates) {
  const Candidate* next = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.at == std::string_view::npos) continue;
    const bool is_better =
        next == nullptr || candidate.at < next->at ||
        (candidate.at == next->at && candidate.value.size() > next->value.size());
    if (is_better) next = &candidate;
  }
  return next;
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view(" _.:+-").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::vector<RunValuePlace> find_run_values(std::string_view text, const RunValues& run_values) {
  std::vector<Candidate> candidates = usable_values(text, run_values);
  std::vector<RunValuePlace> places;
  while (const Candidate* next = next_of(candidates)) {
    const std::size_t from = next->at + next->value.size();
    places.push_back({next->at, from, next->placeholder});
    for (Candidate& candidate : candidates) {
      if (candidate.at < from) candidate.at = text.find(candidate.value, from);
    }
  }
  return places;
}

PlacedText place_run_values(std::string_view text, const RunValues& run_values) {
  PlacedText placed;
  std::size_t from = 0;
  for (RunValuePlace place : find_run_values(text, run_values)) {
    placed.plain = placed.plain && is_plain(text.substr(place.begin, place.end - place.begin)) &&
                   is_plain(place.placeholder);
    placed.text.append(text.substr(from, place.begin - from));
    from = place.end;
    place.begin = placed.text.size();
    placed.text.append(place.placeholder);
    place.end = placed.text.size();
    placed.places.push_back(place);
  }
  placed.text.append(text.substr(from));
  return placed;
}

}  // namespace hodor
