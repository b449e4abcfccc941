// The rules of docs/rules.md, in order, first match wins. Rule 1 (shadow mode) is the caller's: it
// executes anyway and records this decision.
#include "hodor/decision/decide.hpp"

#include <algorithm>
#include <initializer_list>

#include "inputs.hpp"

namespace hodor {

// Proof that nothing unknown is left. Only the checks below can make it, each after its comparison.
class Evidence {
 public:
  static std::optional<Evidence> of_view(const ViewDifferences& differences) {
    if (!differences.columns.empty() || !differences.definitions.empty()) return std::nullopt;
    return Evidence{};
  }
  static std::optional<Evidence> of_inputs(const InputDifferences& differences) {
    if (!differences.unknown.empty() || !differences.definitions.empty()) return std::nullopt;
    return Evidence{};
  }

 private:
  Evidence() = default;
};

namespace {

// An empty hash means that it could not be made, so it equals nothing.
bool same_hash(const std::string& now, const std::string& then) {
  return !now.empty() && now == then;
}

bool same_code(const Hashes& now, const Hashes& then, const Policy& policy) {
  if (now.hash_version <= 0 || now.hash_version != then.hash_version) return false;
  if (same_hash(now.code, then.code)) return true;
  return policy.compare_unrendered_code && same_hash(now.unrendered, then.unrendered);
}

bool same_target(const NodeState& node, const BuildRecord& last) {
  if (node.kind == NodeKind::test && !node.stores_failures) return true;
  // A build would restore the order of rows, and a reader may look at it.
  return node.target.compare(last.target, Sensitivity::rows_and_order) == Comparison::same;
}

// A clock behind the record, or a record without a time, proves nothing about age.
bool is_young(const BuildRecord& last, std::int64_t tolerance_ms, std::int64_t now_ms) {
  if (!last.built_at_ms.has_value() || *last.built_at_ms < 0) return false;
  if (now_ms < *last.built_at_ms) return false;
  return now_ms - *last.built_at_ms < tolerance_ms;
}

bool has_fresh_data(const InputDifferences& differences, FreshData required) {
  if (differences.data.empty()) return false;
  if (required == FreshData::any) return true;
  // A vanished input belongs to no group that could be counted.
  return differences.vanished_data || differences.every_group_changed;
}

Decision with_changes(Decision decision, std::initializer_list<const Keys*> lists) {
  for (const Keys* keys : lists) {
    decision.changed.insert(decision.changed.end(), keys->begin(), keys->end());
  }
  std::sort(decision.changed.begin(), decision.changed.end());
  decision.changed.erase(std::unique(decision.changed.begin(), decision.changed.end()),
                         decision.changed.end());
  return decision;
}

// Rules 9 to 10.
Decision decide_view(const NodeState& node, const BuildRecord& last) {
  if (node.star) return Decision::build(Reason::select_star_view);
  const ViewDifferences differences = compare_view_inputs(node, last);
  if (!differences.columns.empty()) {
    return with_changes(Decision::build(Reason::upstream_schema_changed), {&differences.columns});
  }
  // User functions count before rule 10: a view's types follow their bodies.
  const std::optional<Evidence> evidence = Evidence::of_view(differences);
  if (!evidence.has_value()) {
    return with_changes(Decision::build(Reason::upstream_code_changed), {&differences.definitions});
  }
  return Decision::reuse(Reason::view_unchanged, *evidence);
}

// Rules 11 to 15.
Decision decide_by_inputs(const NodeState& node, const BuildRecord& last, const Policy& policy,
                          std::int64_t now_ms) {
  const InputDifferences differences = compare_inputs(node, last);
  if (!differences.unknown.empty()) {
    return with_changes(Decision::build(Reason::unknown_upstream), {&differences.unknown});
  }
  const std::optional<Evidence> evidence = Evidence::of_inputs(differences);
  if (!evidence.has_value()) {
    return with_changes(Decision::build(Reason::upstream_code_changed), {&differences.definitions});
  }
  const auto changed = [&differences](Decision decision) {
    return with_changes(std::move(decision), {&differences.data, &differences.volatile_values});
  };
  const bool fresh_data = has_fresh_data(differences, policy.require_fresh_data_from);
  if (!fresh_data && differences.volatile_values.empty()) {
    return changed(Decision::reuse(Reason::no_new_data, *evidence));
  }
  if (node.kind != NodeKind::test && is_young(last, policy.lag_tolerance_ms, now_ms)) {
    // The tolerance is for new rows of the same code, not for a parent that was corrected.
    if (!differences.data.empty() && !differences.parent_code.empty()) {
      return with_changes(changed(Decision::build(Reason::upstream_code_changed)),
                          {&differences.parent_code});
    }
    return changed(Decision::reuse(Reason::within_lag_tolerance, *evidence));
  }
  return changed(Decision::build(fresh_data ? Reason::new_upstream_data : Reason::volatile_sql));
}

}  // namespace

Decision decide(const NodeState& node, const BuildRecord* last, const Policy& policy,
                std::int64_t now_ms) {
  if (node.full_refresh) return Decision::build(Reason::full_refresh);
  if (!node.supported) return Decision::build(Reason::unsupported);
  if (node.hook_writes) return Decision::build(Reason::hook_writes);
  if (last == nullptr) return Decision::build(Reason::no_history);
  if (node.existence != Existence::present) return Decision::build(Reason::relation_missing);
  if (!same_code(node.hashes, last->hashes, policy)) return Decision::build(Reason::code_changed);
  if (!same_hash(node.hashes.config, last->hashes.config)) {
    return Decision::build(Reason::config_changed);
  }
  if (!same_target(node, *last)) return Decision::build(Reason::target_modified);
  if (node.keeps_earlier_state && !last->fixpoint && !node.settles_by_proof) {
    return Decision::build(Reason::unsettled);
  }
  if (node.kind == NodeKind::view) return decide_view(node, *last);
  return decide_by_inputs(node, *last, policy, now_ms);
}

}  // namespace hodor
