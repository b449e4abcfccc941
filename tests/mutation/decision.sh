#!/bin/bash
# Alters one line of core/decision or core/lineage at a time; the tests must notice each. A mutant that
# survives, does not apply, or does not compile fails the run: a mutant that cannot compile tests nothing.
# Usage: tests/mutation/decision.sh [pattern]   (only mutants whose text has the pattern)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
gtest=${HODOR_GTEST_DIR:-/usr/src/googletest}/googletest
work=$(mktemp -d "${TMPDIR:-/tmp}/hodor-mutants.XXXXXX")
trap 'rm -rf "$work"' EXIT
cxx="${CXX:-g++} -std=c++20 -O0"
includes="-I$work/decision/include -I$work/decision/src -I$work/lineage/include -I$work/lineage/src
  -I$root/core/facts/include -I$root/core/base/include"
only=${1:-}
share=${HODOR_MUTANTS:-0/1} # i/n: every n-th mutant, from the i-th on
total=0 bad=0 seen=0

cp -r "$root/core/decision" "$root/core/lineage" "$work/"
mkdir "$work/originals"
cp -r "$work/decision" "$work/lineage" "$work/originals/"
# Everything that no mutant touches is compiled once.
for source in "$gtest/src/gtest-all.cc" "$gtest/src/gtest_main.cc"; do
  $cxx -w -I"$gtest/include" -I"$gtest" -c "$source" -o "$work/$(basename "$source").o" || exit 2
done
for source in "$root"/core/facts/src/*.cpp "$root"/core/base/src/*.cpp; do
  $cxx $includes -I"$root/core/facts/src" -I"$root/core/base/src" -c "$source" \
    -o "$work/dependency_$(basename "$source").o" || exit 2
done
ar rcs "$work/fixed.a" "$work"/*.o
mkdir "$work/tests_decision" "$work/tests_lineage" "$work/objects"
for layer in decision lineage; do
  for test in "$root/tests/core/${layer}"_*test.cpp; do
    $cxx -O1 $includes -I"$gtest/include" -c "$test" \
      -o "$work/tests_$layer/$(basename "$test").o" || exit 2
  done
  for source in "$work/$layer/src"/*.cpp; do
    $cxx $includes -c "$source" -o "$work/objects/${layer}_$(basename "$source").o" || exit 2
  done
done
for layer in decision lineage; do
  $cxx "$work/objects/${layer}_"*.o "$work/tests_$layer"/*.o "$work/fixed.a" -o "$work/unmutated_$layer" &&
    "$work/unmutated_$layer" --gtest_brief=1 >"$work/log" 2>&1 || { cat "$work/log"; exit 2; }
done

# The quick tests first: most mutants do not live to see the others.
survives() {
  timeout 120 "$1" --gtest_brief=1 --gtest_fail_fast=1 --gtest_filter='-*Propert*' >/dev/null 2>&1 &&
    timeout 120 "$1" --gtest_brief=1 --gtest_fail_fast=1 >/dev/null 2>&1
}

# m <layer> <file under src> <sed expression>
m() {
  [[ -z $only || "$1 $2 $3" == *$only* ]] || return 0
  seen=$((seen + 1))
  [ $((seen % ${share#*/})) -eq "${share%/*}" ] || return 0
  total=$((total + 1))
  local original="$work/originals/$1/src/$2" mutant="$work/$1/src/$2"
  sed "$3" "$original" >"$mutant"
  if cmp -s "$original" "$mutant"; then
    echo "NOT APPLIED $1/$2: $3"
    bad=$((bad + 1))
    return
  fi
  mkdir -p "$work/mutated"
  cp "$work/objects/$1_"*.o "$work/mutated/"
  if ! $cxx $includes -c "$mutant" -o "$work/mutated/$1_$2.o" 2>"$work/log" ||
    ! $cxx "$work/mutated/$1_"*.o "$work/tests_$1"/*.o "$work/fixed.a" -o "$work/test_program" 2>"$work/log"; then
    echo "NOT COMPILED $1/$2: $3"
    head -3 "$work/log"
    bad=$((bad + 1))
  elif survives "$work/test_program"; then
    echo "SURVIVED $1/$2: $3"
    bad=$((bad + 1))
  fi
  rm -rf "$work/mutated"
  cp "$original" "$mutant"
}

d() { m decision "$@"; }
l() { m lineage "$@"; }

d decide.cpp 's/if (node.full_refresh) return/if (false) return/'
d decide.cpp 's/if (!node.supported) return/if (false) return/'
d decide.cpp 's/if (node.hook_writes) return/if (false) return/'
d decide.cpp 's/existence != Existence::present/existence == Existence::missing/'
d decide.cpp 's/if (!same_code(.*$/if (false) return Decision::build(Reason::code_changed);/'
d decide.cpp 's/if (!same_hash(node.hashes.config/if (node.hashes.config != last->hashes.config \&\& !same_hash(node.hashes.config/'
d decide.cpp 's/!now.empty() && now == then/now == then/'
d decide.cpp 's/now.hash_version <= 0 || //'
d decide.cpp 's/ || now.hash_version != then.hash_version//'
d decide.cpp 's/policy.compare_unrendered_code && same_hash/same_hash/'
d decide.cpp 's/if (!same_target(node, \*last)) return/if (false) return/'
d decide.cpp 's/node.kind == NodeKind::test && !node.stores_failures/node.kind == NodeKind::test/'
d decide.cpp 's/node.kind == NodeKind::test && !node.stores_failures/!node.stores_failures/'
d decide.cpp 's/target, Sensitivity::rows_and_order)/target, Sensitivity::schema_only)/'
d decide.cpp 's/target, Sensitivity::rows_and_order)/target, Sensitivity::rows)/'
d decide.cpp 's/ && !last->fixpoint && !node.settles_by_proof/ \&\& !last->fixpoint/'
d decide.cpp 's/ && !last->fixpoint && !node.settles_by_proof/ \&\& !node.settles_by_proof/'
d decide.cpp 's/if (node.keeps_earlier_state && /if (false \&\& /'
d decide.cpp 's/!last.built_at_ms.has_value() || \*last.built_at_ms < 0/!last.built_at_ms.has_value()/'
d decide.cpp 's/if (now_ms < \*last.built_at_ms) return false;//'
d decide.cpp 's/built_at_ms < tolerance_ms/built_at_ms <= tolerance_ms/'
d decide.cpp 's/if (differences.data.empty()) return false;//'
d decide.cpp 's/if (required == FreshData::any) return true;//'
d decide.cpp 's/return differences.vanished_data || /return /'
d decide.cpp 's/if (node.star) return/if (false) return/'
d decide.cpp 's/if (!differences.columns.empty()) {/if (false) {/'
d decide.cpp 's/!differences.columns.empty() || !differences.definitions.empty()/!differences.columns.empty()/'
d decide.cpp 's/if (!differences.unknown.empty()) {/if (false) {/'
d decide.cpp 's/!differences.unknown.empty() || !differences.definitions.empty()/!differences.unknown.empty()/'
d decide.cpp 's/if (!fresh_data && differences.volatile_values.empty())/if (!fresh_data)/'
d decide.cpp 's/node.kind != NodeKind::test && is_young/is_young/'
d decide.cpp 's/if (!differences.data.empty() && !differences.parent_code.empty())/if (!differences.parent_code.empty())/'
d decide.cpp 's/if (!differences.data.empty() && !differences.parent_code.empty())/if (false)/'
d decide.cpp 's/fresh_data ? Reason::new_upstream_data/true ? Reason::new_upstream_data/'
d decide.cpp 's/if (node.kind == NodeKind::view) return decide_view/if (false) return decide_view/'
d decide.cpp 's/decision.changed.erase(.*$//; s/^ *decision.changed.end());$//'
d inputs.cpp 's/starts_with(upstream.key, "code:") ? upstream.kind : UpstreamKind::data/upstream.kind/'
d inputs.cpp 's/starts_with(upstream.key, "volatile:") ? upstream.kind : UpstreamKind::data/upstream.kind/'
d inputs.cpp 's/starts_with(upstream.key, kSchemaPrefix) ? upstream.kind : UpstreamKind::data/upstream.kind/'
d inputs.cpp 's/return upstream.group.empty() ? upstream.key : upstream.group/return upstream.group/'
d inputs.cpp 's/recorded->second, sensitivity) == Comparison::same/recorded->second, sensitivity) != Comparison::changed/'
d inputs.cpp 's/starts_with(key, "view:") || //'
d inputs.cpp 's/ || starts_with(key, kFunctionPrefix)//'
d inputs.cpp 's/starts_with(key, "volatile:")/starts_with(key, "nothing:")/'
d inputs.cpp 's/starts_with(key, "code:")) {/starts_with(key, "nothing:")) {/'
d inputs.cpp 's/differences.vanished_data = true;//'
d inputs.cpp 's/std::all_of/std::any_of/'
d inputs.cpp 's/node.order_sensitive ? Sensitivity::rows_and_order/false ? Sensitivity::rows_and_order/'
d inputs.cpp 's/kind == UpstreamKind::opaque || !upstream.version.is_known()/!upstream.version.is_known()/'
d inputs.cpp 's/kind == UpstreamKind::opaque || !upstream.version.is_known()/kind == UpstreamKind::opaque/'
d inputs.cpp 's/    changed_groups.push_back/    if (false) changed_groups.push_back/'
d inputs.cpp 's/)) add_vanished(key, differences);/)) continue;/'
d inputs.cpp 's/if (kind == UpstreamKind::volatile_value || kind == UpstreamKind::parent_code) continue;//'
d inputs.cpp 's/if (kind != UpstreamKind::schema || !same_schema)/if (!same_schema)/'
d inputs.cpp 's/if (kind != UpstreamKind::schema || !same_schema)/if (kind != UpstreamKind::schema)/'
d inputs.cpp 's/if (has_schema_key(group_of(upstream))) continue;//'
d inputs.cpp 's/return kind_of(other) == UpstreamKind::schema &&/return/'
d inputs.cpp 's/substr(kSchemaPrefix.size()) == group/substr(0, kSchemaPrefix.size()) == kSchemaPrefix/'
d inputs.cpp 's/} else if (kind == UpstreamKind::opaque ||/} else if (/'
d inputs.cpp 's/(!same_schema && !is_same(upstream, last, Sensitivity::rows))/!is_same(upstream, last, Sensitivity::rows)/'
d inputs.cpp 's/if (starts_with(key, kSchemaPrefix)) differences.columns.push_back(key);//'
d inputs.cpp 's/if (starts_with(key, kFunctionPrefix)) differences.definitions.push_back(key);//'
d data_version.cpp 's/now.empty() || then.empty()/false/'
d data_version.cpp 's/if (part.find(kSeparator) != std::string_view::npos) return version;//'
d data_version.cpp 's/if (!is_known()) return {};//'
d data_version.cpp 's/if (rows != Comparison::same) return rows;//'
d data_version.cpp 's/now == then ? Comparison::same : Comparison::changed/Comparison::same/'
d data_version.cpp 's/if (schema_ != recorded.schema_) return Comparison::changed;//'
d data_version.cpp 's/ && order_ != recorded.order_//'
d data_version.cpp 's/if (token.substr(0, kGrammarVersion.size()) != kGrammarVersion) return unknown();//'
d reasons.cpp 's/return Action::action;/return Action::reuse;/'
l relation_key.cpp "s/ || c == ':'//"
l relation_key.cpp 's/if (c == .". *) out.push_back/if (false) out.push_back/'
l relation_key.cpp 's/special = part.empty()/special = false/'
l relation_key.cpp "s/c >= 'A' && c <= 'Z' ?/false ?/"
l names.cpp 's/if (equals_lower(parts\[i\], system)) return true;//'
l names.cpp 's/"pg_catalog", "system"}/"pg_catalog"}/'
l names.cpp 's/"duckdb_", "pragma_"/"pragma_"/'
l names.cpp 's/if (parts.size() > 2) return false;//'
l names.cpp 's/if (relation->scope.database == kTemporary) return/if (false) return/'
l names.cpp 's/find(kTemporary, kMain, name) != nullptr/false/'
l names.cpp 's/find(kTemporary, qualifier, name) != nullptr/false/'
l names.cpp 's/if (!partial_names_are_certain_ || find(kTemporary, kMain/if (find(kTemporary, kMain/'
l names.cpp 's/if (!partial_names_are_certain_ || find(kTemporary, qualifier/if (find(kTemporary, qualifier/'
l names.cpp 's/if (databases_.contains(database) &&$/if (false \&\&/'
l names.cpp 's/find(scope.database, qualifier, name)/find(default_scope_.database, qualifier, name)/'
l names.cpp 's/find(scope.database, scope.schema, name)/find(default_scope_.database, default_scope_.schema, name)/'
l names.cpp 's/if (only != nullptr) return problem("a name that fits several relations");//'
l names.cpp 's/database == scope.database ? find/false ? find/'
l names.cpp 's/if (is_file) return {nullptr, true, nullptr};//'
l functions.cpp "s/called.find('.') != std::string_view::npos || //"
l functions.cpp 's/ || is_never_certain(called)//'
l functions.cpp 's/if (!is_word(name) || builtin_.contains(name))/if (!is_word(name))/'
l functions.cpp 's/if (!is_word(name) || builtin_.contains(name))/if (builtin_.contains(name))/'
l functions.cpp 's/std::sort(hashes.begin(), hashes.end());//'
l walk.cpp 's/if (state->second == State::open) inputs_.push_back/if (false) inputs_.push_back/'
l walk.cpp 's/depth_ >= kMaxViewDepth || //'
l walk.cpp 's/depth_ >= kMaxViewDepth/depth_ > kMaxViewDepth/'
l walk.cpp 's/ || inputs_.size() >= kMaxInputsOfView//'
l walk.cpp 's/!facts.has_value() || !facts->exact/!facts.has_value()/'
l walk.cpp 's/order_sensitive_ = order_sensitive_ || facts->order_sensitive;//'
l walk.cpp 's/if (name.pinned) {/if (false) {/'
l walk.cpp 's/for (const std::string& opaque : facts->opaque_inputs) .*$//'
l walk.cpp 's/for (const std::string& path : facts->paths) .*$//'
l walk.cpp 's/for (const std::string& function : facts->functions) .*$//'
l walk.cpp 's/if (relation.is_view) into_view(relation);//'
l walk.cpp 's/const Node node{&function, &scope};/const Node node{\&function, nullptr};/'
l walk.cpp 's/for (const VolatileCall& call : facts->volatile_calls) {/for (const VolatileCall\& call : facts->volatile_calls) { if (call.use == VolatileUse::stamp) continue;/'
l lineage.cpp 's/ && view.closure->generation == generation//'
l lineage.cpp 's/if (!facts.exact) direct(.*$//'
l lineage.cpp 's/if (call.use == VolatileUse::stamp) continue;//'
l lineage.cpp 's/if (name.pinned) {/if (false) {/'
l lineage.cpp 's/if (relation.key == reader_key_) return;//'
l lineage.cpp 's/if (!key.empty() && key == reader_key_) return;/if (key == reader_key_) return;/'
l lineage.cpp 's/if (is_relation && input.key == reader_key_) {/if (false) {/'
l lineage.cpp 's/inputs_.back().group = group;//'
l lineage.cpp 's/if (!impl_->is_listed) trace.direct(.*$//'
l lineage.cpp 's/facts.order_sensitive || !facts.exact || !impl_->is_listed/facts.order_sensitive || !facts.exact/'
l lineage.cpp 's/for (const std::string& name : warehouse_.functions.implicit()) function(name);//'
l lineage.cpp 's/if (impl_->warehouse.names.remove(parts)) ++impl_->generation;/impl_->warehouse.names.remove(parts);/'
l lineage.cpp 's/ && relation->facts == facts) return;/) return;/'
l lineage.cpp 's/relation->definition_hash == definition_hash && //'

echo "mutants $total, not killed $bad"
[[ $bad -eq 0 && $total -gt 0 ]]
