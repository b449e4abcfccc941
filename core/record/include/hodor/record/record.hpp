// Columns of a stored row ↔ what a decision reads of them.
//
// In:  the columns of the latest successful build of a node, as the store returned them.
// Out: a BuildRecord, or an error that costs this node its reuse and no other.
// Never: fills a gap. A stored null version stays unknown, and unknown equals nothing.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hodor/base/result.hpp"
#include "hodor/decision/decide.hpp"

namespace hodor {

// An absent column is null in the store. Views: the caller keeps the texts alive.
struct RecordColumns {
  std::optional<std::string_view> text_hash;
  std::optional<std::string_view> code_hash;
  std::optional<std::string_view> unrendered_hash;
  std::optional<std::string_view> config_hash;
  std::int64_t hash_version = 0;
  std::optional<std::string_view> data_version;
  std::optional<std::int64_t> built_at_ms;
  std::optional<std::string_view> upstreams;
  std::optional<std::string_view> detail;
};

// Of `detail` only "v" (must be 1) and "fixpoint" (false when absent) are read. A null `upstreams`
// is an error: a build records at least the empty object.
Result<BuildRecord> decode_record(const RecordColumns& columns);

// Input key → token; a missing token is unknown. Sorted by key, so equal inputs give equal text.
using UpstreamTokens = std::map<std::string, std::optional<std::string>>;

// Grammar: a JSON object {KEY:TOKEN|null,…}. An error when a text is not UTF-8 or there are too
// many.
Result<std::string> encode_upstreams(const UpstreamTokens& upstreams);
Result<UpstreamTokens> decode_upstreams(std::string_view text);

// For people and the artefact of a run, with every input that there was or is, sorted by key:
// [{"table":KEY,"last":TOKEN|null,"now":TOKEN|null},…].
Result<std::string> list_upstreams(const UpstreamTokens& last, const UpstreamTokens& now);

}  // namespace hodor
