// Decides whether a node is built or reused. Pure: no I/O, no clock, no globals, no SQL.
//
// In:  facts about the node now, its latest build record, the policy, the warehouse time.
// Out: a decision with exactly one reason of reasons.def and the input keys that changed.
// Never: returns reuse without Evidence, and only the last checks can make Evidence.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hodor/decision/data_version.hpp"

namespace hodor {

enum class Action { build, reuse };
enum class Reason {
#define REASON(name, action, rule, sentence) name,
#include "hodor/decision/reasons.def"
#undef REASON
};

enum class NodeKind { table, incremental, snapshot, seed, view, test };
// A test that owns no relation is `present`.
enum class Existence { present, missing, other_type, unknown };

// What an input is; it decides how a difference counts. A kind that excuses differences needs its
// key prefix too ("code:", "volatile:", "schema:"): without it the input counts as data.
enum class UpstreamKind {
  data,            // table, file, path: rule 13
  definition,      // a view's or user function's definition on the way to the data: rule 12
  parent_code,     // transitive code mark of a table-like parent: rule 12 when its data changed too
  volatile_value,  // date, session values, invocation: rule 15
  schema,          // columns of a relation that a view reads directly: rule 9b
  opaque           // nobody can version it: rule 11
};

// A view needs a `schema` upstream "schema:<relation key>" for each relation that it reads; an
// input whose group has none must be equal itself, since nothing else proves the view's columns.
struct Upstream {
  std::string key;  // "main.raw.orders", "view:…", "code:…", "file:…", "volatile:date", …
  std::string
      group;  // the direct input through which it is read (empty: itself); `all` counts these
  UpstreamKind kind = UpstreamKind::opaque;
  DataVersion version;
};

struct Hashes {
  std::string text, code, unrendered, config;
  std::int64_t hash_version = 0;
};

struct NodeState {
  NodeKind kind = NodeKind::table;
  bool supported = false;
  bool full_refresh = false;
  bool hook_writes = true;
  bool star = true;             // output columns follow an input's schema
  bool order_sensitive = true;  // compare the order of input rows too
  bool keeps_earlier_state = true;
  bool settles_by_proof = false;  // 8b (b) or (c), or a snapshot's tested key
  bool stores_failures = false;   // a test with a relation of its own, to which rule 8 then applies
  Existence existence = Existence::unknown;
  Hashes hashes;
  DataVersion target;
  std::vector<Upstream> upstreams;
};

struct BuildRecord {
  Hashes hashes;
  DataVersion target;
  std::optional<std::int64_t> built_at_ms;
  bool fixpoint = false;  // that build left its own data version unchanged
  std::map<std::string, DataVersion> upstreams;
};

enum class FreshData { any, all };
struct Policy {
  std::int64_t lag_tolerance_ms = 0;
  FreshData require_fresh_data_from = FreshData::any;
  bool compare_unrendered_code = false;
};

class Evidence;

class Decision {
 public:
  Decision() = default;  // build, hodor_error
  static Decision build(Reason reason) { return Decision{Action::build, reason}; }
  static Decision reuse(Reason reason, const Evidence&) { return Decision{Action::reuse, reason}; }
  Action action() const { return action_; }
  Reason reason() const { return reason_; }
  std::vector<std::string> changed;  // input keys that differ from the record

 private:
  Decision(Action action, Reason reason) : action_(action), reason_(reason) {}
  Action action_ = Action::build;
  Reason reason_ = Reason::hodor_error;
};

// `last` is null when no successful build is recorded. `now_ms`: warehouse clock, UTC epoch ms.
Decision decide(const NodeState& node, const BuildRecord* last, const Policy& policy,
                std::int64_t now_ms);

const char* name_of(Reason reason);
const char* sentence_of(Reason reason);
const char* rule_of(Reason reason);
Action action_of(Reason reason);

}  // namespace hodor
