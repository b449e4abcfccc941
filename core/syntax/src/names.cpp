// See names.hpp.
#include "hodor/syntax/names.hpp"

#include <algorithm>
#include <cstring>

#include "characters.hpp"
#include "folded_hash.hpp"

namespace hodor {
namespace {

constexpr std::size_t kFirstSlots = 256;

// For short texts cheaper than the call of memcmp.
bool is_equal(const char* a, const char* b, std::size_t size) {
  if (size < 4 || size > 16) return std::memcmp(a, b, size) == 0;
  const auto differ = [&](auto first, auto other, std::size_t at) {
    std::memcpy(&first, a + at, sizeof first);
    std::memcpy(&other, b + at, sizeof other);
    return first ^ other;
  };
  if (size >= 8) {
    constexpr std::uint64_t k = 0;
    return (differ(k, k, 0) | differ(k, k, size - 8)) == 0;
  }
  constexpr std::uint32_t k = 0;
  return (differ(k, k, 0) | differ(k, k, size - 4)) == 0;
}

}  // namespace

Names::Names(Dialect dialect) : dialect_(dialect), slots_(2, kNoName) {
  Entry none;
  none.word = &find_word(dialect, {});
  entries_.push_back(none);
}

bool Names::is_same(const Entry& entry, std::string_view value) const {
  if (entry.size != value.size()) return false;
  const char* folded = folded_.data() + entry.begin;
  // Most names are in lower case already.
  return is_equal(value.data(), folded, entry.size) ||
         equals_ignoring_case(value, {folded, entry.size});
}

NameId Names::find(std::string_view value) const {
  const std::uint32_t hash = folded_hash(value);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != kNoName; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && is_same(entry, value)) return slots_[slot];
  }
  return kNoName;
}

std::vector<NameId> Names::find_all(std::span<const std::string_view> values) const {
  std::vector<NameId> found;
  for (const std::string_view value : values) {
    const NameId name = find(value);
    if (name != kNoName) found.push_back(name);
  }
  return found;
}

NameId Names::add(std::string_view value) {
  if (value.empty()) return kNoName;  // Spark: ``
  const std::uint32_t hash = folded_hash(value);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kNoName; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && is_same(entry, value)) return slots_[slot];
  }
  Entry entry{static_cast<std::uint32_t>(folded_.size()),
              static_cast<std::uint32_t>(value.size()),
              hash,
              true,
              !is_digit(value[0]),
              false,
              nullptr};
  for (const char c : value) {
    folded_.push_back(lower(c));
    entry.is_ascii = entry.is_ascii && !is_wide(c);
    entry.is_plain = entry.is_plain && (is_letter(c) || is_digit(c) || c == '_');
  }
  const std::size_t before_digits = value.find_last_not_of("0123456789");
  entry.is_numbered = before_digits != std::string_view::npos && before_digits + 1 < value.size() &&
                      value[before_digits] == '_';
  entry.word = &find_word(dialect_, value);
  const auto id = static_cast<NameId>(entries_.size());
  entries_.push_back(entry);
  slots_[slot] = id;
  if (entries_.size() * 2 >= slots_.size()) grow();
  return id;
}

void Names::grow() {
  slots_.assign(std::max<std::size_t>(slots_.size() * 4, kFirstSlots), kNoName);
  entries_.reserve(slots_.size() / 2);
  const std::size_t mask = slots_.size() - 1;
  for (NameId id = 1; id < entries_.size(); ++id) {
    std::size_t slot = entries_[id].hash & mask;
    while (slots_[slot] != kNoName) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

WordSet::WordSet(Dialect dialect, std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    const std::uint16_t number = find_word(dialect, word).number;
    if (number == 0) {
      others_.push_back(word);
      continue;
    }
    if (listed_.size() <= number) listed_.resize(number + 1u);
    listed_[number] = true;
  }
  std::sort(others_.begin(), others_.end());
}

bool WordSet::has_other(std::string_view word) const {
  return std::binary_search(others_.begin(), others_.end(), word);
}

}  // namespace hodor
