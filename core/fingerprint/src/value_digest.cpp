#include "hodor/fingerprint/value_digest.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "hodor/base/limits.hpp"
#include "hodor/base/sha256.hpp"

namespace hodor {
namespace {

bool has_text_keys_only(const ValueMap& map) {
  return std::all_of(map.begin(), map.end(),
                     [](const MapEntry& entry) { return entry.key.as<std::string>() != nullptr; });
}

using Entries = std::vector<const MapEntry*>;

// An error for a key that is no text or stands twice.
Result<Entries> entries_by_text_key(const ValueMap& map) {
  if (!has_text_keys_only(map)) return Error{"the keys of the parts must be texts"};
  const auto key_of = [](const MapEntry* entry) -> const std::string& {
    return *entry->key.as<std::string>();
  };
  Entries entries;
  entries.reserve(map.size());
  for (const MapEntry& entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(),
            [&](const MapEntry* a, const MapEntry* b) { return key_of(a) < key_of(b); });
  const auto same_key = [&](const MapEntry* a, const MapEntry* b) {
    return key_of(a) == key_of(b);
  };
  if (std::adjacent_find(entries.begin(), entries.end(), same_key) != entries.end()) {
    return Error{"a key stands twice in a map"};
  }
  return entries;
}

// Writes a tree into a Preimage; `problem()` is set when it does not fit.
class ValueEncoder {
 public:
  explicit ValueEncoder(Preimage& out) : out_(out) {}

  void add(std::string_view tag, const Value& value, std::size_t depth) {
    if (++count_ > limits::kValueCount) return fail("too many values");
    if (depth > limits::kValueDepth) return fail("nested too deeply");
    std::visit([&](const auto& content) { write(tag, content, depth); }, value.content);
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  void write(std::string_view tag, std::monostate, std::size_t) { out_.null(tag); }
  void write(std::string_view tag, bool value, std::size_t) { out_.boolean(tag, value); }
  void write(std::string_view tag, std::int64_t value, std::size_t) { out_.integer(tag, value); }
  void write(std::string_view tag, const BigInteger& value, std::size_t) {
    out_.big_integer(tag, value.digits);
  }
  void write(std::string_view tag, double value, std::size_t) { out_.real(tag, value); }
  void write(std::string_view, const Decimal&, std::size_t) {
    fail("a JSON number outside the integers of 64 bits has no digest");
  }
  void write(std::string_view tag, const std::string& value, std::size_t) { out_.text(tag, value); }
  void write(std::string_view tag, const Bytes& value, std::size_t) { out_.blob(tag, value.bytes); }
  void write(std::string_view tag, const Date& value, std::size_t) { out_.date(tag, value.iso); }
  void write(std::string_view tag, const DateTime& value, std::size_t) {
    out_.datetime(tag, value.iso);
  }

  void write(std::string_view tag, const ValueList& list, std::size_t depth) {
    out_.begin_list(tag);
    for (const Value& item : list) add("", item, depth + 1);
    out_.end_list();
  }

  void write(std::string_view tag, const ValueMap& map, std::size_t depth) {
    if (has_text_keys_only(map)) {
      out_.begin_map(tag);
      write_text_keys(map, depth);
      out_.end_map();
    } else {
      out_.begin_pairs(tag);
      write_any_keys(map, depth);
      out_.end_pairs();
    }
  }

  // The usual case: the key is the tag of its value.
  void write_text_keys(const ValueMap& map, std::size_t depth) {
    const Result<Entries> entries = entries_by_text_key(map);
    if (!entries.ok()) return fail(entries.error());
    for (const MapEntry* entry : entries.value()) {
      add(*entry->key.as<std::string>(), entry->value, depth + 1);
    }
  }

  // Keys of several types: pairs of fields, sorted by the bytes of the key's field.
  void write_any_keys(const ValueMap& map, std::size_t depth) {
    std::vector<std::pair<std::string, const MapEntry*>> sorted;
    sorted.reserve(map.size());
    for (const MapEntry& entry : map) {
      if (entry.key.as<ValueList>() != nullptr || entry.key.as<ValueMap>() != nullptr) {
        return fail("a list or map is no key");
      }
      Preimage key;
      ValueEncoder encoder(key);
      encoder.add("", entry.key, depth + 1);
      if (encoder.problem()) problem_ = encoder.problem();
      sorted.emplace_back(key.bytes(), &entry);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i > 0 && sorted[i].first == sorted[i - 1].first) {
        return fail("a key stands twice in a map");
      }
      add("", sorted[i].second->key, depth + 1);
      add("", sorted[i].second->value, depth + 1);
    }
  }

  void fail(std::string message) {
    if (!problem_) problem_ = Error{std::move(message)};
  }

  Preimage& out_;
  std::size_t count_ = 0;
  std::optional<Error> problem_;
};

Result<Preimage> preimage_of(std::string_view label, const Value& value) {
  Preimage preimage;
  preimage.text("kind", "value");
  preimage.text("label", label);
  ValueEncoder encoder(preimage);
  encoder.add("value", value, 0);
  if (encoder.problem()) return *encoder.problem();
  return preimage;
}

}  // namespace

Result<std::string> value_digest(std::string_view label, const Value& value) {
  HODOR_TRY(preimage, preimage_of(label, value));
  return sha256_hex(preimage.bytes());
}

Result<KeyDigests> value_digest_parts(std::string_view label, const Value& value) {
  const ValueMap* map = value.as<ValueMap>();
  if (map == nullptr) return Error{"only a map has parts"};
  HODOR_TRY(entries, entries_by_text_key(*map));
  KeyDigests digests;
  digests.reserve(entries.size());
  Preimage preimage;
  for (const MapEntry* entry : entries) {
    const std::string& key = *entry->key.as<std::string>();
    preimage.clear();
    preimage.text("part", label);  // kept short: most parts then fit one block of SHA-256
    ValueEncoder encoder(preimage);
    encoder.add(key, entry->value, 0);
    if (encoder.problem()) return *encoder.problem();
    digests.emplace_back(key, sha256_hex(preimage.bytes()));
  }
  return digests;
}

Result<std::string> dump_value(std::string_view label, const Value& value) {
  HODOR_TRY(preimage, preimage_of(label, value));
  return preimage.dump();
}

}  // namespace hodor
