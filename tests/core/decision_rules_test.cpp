// Reads tests/rules/decision.tsv and checks each row; a reason without a row fails.
//
// Row: name, node, record, policy, reason, changed keys; tab-separated, trailing empty cells left
// out. A cell is a list of words that alter the base state: a supported table `present` with
// hashes, target version "t1" and one data input `a` of version "1", all as recorded at 1000, now
// 1100, no tolerance.
//   node:   kind=… existence=… code= config= unrendered= text= hash_version= target=<version> star
//           order_sensitive full_refresh unsupported hook_writes keeps_state proof stores_failures
//           noup up=<kind>,<key>,<group>,<version>   (the first `up` replaces the base input)
//   record: none fixpoint built=<ms>|null code= config= unrendered= hash_version= target=
//           noup up=<key>,<version>
//   policy: lag=<ms> now=<ms> all unrendered
// Version: "?" is unknown, "1" is data part 1 with schema part "s", else data/order/schema.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "hodor/decision/decide.hpp"

namespace hodor {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text, char separator) {
  Words words(1);
  for (const char c : text) {
    if (c == separator) {
      words.emplace_back();
    } else {
      words.back().push_back(c);
    }
  }
  return words;
}

struct State {
  NodeState node;
  BuildRecord record;
  bool has_record = true;
  Policy policy;
  std::int64_t now_ms = 1100;
  std::vector<std::string> problems;
};

DataVersion version_of(const std::string& text) {
  if (text == "?") return DataVersion::unknown();
  const Words parts = split(text, '/');
  if (parts.size() == 1) return DataVersion::known(text, "", "s");
  return DataVersion::known(parts.at(0), parts.at(1), parts.at(2));
}

State base_state() {
  State state;
  NodeState& node = state.node;
  node.supported = true;
  node.hook_writes = node.star = node.order_sensitive = node.keeps_earlier_state = false;
  node.existence = Existence::present;
  node.hashes = Hashes{"t", "h", "u", "c", 1};
  node.target = version_of("t1");
  node.upstreams.push_back(Upstream{"a", "a", UpstreamKind::data, version_of("1")});
  state.record.hashes = node.hashes;
  state.record.target = version_of("t1");
  state.record.built_at_ms = 1000;
  state.record.upstreams.emplace("a", version_of("1"));
  return state;
}

const std::map<std::string, NodeKind> kKinds = {
    {"table", NodeKind::table}, {"incremental", NodeKind::incremental},
    {"view", NodeKind::view},   {"snapshot", NodeKind::snapshot},
    {"seed", NodeKind::seed},   {"test", NodeKind::test}};
const std::map<std::string, Existence> kExistences = {{"missing", Existence::missing},
                                                      {"other_type", Existence::other_type},
                                                      {"unknown", Existence::unknown}};
const std::map<std::string, UpstreamKind> kUpstreamKinds = {
    {"data", UpstreamKind::data},        {"definition", UpstreamKind::definition},
    {"code", UpstreamKind::parent_code}, {"volatile", UpstreamKind::volatile_value},
    {"schema", UpstreamKind::schema},    {"opaque", UpstreamKind::opaque}};

bool set_hash(Hashes& hashes, const std::string& name, const std::string& value) {
  if (name == "code") {
    hashes.code = value;
  } else if (name == "config") {
    hashes.config = value;
  } else if (name == "unrendered") {
    hashes.unrendered = value;
  } else if (name == "text") {
    hashes.text = value;
  } else if (name == "hash_version") {
    hashes.hash_version = std::stoll(value);
  } else {
    return false;
  }
  return true;
}

bool set_flag(NodeState& node, const std::string& name) {
  const std::map<std::string, bool*> flags = {{"full_refresh", &node.full_refresh},
                                              {"hook_writes", &node.hook_writes},
                                              {"star", &node.star},
                                              {"order_sensitive", &node.order_sensitive},
                                              {"proof", &node.settles_by_proof},
                                              {"keeps_state", &node.keeps_earlier_state},
                                              {"stores_failures", &node.stores_failures}};
  const auto flag = flags.find(name);
  if (flag != flags.end()) *flag->second = true;
  return flag != flags.end();
}

void apply_node(State& state, const Words& words) {
  bool replaced = false;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const std::string value = name == word ? "" : word.substr(name.size() + 1);
    NodeState& node = state.node;
    if (name == "kind") {
      node.kind = kKinds.at(value);
    } else if (name == "existence") {
      node.existence = kExistences.at(value);
    } else if (name == "target") {
      node.target = version_of(value);
    } else if (name == "unsupported") {
      node.supported = false;
    } else if (name == "noup") {
      node.upstreams.clear();
    } else if (name == "up") {
      if (!replaced) node.upstreams.clear();
      replaced = true;
      const Words parts = split(value, ',');
      node.upstreams.push_back(Upstream{parts.at(1), parts.at(2), kUpstreamKinds.at(parts.at(0)),
                                        version_of(parts.at(3))});
    } else if (!set_flag(node, word) && !set_hash(node.hashes, name, value)) {
      state.problems.push_back("node word " + word);
    }
  }
}

void apply_record(State& state, const Words& words) {
  bool replaced = false;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const std::string value = name == word ? "" : word.substr(name.size() + 1);
    BuildRecord& record = state.record;
    if (name == "none") {
      state.has_record = false;
    } else if (name == "fixpoint") {
      record.fixpoint = true;
    } else if (name == "built") {
      record.built_at_ms.reset();
      if (value != "null") record.built_at_ms = std::stoll(value);
    } else if (name == "target") {
      record.target = version_of(value);
    } else if (name == "noup") {
      record.upstreams.clear();
    } else if (name == "up") {
      if (!replaced) record.upstreams.clear();
      replaced = true;
      const Words parts = split(value, ',');
      record.upstreams.insert_or_assign(parts.at(0), version_of(parts.at(1)));
    } else if (!set_hash(record.hashes, name, value)) {
      state.problems.push_back("record word " + word);
    }
  }
}

void apply_policy(State& state, const Words& words) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (word == "all") {
      state.policy.require_fresh_data_from = FreshData::all;
    } else if (word == "unrendered") {
      state.policy.compare_unrendered_code = true;
    } else if (name == "lag") {
      state.policy.lag_tolerance_ms = std::stoll(word.substr(4));
    } else if (name == "now") {
      state.now_ms = std::stoll(word.substr(4));
    } else {
      state.problems.push_back("policy word " + word);
    }
  }
}

Words words_of(const std::string& cell) {
  std::istringstream stream(cell);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string join(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

TEST(DecisionRules, EveryRowHoldsAndEveryReasonHasARow) {
  const std::string here = __FILE__;
  std::ifstream table(here.substr(0, here.rfind("core/")) + "rules/decision.tsv");
  ASSERT_TRUE(table.is_open());
  std::set<std::string> seen;
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    Words cells = split(line, '\t');
    ASSERT_GE(cells.size(), 5U) << line;
    cells.resize(6);
    State state = base_state();
    apply_node(state, words_of(cells[1]));
    apply_record(state, words_of(cells[2]));
    apply_policy(state, words_of(cells[3]));
    ASSERT_TRUE(state.problems.empty()) << line << ": " << join(state.problems);
    const Decision decision =
        decide(state.node, state.has_record ? &state.record : nullptr, state.policy, state.now_ms);
    EXPECT_EQ(name_of(decision.reason()), cells[4]) << line;
    EXPECT_EQ(decision.action(), action_of(decision.reason())) << line;
    EXPECT_EQ(join(decision.changed), cells[5]) << line;
    seen.insert(cells[4]);
    ++rows;
  }
  EXPECT_GE(rows, 150);
#define REASON(name, action, rule, sentence)                 \
  if (std::string(#name) != "hodor_error") {                 \
    EXPECT_EQ(seen.count(#name), 1U) << "no row for " #name; \
  }
#include "hodor/decision/reasons.def"
#undef REASON
}

TEST(DecisionRules, WithoutADecisionANodeBuilds) {
  const Decision decision;
  EXPECT_EQ(decision.action(), Action::build);
  EXPECT_STREQ(name_of(decision.reason()), "hodor_error");
}

TEST(DecisionRules, ADefaultStateBuilds) {
  const BuildRecord record;
  const Decision decision = decide(NodeState{}, &record, Policy{}, 0);
  EXPECT_EQ(decision.action(), Action::build);
}

TEST(Reasons, TheListIsClosedAndComplete) {
  std::set<std::string> names;
#define REASON(name, action_, rule, sentence)                   \
  EXPECT_STREQ(name_of(Reason::name), #name);                   \
  EXPECT_EQ(action_of(Reason::name), Action::action_) << #name; \
  EXPECT_STREQ(rule_of(Reason::name), rule);                    \
  EXPECT_STREQ(sentence_of(Reason::name), sentence);            \
  EXPECT_FALSE(std::string(sentence).empty());                  \
  EXPECT_TRUE(names.insert(#name).second) << #name;
#include "hodor/decision/reasons.def"
#undef REASON
  // Adding a reason that reuses is a decision of its own: this list is to be changed with it.
  std::set<std::string> reusing;
#define REASON(name, action_, rule, sentence) \
  if (Action::action_ == Action::reuse) reusing.insert(#name);
#include "hodor/decision/reasons.def"
#undef REASON
  EXPECT_EQ(reusing,
            (std::set<std::string>{"view_unchanged", "no_new_data", "within_lag_tolerance"}));
}

}  // namespace
}  // namespace hodor
