// Random states against an oracle of plain predicates that shares no code with the rules: decide()
// reuses exactly when the oracle allows it, and knowing less never turns a build into a reuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hodor/decision/decide.hpp"

namespace hodor {
namespace {

using Random = std::mt19937;

int below(Random& random, int limit) {
  return std::uniform_int_distribution<int>(0, limit - 1)(random);
}
bool one_in(Random& random, int n) { return below(random, n) == 0; }

const std::vector<std::string> kKeys = {
    "a",        "b",        "c",        "view:a",  "function:f", "code:a", "volatile:date",
    "schema:a", "schema:b", "file:f:x", "opaque:o"};
const std::vector<std::string> kGroups = {"", "a", "b", "function:f"};

DataVersion random_version(Random& random) {
  if (one_in(random, 10)) return DataVersion::unknown();
  const char* data[] = {"1", "1", "1", "1", "1", "2", ""};
  const char* order[] = {"x", "x", "x", "x", "y", ""};
  const char* schema[] = {"s", "s", "s", "s", "s", "t", ""};
  return DataVersion::known(data[below(random, 7)], order[below(random, 6)],
                            schema[below(random, 7)]);
}

UpstreamKind natural_kind(const std::string& key) {
  if (key == "view:a" || key == "function:f") return UpstreamKind::definition;
  if (key == "code:a") return UpstreamKind::parent_code;
  if (key == "volatile:date") return UpstreamKind::volatile_value;
  if (key == "opaque:o") return UpstreamKind::opaque;
  return key.substr(0, 7) == "schema:" ? UpstreamKind::schema : UpstreamKind::data;
}

std::string random_hash(Random& random) {
  return one_in(random, 25) ? "" : one_in(random, 20) ? "other" : "h";
}

Hashes random_hashes(Random& random) {
  return Hashes{random_hash(random), random_hash(random), random_hash(random), random_hash(random),
                one_in(random, 40)   ? 2
                : one_in(random, 40) ? 0
                                     : 1};
}

struct World {
  NodeState node;
  std::optional<BuildRecord> record;
  Policy policy;
  std::int64_t now_ms = 0;
};

World random_world(Random& random) {
  World world;
  NodeState& node = world.node;
  node.kind = static_cast<NodeKind>(below(random, 6));
  node.supported = !one_in(random, 30);
  node.full_refresh = one_in(random, 30);
  node.hook_writes = one_in(random, 30);
  node.star = one_in(random, 6);
  node.order_sensitive = one_in(random, 3);
  node.keeps_earlier_state = one_in(random, 8);
  node.settles_by_proof = one_in(random, 2);
  node.stores_failures = one_in(random, 4);
  node.existence =
      one_in(random, 20) ? static_cast<Existence>(below(random, 4)) : Existence::present;
  node.hashes = random_hashes(random);
  BuildRecord record;
  record.hashes = one_in(random, 5) ? random_hashes(random) : node.hashes;
  node.target = one_in(random, 12) ? random_version(random) : DataVersion::known("1", "x", "s");
  record.target = one_in(random, 12) ? random_version(random) : DataVersion::known("1", "x", "s");
  record.fixpoint = one_in(random, 2);
  if (!one_in(random, 10)) record.built_at_ms = below(random, 5) - 1;
  world.now_ms = below(random, 5) - 1;
  world.policy.lag_tolerance_ms = below(random, 4) - 1;
  world.policy.require_fresh_data_from = one_in(random, 2) ? FreshData::all : FreshData::any;
  world.policy.compare_unrendered_code = one_in(random, 2);
  const int inputs = below(random, 5);
  for (int i = 0; i < inputs; ++i) {
    const std::string& key = kKeys[static_cast<std::size_t>(below(random, 11))];
    if (key == "opaque:o" && !one_in(random, 4)) continue;
    const UpstreamKind kind =
        one_in(random, 15) ? static_cast<UpstreamKind>(below(random, 6)) : natural_kind(key);
    const DataVersion version = random_version(random);
    node.upstreams.push_back(
        Upstream{key, kGroups[static_cast<std::size_t>(below(random, 4))], kind, version});
    if (!one_in(random, 8)) {
      record.upstreams.insert_or_assign(key, one_in(random, 5) ? random_version(random) : version);
    }
  }
  if (one_in(random, 8)) {
    record.upstreams.insert_or_assign(kKeys[static_cast<std::size_t>(below(random, 11))],
                                      random_version(random));
  }
  if (!one_in(random, 25)) world.record = record;
  return world;
}

// ---- The oracle.

struct Parts {
  bool known = false;
  std::string data, order, schema;
};

Parts parts_of(const DataVersion& version) {
  Parts parts;
  const std::string token = version.token();
  if (token.empty()) return parts;
  parts.known = true;
  std::string* const fields[] = {&parts.data, &parts.order, &parts.schema};
  std::size_t field = 0;
  for (const char c : token.substr(2)) {
    if (c == ';') {
      ++field;
    } else {
      fields[field]->push_back(c);
    }
  }
  return parts;
}

bool equal_rows(const DataVersion& a, const DataVersion& b, bool with_order) {
  const Parts x = parts_of(a), y = parts_of(b);
  return x.known && y.known && x.data != "" && x.data == y.data && x.schema == y.schema &&
         (!with_order || x.order == y.order);
}

bool equal_columns(const DataVersion& a, const DataVersion& b) {
  const Parts x = parts_of(a), y = parts_of(b);
  return x.known && y.known && x.schema != "" && x.schema == y.schema;
}

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

// Where the declared kind is not backed by the key, the input is data.
UpstreamKind trusted_kind(const Upstream& input) {
  const std::map<UpstreamKind, std::string> needs = {{UpstreamKind::parent_code, "code:"},
                                                     {UpstreamKind::volatile_value, "volatile:"},
                                                     {UpstreamKind::schema, "schema:"}};
  const auto need = needs.find(input.kind);
  return need != needs.end() && !begins(input.key, need->second) ? UpstreamKind::data : input.kind;
}

std::string group_of(const Upstream& input) { return input.group == "" ? input.key : input.group; }

DataVersion recorded(const World& world, const std::string& key) {
  const auto found = world.record->upstreams.find(key);
  return found == world.record->upstreams.end() ? DataVersion::unknown() : found->second;
}

bool reads(const World& world, const std::string& key) {
  return std::any_of(world.node.upstreams.begin(), world.node.upstreams.end(),
                     [&](const Upstream& input) { return input.key == key; });
}

bool node_itself_is_unchanged(const World& world) {
  const NodeState& node = world.node;
  if (!node.supported || node.full_refresh || node.hook_writes || !world.record) return false;
  const BuildRecord& last = *world.record;
  if (node.existence != Existence::present) return false;
  if (node.hashes.hash_version < 1 || node.hashes.hash_version != last.hashes.hash_version)
    return false;
  const bool rendered = node.hashes.code != "" && node.hashes.code == last.hashes.code;
  const bool unrendered = node.hashes.unrendered != "" &&
                          node.hashes.unrendered == last.hashes.unrendered &&
                          world.policy.compare_unrendered_code;
  if (!rendered && !unrendered) return false;
  if (node.hashes.config == "" || node.hashes.config != last.hashes.config) return false;
  const bool has_target = node.kind != NodeKind::test || node.stores_failures;
  if (has_target && !equal_rows(node.target, last.target, true)) return false;
  return !node.keeps_earlier_state || last.fixpoint || node.settles_by_proof;
}

bool view_may_be_reused(const World& world) {
  if (world.node.star) return false;
  for (const auto& [key, version] : world.record->upstreams) {
    if ((begins(key, "schema:") || begins(key, "function:")) && !reads(world, key)) return false;
  }
  for (const Upstream& input : world.node.upstreams) {
    const DataVersion then = recorded(world, input.key);
    const UpstreamKind kind = trusted_kind(input);
    if (kind == UpstreamKind::volatile_value || kind == UpstreamKind::parent_code) continue;
    if (kind == UpstreamKind::schema && !equal_columns(input.version, then)) return false;
    if (kind != UpstreamKind::schema && begins(input.key, "schema:")) return false;
    bool group_has_columns = false;
    for (const Upstream& other : world.node.upstreams) {
      group_has_columns = group_has_columns || (trusted_kind(other) == UpstreamKind::schema &&
                                                other.key == "schema:" + group_of(input));
    }
    if (group_has_columns) continue;
    if (kind == UpstreamKind::opaque) return false;
    if (kind == UpstreamKind::definition && !equal_rows(input.version, then, false)) return false;
    if (kind == UpstreamKind::data && !equal_rows(input.version, then, false) &&
        !equal_columns(input.version, then)) {
      return false;
    }
  }
  return true;
}

bool input_is_same(const World& world, const Upstream& input) {
  const DataVersion then = recorded(world, input.key);
  switch (trusted_kind(input)) {
    case UpstreamKind::data:
      return equal_rows(input.version, then, world.node.order_sensitive);
    case UpstreamKind::schema:
      return equal_columns(input.version, then);
    case UpstreamKind::definition:
    case UpstreamKind::parent_code:
    case UpstreamKind::volatile_value:
      return equal_rows(input.version, then, false);
    case UpstreamKind::opaque:
      return false;
  }
  return false;
}

bool stored_node_may_be_reused(const World& world) {
  bool data_differs = false, code_differs = false, value_differs = false, vanished = false;
  std::set<std::string> groups, fresh_groups;
  for (const Upstream& input : world.node.upstreams) {
    const UpstreamKind kind = trusted_kind(input);
    const bool same = input_is_same(world, input);
    if (kind == UpstreamKind::opaque) return false;
    if (kind != UpstreamKind::parent_code && !input.version.is_known()) return false;
    if (kind == UpstreamKind::definition && !same) return false;
    if (kind == UpstreamKind::parent_code && !same) code_differs = true;
    if (kind == UpstreamKind::volatile_value && !same) value_differs = true;
    if (kind != UpstreamKind::data && kind != UpstreamKind::schema) continue;
    groups.insert(group_of(input));
    if (!same) fresh_groups.insert(group_of(input));
    data_differs = data_differs || !same;
  }
  for (const auto& [key, version] : world.record->upstreams) {
    if (reads(world, key)) continue;
    if (begins(key, "view:") || begins(key, "function:")) return false;
    if (begins(key, "code:")) {
      code_differs = true;
    } else if (begins(key, "volatile:")) {
      value_differs = true;
    } else {
      data_differs = vanished = true;
    }
  }
  const bool wants_all = world.policy.require_fresh_data_from == FreshData::all;
  const bool enough =
      wants_all ? vanished || (!groups.empty() && groups == fresh_groups) : data_differs;
  if (!enough && !value_differs) return true;
  if (world.node.kind == NodeKind::test || !world.record->built_at_ms) return false;
  const std::int64_t built = *world.record->built_at_ms;
  if (built < 0 || built > world.now_ms) return false;
  if (world.now_ms - built >= world.policy.lag_tolerance_ms) return false;
  return !(data_differs && code_differs);
}

bool may_reuse(const World& world) {
  if (!node_itself_is_unchanged(world)) return false;
  return world.node.kind == NodeKind::view ? view_may_be_reused(world)
                                           : stored_node_may_be_reused(world);
}

Decision decide(const World& world) {
  return hodor::decide(world.node, world.record ? &*world.record : nullptr, world.policy,
                       world.now_ms);
}

// ---- Knowing less.

std::vector<World> poorer_worlds(const World& world) {
  std::vector<World> poorer;
  const auto add = [&](auto forget) {
    poorer.push_back(world);
    forget(poorer.back());
  };
  add([](World& w) { w.record.reset(); });
  add([](World& w) { w.node.existence = Existence::unknown; });
  add([](World& w) { w.node.supported = false; });
  add([](World& w) { w.node.hook_writes = true; });
  add([](World& w) { w.node.star = true; });
  add([](World& w) { w.node.order_sensitive = true; });
  add([](World& w) { w.node.keeps_earlier_state = true; });
  add([](World& w) { w.node.settles_by_proof = false; });
  add([](World& w) { w.node.hashes.code.clear(); });
  add([](World& w) { w.node.hashes.config.clear(); });
  add([](World& w) { w.node.hashes.unrendered.clear(); });
  add([](World& w) { w.node.hashes.hash_version = 0; });
  add([](World& w) { w.node.target = DataVersion::unknown(); });
  add([](World& w) {
    w.node.upstreams.push_back(Upstream{"opaque:new", "", UpstreamKind::opaque, {}});
  });
  for (std::size_t i = 0; i < world.node.upstreams.size(); ++i) {
    add([i](World& w) { w.node.upstreams[i].version = DataVersion::unknown(); });
    add([i](World& w) { w.node.upstreams[i].kind = UpstreamKind::opaque; });
  }
  if (!world.record) return poorer;
  add([](World& w) { w.record->target = DataVersion::unknown(); });
  add([](World& w) { w.record->fixpoint = false; });
  add([](World& w) { w.record->built_at_ms.reset(); });
  add([](World& w) { w.record->hashes.code.clear(); });
  add([](World& w) { w.record->hashes.config.clear(); });
  for (const auto& [key, version] : world.record->upstreams) {
    add([&key](World& w) { w.record->upstreams.insert_or_assign(key, DataVersion::unknown()); });
    // A record that lost a key altogether knows less only about an input that is still read.
    if (reads(world, key)) add([&key](World& w) { w.record->upstreams.erase(key); });
  }
  return poorer;
}

std::string describe(const World& world) {
  std::string text = std::string(name_of(decide(world).reason())) + " kind " +
                     std::to_string(static_cast<int>(world.node.kind));
  for (const Upstream& input : world.node.upstreams) {
    text += "\n  now " + input.key + " group " + input.group + " kind " +
            std::to_string(static_cast<int>(input.kind)) + " " + input.version.token();
  }
  if (!world.record) return text;
  for (const auto& [key, version] : world.record->upstreams)
    text += "\n  then " + key + " " + version.token();
  return text;
}

TEST(DecisionProperties, ReusesExactlyWhatPlainPredicatesAllow) {
  Random random(20261130);
  std::map<std::string, int> reasons;
  for (int i = 0; i < 30'000; ++i) {
    const World world = random_world(random);
    const Decision decision = decide(world);
    ++reasons[name_of(decision.reason())];
    ASSERT_EQ(decision.action() == Action::reuse, may_reuse(world)) << i << " " << describe(world);
    ASSERT_TRUE(std::is_sorted(decision.changed.begin(), decision.changed.end()));
    ASSERT_TRUE(std::adjacent_find(decision.changed.begin(), decision.changed.end()) ==
                decision.changed.end());
  }
  // A generator that no longer reaches a rule proves nothing about it.
#define REASON(name, action, rule, sentence) \
  if (std::string(#name) != "hodor_error") { \
    EXPECT_GE(reasons[#name], 20) << #name;  \
  }
#include "hodor/decision/reasons.def"
#undef REASON
}

TEST(DecisionProperties, KnowingLessNeverTurnsABuildIntoAReuse) {
  Random random(7);
  int builds = 0;
  for (int i = 0; i < 6'000; ++i) {
    const World world = random_world(random);
    if (decide(world).action() == Action::reuse) continue;
    ++builds;
    for (const World& poorer : poorer_worlds(world)) {
      ASSERT_EQ(decide(poorer).action(), Action::build) << describe(world) << "\nknowing less:\n"
                                                        << describe(poorer);
    }
  }
  EXPECT_GE(builds, 2'000);
}

TEST(DecisionProperties, TheOrderOfInputsDoesNotMatter) {
  Random random(11);
  for (int i = 0; i < 5'000; ++i) {
    World world = random_world(random);
    const Decision first = decide(world);
    std::shuffle(world.node.upstreams.begin(), world.node.upstreams.end(), random);
    const Decision second = decide(world);
    ASSERT_EQ(first.reason(), second.reason()) << describe(world);
    ASSERT_EQ(first.changed, second.changed) << describe(world);
  }
}

}  // namespace
}  // namespace hodor
