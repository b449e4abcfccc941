// See inputs.hpp.
#include "inputs.hpp"

#include <algorithm>
#include <string_view>

namespace hodor {
namespace {

constexpr std::string_view kSchemaPrefix = "schema:";
constexpr std::string_view kFunctionPrefix = "function:";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The kind of an input, where a kind that excuses differences must be confirmed by its key.
UpstreamKind kind_of(const Upstream& upstream) {
  switch (upstream.kind) {
    case UpstreamKind::parent_code:
      return starts_with(upstream.key, "code:") ? upstream.kind : UpstreamKind::data;
    case UpstreamKind::volatile_value:
      return starts_with(upstream.key, "volatile:") ? upstream.kind : UpstreamKind::data;
    case UpstreamKind::schema:
      return starts_with(upstream.key, kSchemaPrefix) ? upstream.kind : UpstreamKind::data;
    case UpstreamKind::data:
    case UpstreamKind::definition:
    case UpstreamKind::opaque:
      return upstream.kind;
  }
  return UpstreamKind::opaque;
}

const std::string& group_of(const Upstream& upstream) {
  return upstream.group.empty() ? upstream.key : upstream.group;
}

bool is_same(const Upstream& upstream, const BuildRecord& last, Sensitivity sensitivity) {
  const auto recorded = last.upstreams.find(upstream.key);
  return recorded != last.upstreams.end() &&
         upstream.version.compare(recorded->second, sensitivity) == Comparison::same;
}

std::vector<std::string_view> sorted_keys(const NodeState& node) {
  std::vector<std::string_view> keys;
  keys.reserve(node.upstreams.size());
  for (const Upstream& upstream : node.upstreams) keys.push_back(upstream.key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Sorts a recorded key that nothing reads any more; the record has no kinds, so its prefix decides.
void add_vanished(const std::string& key, InputDifferences& differences) {
  if (starts_with(key, "view:") || starts_with(key, kFunctionPrefix)) {
    differences.definitions.push_back(key);
  } else if (starts_with(key, "code:")) {
    differences.parent_code.push_back(key);
  } else if (starts_with(key, "volatile:")) {
    differences.volatile_values.push_back(key);
  } else {
    differences.data.push_back(key);
    differences.vanished_data = true;
  }
}

bool every_group_is_in(std::vector<std::string_view> groups,
                       std::vector<std::string_view> changed) {
  std::sort(changed.begin(), changed.end());
  return std::all_of(groups.begin(), groups.end(), [&](std::string_view group) {
    return std::binary_search(changed.begin(), changed.end(), group);
  });
}

}  // namespace

InputDifferences compare_inputs(const NodeState& node, const BuildRecord& last) {
  InputDifferences differences;
  const Sensitivity data_sensitivity =
      node.order_sensitive ? Sensitivity::rows_and_order : Sensitivity::rows;
  std::vector<std::string_view> groups, changed_groups;
  for (const Upstream& upstream : node.upstreams) {
    const UpstreamKind kind = kind_of(upstream);
    if (kind == UpstreamKind::parent_code) {
      if (!is_same(upstream, last, Sensitivity::rows)) {
        differences.parent_code.push_back(upstream.key);
      }
      continue;
    }
    if (kind == UpstreamKind::opaque || !upstream.version.is_known()) {
      differences.unknown.push_back(upstream.key);
      continue;
    }
    if (kind == UpstreamKind::definition || kind == UpstreamKind::volatile_value) {
      if (!is_same(upstream, last, Sensitivity::rows)) {
        (kind == UpstreamKind::definition ? differences.definitions : differences.volatile_values)
            .push_back(upstream.key);
      }
      continue;
    }
    groups.push_back(group_of(upstream));
    const bool schema_only = kind == UpstreamKind::schema;
    if (is_same(upstream, last, schema_only ? Sensitivity::schema_only : data_sensitivity))
      continue;
    differences.data.push_back(upstream.key);
    changed_groups.push_back(group_of(upstream));
  }
  const std::vector<std::string_view> keys = sorted_keys(node);
  for (const auto& [key, version] : last.upstreams) {
    if (!std::binary_search(keys.begin(), keys.end(), key)) add_vanished(key, differences);
  }
  differences.every_group_changed = every_group_is_in(std::move(groups), std::move(changed_groups));
  return differences;
}

ViewDifferences compare_view_inputs(const NodeState& node, const BuildRecord& last) {
  ViewDifferences differences;
  const std::vector<std::string_view> keys = sorted_keys(node);
  const auto is_read = [&keys](std::string_view key) {
    return std::binary_search(keys.begin(), keys.end(), key);
  };
  const auto has_schema_key = [&node](std::string_view group) {
    return std::any_of(node.upstreams.begin(), node.upstreams.end(),
                       [group](const Upstream& other) {
                         return kind_of(other) == UpstreamKind::schema &&
                                std::string_view(other.key).substr(kSchemaPrefix.size()) == group;
                       });
  };
  for (const Upstream& upstream : node.upstreams) {
    const UpstreamKind kind = kind_of(upstream);
    // A view shows current data, values and code: they cannot make it stale.
    if (kind == UpstreamKind::volatile_value || kind == UpstreamKind::parent_code) continue;
    const bool same_schema = is_same(upstream, last, Sensitivity::schema_only);
    if (starts_with(upstream.key, kSchemaPrefix)) {
      if (kind != UpstreamKind::schema || !same_schema) differences.columns.push_back(upstream.key);
      continue;
    }
    if (has_schema_key(group_of(upstream))) continue;
    if (kind == UpstreamKind::definition) {
      if (!is_same(upstream, last, Sensitivity::rows)) {
        differences.definitions.push_back(upstream.key);
      }
    } else if (kind == UpstreamKind::opaque ||
               (!same_schema && !is_same(upstream, last, Sensitivity::rows))) {
      differences.columns.push_back(upstream.key);
    }
  }
  for (const auto& [key, version] : last.upstreams) {
    if (is_read(key)) continue;
    if (starts_with(key, kSchemaPrefix)) differences.columns.push_back(key);
    if (starts_with(key, kFunctionPrefix)) differences.definitions.push_back(key);
  }
  return differences;
}

}  // namespace hodor
