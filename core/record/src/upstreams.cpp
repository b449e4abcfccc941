#include "hodor/base/json.hpp"
#include "hodor/base/limits.hpp"
#include "hodor/record/record.hpp"

namespace hodor {

Result<std::string> encode_upstreams(const UpstreamTokens& upstreams) {
  if (upstreams.size() > limits::kUpstreams) return Error{"too many upstreams"};
  json::Writer out;
  out.begin_object();
  for (const auto& [key, token] : upstreams) {
    out.key(key);
    if (token) {
      out.text(*token);
    } else {
      out.null();
    }
  }
  out.end_object();
  return std::move(out).finish();
}

Result<UpstreamTokens> decode_upstreams(std::string_view text) {
  HODOR_TRY(value, json::parse(text));
  ValueMap* map = value.as<ValueMap>();
  if (map == nullptr) return Error{"upstreams are no JSON object"};
  if (map->size() > limits::kUpstreams) return Error{"too many upstreams"};
  UpstreamTokens upstreams;
  for (MapEntry& entry : *map) {
    std::optional<std::string> token;
    if (std::string* known = entry.value.as<std::string>()) {
      token = std::move(*known);
    } else if (!entry.value.is_null()) {
      return Error{"the version of an upstream is neither a text nor null"};
    }
    upstreams.insert_or_assign(std::move(*entry.key.as<std::string>()), std::move(token));
  }
  return upstreams;
}

}  // namespace hodor
