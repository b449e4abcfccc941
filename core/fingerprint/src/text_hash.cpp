#include "hodor/fingerprint/text_hash.hpp"

#include <cstddef>

#include "hodor/base/limits.hpp"
#include "hodor/base/sha256.hpp"

namespace hodor {
namespace {

struct Occurrence {
  std::string_view value;
  std::string_view placeholder;
  std::size_t at;  // next place in the text, npos when there is none
};

std::vector<Occurrence> first_occurrences(std::string_view text, const RunValues& run_values) {
  std::vector<Occurrence> occurrences;
  for (const auto& [value, placeholder] : run_values) {
    const bool is_usable = value.size() >= limits::kRunValueMinBytes &&
                           value.size() <= limits::kRunValueBytes &&
                           occurrences.size() < limits::kRunValues;
    if (is_usable) occurrences.push_back({value, placeholder, text.find(value)});
  }
  return occurrences;
}

// The leftmost occurrence, of several at one place the longest, of equal ones the first given.
const Occurrence* next_of(const std::vector<Occurrence>& occurrences) {
  const Occurrence* next = nullptr;
  for (const Occurrence& candidate : occurrences) {
    if (candidate.at == std::string_view::npos) continue;
    const bool is_better =
        next == nullptr || candidate.at < next->at ||
        (candidate.at == next->at && candidate.value.size() > next->value.size());
    if (is_better) next = &candidate;
  }
  return next;
}

}  // namespace

void add_text_without_run_values(Preimage& preimage, std::string_view text,
                                 const RunValues& run_values) {
  std::vector<Occurrence> occurrences = first_occurrences(text, run_values);
  std::size_t from = 0;
  preimage.begin_list("text");
  while (const Occurrence* next = next_of(occurrences)) {
    preimage.text("", text.substr(from, next->at - from));
    preimage.text("run_value", next->placeholder);
    from = next->at + next->value.size();
    for (Occurrence& occurrence : occurrences) {
      if (occurrence.at < from) occurrence.at = text.find(occurrence.value, from);
    }
  }
  preimage.text("", text.substr(from));
  preimage.end_list();
}

std::string text_hash(std::string_view text, const RunValues& run_values) {
  Preimage preimage;
  preimage.text("kind", "text");
  add_text_without_run_values(preimage, text, run_values);
  return sha256_hex(preimage.bytes());
}

}  // namespace hodor
