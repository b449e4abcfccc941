// See names.hpp. The order of look-ups was measured on DuckDB 2.0.1 and stands in lineage.hpp.
#include "names.hpp"

#include <array>

namespace hodor {
namespace {

constexpr std::string_view kTemporary = "temp";
constexpr std::string_view kMain = "main";

std::string lower(std::string_view text) {
  std::string out;
  append_lower(out, text);
  return out;
}

// What the engine tells about itself has no version.
bool is_system_name(const std::vector<std::string>& parts) {
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    for (const std::string_view system : {"information_schema", "pg_catalog", "system"}) {
      if (equals_lower(parts[i], system)) return true;
    }
  }
  if (parts.size() > 2) return false;
  const std::string_view name = parts.back();
  for (const std::string_view prefix : {"duckdb_", "pragma_", "sqlite_", "pg_"}) {
    if (equals_lower(name.substr(0, prefix.size()), prefix)) return true;
  }
  return false;
}

bool looks_like_file(std::string_view name) {
  std::string text = lower(name);
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (text.ends_with(packed)) text.resize(text.size() - packed.size());
  }
  for (const std::string_view ending : {".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"}) {
    if (text.ends_with(ending)) return true;
  }
  return false;
}

Resolved problem(const char* text) { return {nullptr, false, text}; }

// Another connection, such as the one that reads versions, does not see a temporary relation.
Resolved found(const Relation* relation) {
  if (relation->scope.database == kTemporary) return problem("a temporary relation");
  return {relation, false, nullptr};
}

}  // namespace

Names::Names(std::string_view default_database, std::string_view default_schema)
    : default_scope_{lower(default_database), lower(default_schema)} {}

Relation* Names::put(const std::vector<std::string>& parts) {
  if (parts.size() != 3) return nullptr;
  std::string key = relation_key(parts);
  Relation& relation = relations_[key];
  if (relation.key.empty()) {
    relation.key = std::move(key);
    relation.scope = Scope{lower(parts[0]), lower(parts[1])};
    databases_.insert(relation.scope.database);
    schemas_.insert(relation_key({parts[0], parts[1]}));
  }
  return &relation;
}

bool Names::remove(const std::vector<std::string>& parts) {
  return relations_.erase(relation_key(parts)) > 0;
}

void Names::clear() {
  relations_.clear();
  databases_.clear();
  schemas_.clear();
}

const Relation* Names::find(std::string_view database, std::string_view schema,
                            std::string_view name) const {
  key_.clear();
  append_key_part(key_, database);
  key_.push_back('.');
  append_key_part(key_, schema);
  key_.push_back('.');
  append_key_part(key_, name);
  const auto it = relations_.find(std::string_view(key_));
  return it == relations_.end() ? nullptr : &it->second;
}

Resolved Names::resolve(const std::vector<std::string>& parts, const Scope& scope) const {
  if (parts.empty() || parts.size() > 3) return problem("a name of too many parts");
  if (parts.size() == 3) {
    if (is_system_name(parts)) return problem("a relation of the engine itself");
    const Relation* relation = find(parts[0], parts[1], parts[2]);
    return relation != nullptr ? found(relation) : problem("a relation that is not known");
  }
  if (is_system_name(parts)) return problem("a relation of the engine itself");
  if (parts.size() == 2) return resolve_two(parts[0], parts[1], scope);
  return resolve_one(parts[0], scope, looks_like_file(parts[0]));
}

Resolved Names::resolve_file_name(const std::string& name, const Scope& scope) const {
  return resolve_one(name, scope, true);
}

Resolved Names::resolve_one(const std::string& name, const Scope& scope, bool is_file) const {
  if (!partial_names_are_certain_ || find(kTemporary, kMain, name) != nullptr) {
    return problem("a name that a temporary object may hide");
  }
  const std::array<const Relation*, 3> candidates = {
      find(scope.database, scope.schema, name),
      find(default_scope_.database, default_scope_.schema, name),
      find(default_scope_.database, kMain, name)};
  for (const Relation* relation : candidates) {
    if (relation != nullptr) return found(relation);
  }
  if (is_file) return {nullptr, true, nullptr};
  return problem("a relation that is not known");
}

Resolved Names::resolve_two(const std::string& qualifier, const std::string& name,
                            const Scope& scope) const {
  if (!partial_names_are_certain_ || find(kTemporary, qualifier, name) != nullptr) {
    return problem("a name that a temporary object may hide");
  }
  const std::string database = lower(qualifier);
  if (databases_.contains(database) &&
      schemas_.contains(relation_key({scope.database, qualifier}))) {
    return problem("a name whose first part is a schema and a database");
  }
  const Relation* in_schema = find(scope.database, qualifier, name);
  const Relation* in_main = find(qualifier, kMain, name);
  const Relation* in_own_schema =
      database == scope.database ? find(qualifier, scope.schema, name) : nullptr;
  const Relation* only = nullptr;
  for (const Relation* relation : {in_schema, in_main, in_own_schema}) {
    if (relation == nullptr || relation == only) continue;
    if (only != nullptr) return problem("a name that fits several relations");
    only = relation;
  }
  return only != nullptr ? found(only) : problem("a relation that is not known");
}

}  // namespace hodor
