#include "hodor/fingerprint/relation_ids.hpp"

#include <algorithm>

namespace hodor {
namespace {

// Empty for a name that has no three parts. A length stands before each part, so that no two names
// have one key.
std::string key_of(const RelationIds::Parts& parts) {
  std::string key;
  if (parts.size() != 3) return key;
  for (const std::string& part : parts) {
    key.append(std::to_string(part.size())).push_back(':');
    for (const char c : part) key.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  return key;
}

}  // namespace

RelationIds::RelationIds(const std::vector<std::pair<Parts, std::string>>& pairs) {
  for (const auto& [parts, id] : pairs) {
    const std::string key = key_of(parts);
    if (key.empty()) continue;
    const auto [entry, is_new] = ids_.emplace(key, id);
    if (!is_new && entry->second != id) entry->second.clear();
  }
}

const std::string* RelationIds::find(const Parts& parts) const {
  const auto entry = ids_.find(key_of(parts));
  return entry == ids_.end() || entry->second.empty() ? nullptr : &entry->second;
}

}  // namespace hodor
