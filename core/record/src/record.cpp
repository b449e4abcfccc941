#include "hodor/record/record.hpp"

#include <initializer_list>

#include "hodor/base/json.hpp"
#include "hodor/base/limits.hpp"

namespace hodor {
namespace {

constexpr std::int64_t kDetailVersion = 1;

// Known or an error: a token was stored, so a text that is none means a damaged row.
Result<DataVersion> parse_version(std::string_view token) {
  DataVersion version = DataVersion::parse(token);
  if (!version.is_known()) return Error{"a data version does not follow its grammar"};
  return version;
}

Result<bool> fixpoint_of(std::string_view detail) {
  HODOR_TRY(value, json::parse(detail));
  const Value* version = json::find(value, "v");
  const std::int64_t* number = version != nullptr ? version->as<std::int64_t>() : nullptr;
  if (number == nullptr || *number != kDetailVersion) return Error{"detail of another version"};
  const Value* fixpoint = json::find(value, "fixpoint");
  if (fixpoint == nullptr) return false;
  const bool* flag = fixpoint->as<bool>();
  if (flag == nullptr) return Error{"fixpoint in detail is neither true nor false"};
  return *flag;
}

std::string text_or_empty(const std::optional<std::string_view>& column) {
  return std::string(column.value_or(std::string_view()));
}

}  // namespace

Result<BuildRecord> decode_record(const RecordColumns& columns) {
  const auto& [text_hash, code_hash, unrendered_hash, config_hash, hash_version, data_version,
               built_at_ms, upstreams, detail] = columns;
  for (const auto* column :
       {&text_hash, &code_hash, &unrendered_hash, &config_hash, &data_version}) {
    if (*column && (*column)->size() > limits::kRecordTextBytes)
      return Error{"a column is too long"};
  }
  BuildRecord record;
  record.hashes.text = text_or_empty(text_hash);
  record.hashes.code = text_or_empty(code_hash);
  record.hashes.unrendered = text_or_empty(unrendered_hash);
  record.hashes.config = text_or_empty(config_hash);
  record.hashes.hash_version = hash_version;
  record.built_at_ms = built_at_ms;
  if (data_version) {
    HODOR_TRY(version, parse_version(*data_version));
    record.target = std::move(version);
  }
  if (!upstreams) return Error{"no upstreams are recorded"};
  HODOR_TRY(tokens, decode_upstreams(*upstreams));
  for (const auto& [key, token] : tokens) {
    DataVersion version;  // unknown
    if (token) {
      HODOR_TRY(known, parse_version(*token));
      version = std::move(known);
    }
    record.upstreams.insert_or_assign(key, std::move(version));
  }
  if (detail) {
    HODOR_TRY(fixpoint, fixpoint_of(*detail));
    record.fixpoint = fixpoint;
  }
  return record;
}

}  // namespace hodor
