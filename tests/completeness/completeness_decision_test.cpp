// Each column of a record changes what is read of it, and each field that a decision gets can
// change the decision. A field that nothing depends on is either useless or forgotten.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "hodor/decision/decide.hpp"
#include "hodor/record/record.hpp"

namespace hodor {
namespace {

std::size_t fields_of(const RecordColumns& columns) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i] = columns;
  return 9;
}
std::size_t fields_of(const Hashes& hashes) {
  [[maybe_unused]] const auto& [a, b, c, d, e] = hashes;
  return 5;
}
std::size_t fields_of(const Upstream& upstream) {
  [[maybe_unused]] const auto& [a, b, c, d] = upstream;
  return 4;
}
std::size_t fields_of(const NodeState& node) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = node;
  return 13;
}
std::size_t fields_of(const BuildRecord& record) {
  [[maybe_unused]] const auto& [a, b, c, d, e] = record;
  return 5;
}
std::size_t fields_of(const Policy& policy) {
  [[maybe_unused]] const auto& [a, b, c] = policy;
  return 3;
}

DataVersion version(const char* data, const char* order = "") {
  return DataVersion::known(data, order, "s");
}

struct Situation {
  NodeState node;
  BuildRecord record;
  Policy policy;
  std::int64_t now_ms = 2000;
};

// A table whose one input is unchanged: reused.
Situation reused_table() {
  Situation now;
  now.node.supported = true;
  now.node.hook_writes = now.node.star = now.node.order_sensitive = false;
  now.node.keeps_earlier_state = false;
  now.node.existence = Existence::present;
  now.node.hashes = {"text", "code", "unrendered", "config", 1};
  now.node.target = version("target");
  now.node.upstreams = {{"a", "a", UpstreamKind::data, version("1", "o")}};
  now.record.hashes = now.node.hashes;
  now.record.target = version("target");
  now.record.built_at_ms = 1000;
  now.record.upstreams.insert_or_assign("a", version("1", "o"));
  return now;
}

std::string outcome(const Situation& now) {
  const Decision decision = decide(now.node, &now.record, now.policy, now.now_ms);
  std::string text = name_of(decision.reason());
  for (const std::string& key : decision.changed) text += " " + key;
  return text;
}

struct Case {
  std::string field;
  std::function<void(Situation&)> prepare;  // a situation in which the field matters
  std::function<void(Situation&)> change;
};

void nothing(Situation&) {}
void changed_input(Situation& s) { s.node.upstreams[0].version = version("2"); }
void as_view(Situation& s) {
  s.node.kind = NodeKind::view;
  s.node.upstreams.push_back({"schema:a", "a", UpstreamKind::schema, version("", "")});
  s.record.upstreams.insert_or_assign("schema:a", version("", ""));
}
void keeps_state(Situation& s) {
  s.node.kind = NodeKind::incremental;
  s.node.keeps_earlier_state = true;
}

const std::vector<Case> kNode = {
    {"kind", as_view, [](Situation& s) { s.node.kind = NodeKind::table; }},
    {"supported", nothing, [](Situation& s) { s.node.supported = false; }},
    {"full_refresh", nothing, [](Situation& s) { s.node.full_refresh = true; }},
    {"hook_writes", nothing, [](Situation& s) { s.node.hook_writes = true; }},
    {"star", as_view, [](Situation& s) { s.node.star = true; }},
    {"order_sensitive", [](Situation& s) { s.node.upstreams[0].version = version("1", "other"); },
     [](Situation& s) { s.node.order_sensitive = true; }},
    {"keeps_earlier_state", nothing, [](Situation& s) { s.node.keeps_earlier_state = true; }},
    {"settles_by_proof", keeps_state, [](Situation& s) { s.node.settles_by_proof = true; }},
    {"stores_failures",
     [](Situation& s) {
       s.node.kind = NodeKind::test;
       s.node.target = version("other");
     },
     [](Situation& s) { s.node.stores_failures = true; }},
    {"existence", nothing, [](Situation& s) { s.node.existence = Existence::missing; }},
    {"hashes", nothing, [](Situation& s) { s.node.hashes = {}; }},
    {"target", nothing, [](Situation& s) { s.node.target = DataVersion::unknown(); }},
    {"upstreams", nothing, [](Situation& s) { s.node.upstreams.clear(); }},
};
const std::vector<Case> kHashes = {
    {"code", nothing, [](Situation& s) { s.node.hashes.code = "x"; }},
    {"unrendered",
     [](Situation& s) {
       s.policy.compare_unrendered_code = true;
       s.node.hashes.code = "x";
     },
     [](Situation& s) { s.node.hashes.unrendered = "x"; }},
    {"config", nothing, [](Situation& s) { s.node.hashes.config = "x"; }},
    {"hash_version", nothing, [](Situation& s) { s.node.hashes.hash_version = 2; }},
};
// The caller alone compares text hashes: they decide where facts come from, not whether to build.
const std::set<std::string> kHashesNotDecidedUpon = {"text"};

const std::vector<Case> kUpstream = {
    {"key", nothing, [](Situation& s) { s.node.upstreams[0].key = "b"; }},
    {"group",
     [](Situation& s) {
       s.policy.require_fresh_data_from = FreshData::all;
       s.node.upstreams = {{"a", "g", UpstreamKind::data, version("2")},
                           {"b", "g", UpstreamKind::data, version("1")}};
       s.record.upstreams.insert_or_assign("b", version("1"));
     },
     [](Situation& s) { s.node.upstreams[1].group = "h"; }},
    {"kind", changed_input, [](Situation& s) { s.node.upstreams[0].kind = UpstreamKind::opaque; }},
    {"version", nothing, changed_input},
};
const std::vector<Case> kRecord = {
    {"hashes", nothing, [](Situation& s) { s.record.hashes = {}; }},
    {"target", nothing, [](Situation& s) { s.record.target = DataVersion::unknown(); }},
    {"built_at_ms",
     [](Situation& s) {
       changed_input(s);
       s.policy.lag_tolerance_ms = 5000;
     },
     [](Situation& s) { s.record.built_at_ms.reset(); }},
    {"fixpoint", keeps_state, [](Situation& s) { s.record.fixpoint = true; }},
    {"upstreams", nothing, [](Situation& s) { s.record.upstreams.clear(); }},
};
const std::vector<Case> kPolicy = {
    {"lag_tolerance_ms", changed_input, [](Situation& s) { s.policy.lag_tolerance_ms = 5000; }},
    {"require_fresh_data_from",
     [](Situation& s) {
       changed_input(s);
       s.node.upstreams.push_back({"b", "b", UpstreamKind::data, version("1")});
       s.record.upstreams.insert_or_assign("b", version("1"));
     },
     [](Situation& s) { s.policy.require_fresh_data_from = FreshData::all; }},
    {"compare_unrendered_code", [](Situation& s) { s.node.hashes.code = "x"; },
     [](Situation& s) { s.policy.compare_unrendered_code = true; }},
};

void check_each(const std::vector<Case>& cases, std::size_t fields, std::size_t exempt = 0) {
  std::set<std::string> named;
  for (const Case& one : cases) {
    named.insert(one.field);
    Situation before = reused_table();
    one.prepare(before);
    Situation after = before;
    one.change(after);
    EXPECT_NE(outcome(before), outcome(after)) << one.field;
  }
  EXPECT_EQ(named.size() + exempt, fields) << "a field has no case";
}

TEST(Completeness, TheBaselineIsReused) { EXPECT_EQ(outcome(reused_table()), "no_new_data"); }

TEST(Completeness, EveryFieldOfADecisionCounts) {
  check_each(kNode, fields_of(NodeState{}));
  check_each(kHashes, fields_of(Hashes{}), kHashesNotDecidedUpon.size());
  check_each(kUpstream, fields_of(Upstream{}));
  check_each(kRecord, fields_of(BuildRecord{}));
  check_each(kPolicy, fields_of(Policy{}));
}

std::string story_of(const BuildRecord& record) {
  std::string story = record.hashes.text + "|" + record.hashes.code + "|" +
                      record.hashes.unrendered + "|" + record.hashes.config + "|" +
                      std::to_string(record.hashes.hash_version) + "|" + record.target.token() +
                      "|" + std::to_string(record.built_at_ms.value_or(-1)) + "|" +
                      (record.fixpoint ? "fixpoint" : "");
  for (const auto& [key, token] : record.upstreams) story += "|" + key + "=" + token.token();
  return story;
}

TEST(Completeness, EveryColumnOfARecordIsRead) {
  const std::vector<std::pair<std::string, std::function<void(RecordColumns&)>>> cases = {
      {"text_hash", [](RecordColumns& c) { c.text_hash = "x"; }},
      {"code_hash", [](RecordColumns& c) { c.code_hash = "x"; }},
      {"unrendered_hash", [](RecordColumns& c) { c.unrendered_hash = "x"; }},
      {"config_hash", [](RecordColumns& c) { c.config_hash = "x"; }},
      {"hash_version", [](RecordColumns& c) { c.hash_version = 9; }},
      {"data_version", [](RecordColumns& c) { c.data_version = "1;2;;s"; }},
      {"built_at_ms", [](RecordColumns& c) { c.built_at_ms = 5; }},
      {"upstreams", [](RecordColumns& c) { c.upstreams = R"({"a":"1;2;;s"})"; }},
      {"detail", [](RecordColumns& c) { c.detail = R"({"v":1,"fixpoint":true})"; }},
  };
  RecordColumns base;
  base.upstreams = R"({"a":"1;1;;s"})";
  std::set<std::string> stories = {story_of(decode_record(base).value())};
  std::set<std::string> fields;
  for (const auto& [field, change] : cases) {
    RecordColumns columns = base;
    change(columns);
    EXPECT_TRUE(stories.insert(story_of(decode_record(columns).value())).second) << field;
    fields.insert(field);
  }
  EXPECT_EQ(fields.size(), fields_of(base)) << "a column has no case";
}

}  // namespace
}  // namespace hodor
