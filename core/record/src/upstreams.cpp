#include "hodor/base/json.hpp"
#include "hodor/base/limits.hpp"
#include "hodor/record/record.hpp"

namespace hodor {
namespace {

void write_token(const std::optional<std::string>& token, json::Writer& out) {
  if (token) {
    out.text(*token);
  } else {
    out.null();
  }
}

}  // namespace

Result<std::string> encode_upstreams(const UpstreamTokens& upstreams) {
  if (upstreams.size() > limits::kUpstreams) return Error{"too many upstreams"};
  json::Writer out;
  out.begin_object();
  for (const auto& [key, token] : upstreams) {
    out.key(key);
    write_token(token, out);
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

Result<std::string> list_upstreams(const UpstreamTokens& last, const UpstreamTokens& now) {
  // Both are sorted: one walk over the two gives every key once, in order.
  static const std::optional<std::string> kNone;
  json::Writer out;
  out.begin_array();
  auto before = last.begin();
  auto after = now.begin();
  while (before != last.end() || after != now.end()) {
    const bool was = after == now.end() || (before != last.end() && before->first <= after->first);
    const bool is = before == last.end() || (after != now.end() && after->first <= before->first);
    out.begin_object();
    out.key("table");
    out.text(was ? before->first : after->first);
    out.key("last");
    write_token(was ? before->second : kNone, out);
    out.key("now");
    write_token(is ? after->second : kNone, out);
    out.end_object();
    if (was) ++before;
    if (is) ++after;
  }
  out.end_array();
  return std::move(out).finish();
}

}  // namespace hodor
