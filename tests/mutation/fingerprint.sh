#!/bin/bash
# Mutates one line of the base, facts, fingerprint or record layer at a time. Every mutant must make a
# test fail or not compile; a survivor is a hole in the tests.
#
# In:  GoogleTest's sources (HODOR_GTEST_DIR, default /usr/src/googletest); g++; as an argument, a part
#      of a file name or expression when only some mutants shall run.
# Out: one line per survivor and a total; exit code 1 when one survived or changed nothing.
# Never: writes into the source tree.
set -u
only=${1:-}
share=${HODOR_MUTANTS:-0/1} # i/n: every n-th mutant, from the i-th on
root=$(cd "$(dirname "$0")/../.." && pwd)
gtest=${HODOR_GTEST_DIR:-/usr/src/googletest}/googletest
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++20 -O0 "-DHODOR_TEST_DATA=\"$root/tests\"" -isystem "$gtest/include")
layers=(base facts fingerprint decision record)
for layer in "${layers[@]}" syntax; do flags+=("-I$work/core/$layer/include"); done
mkdir -p "$work/core" "$work/objects"
cp -r "$root/core/." "$work/core/"

compile() { g++ "${flags[@]}" -c "$1" -o "$2" 2>"$work/errors"; }
object_of() { echo "$work/objects/$(echo "${1#"$work/"}" | tr / _).o"; }

sources=()
for layer in base facts decision record; do sources+=("$work/core/$layer/src/"*.cpp); done
for name in run_values text_hash value_digest seed_hash; do
  sources+=("$work/core/fingerprint/src/$name.cpp")
done
tests=("$root"/tests/core/{base,facts,fingerprint,record}_*_test.cpp
       "$root"/tests/completeness/*_test.cpp)
for source in "${sources[@]}"; do compile "$source" "$(object_of "$source")" || exit 2; done
for test in "${tests[@]}"; do
  compile "$test" "$work/objects/test_$(basename "$test").o" || { cat "$work/errors"; exit 2; }
done
g++ "${flags[@]}" "-I$gtest" "-I$gtest/.." -c "$gtest/src/gtest-all.cc" -o "$work/objects/gtest.o"
g++ "${flags[@]}" -c "$gtest/src/gtest_main.cc" -o "$work/objects/gtest_main.o"

# The slow limit tests say nothing about these mutants.
link_and_test() {
  g++ "$work"/objects/*.o -o "$work/all_tests" -pthread 2>"$work/errors" || return 1
  timeout 120 "$work/all_tests" --gtest_brief=1 --gtest_fail_fast \
    --gtest_filter='-Utf8.EveryCode*:*ItsLimit*:*TheirLimit*' >"$work/output" 2>&1
}
link_and_test || { echo "the tests fail without a mutant"; cat "$work/errors" "$work/output"; exit 2; }

mutants=0 bad=0 seen=0
mutant() {  # file below core/, sed expression
  local source="$work/core/$1" object
  [[ "$1 $2" == *"$only"* ]] || return
  seen=$((seen + 1))
  [ $((seen % ${share#*/})) -eq "${share%/*}" ] || return
  mutants=$((mutants + 1))
  object=$(object_of "$source")
  cp "$source" "$work/original"
  cp "$object" "$work/original.o"
  sed -i "$2" "$source"
  if cmp -s "$source" "$work/original"; then
    echo "CHANGES NOTHING $1: $2"; bad=$((bad + 1))
  elif compile "$source" "$object" && link_and_test; then
    echo "SURVIVED $1: $2"; bad=$((bad + 1))
  fi
  cp "$work/original" "$source"
  cp "$work/original.o" "$object"
}

mutant base/src/preimage.cpp "s/if (std::isnan(value)) value/if (false) value/"
mutant base/src/preimage.cpp "s/56 - 8 \* i/48 - 8 * i/"
mutant base/src/sha256.cpp 's/rest_size < 56/rest_size < 57/'
mutant base/src/sha256.cpp 's/total_bytes_ += left;//'
mutant base/src/sha256_x86.cpp 's/if (round < 12)/if (round < 11)/'
mutant base/src/utf8.cpp 's/if (lead == 0xed) high = 0x9f;//'
mutant base/src/json_reader.cpp 's/!has_duplicate_key(map)/true/'
mutant base/src/json_reader.cpp 's/if (form_ == Form::compact) return;//'
mutant base/src/json_reader.cpp 's/ || \*low < 0xdc00//'
mutant base/src/json_reader.cpp 's/is_integer \&\& number/number/'
mutant base/src/json_writer.cpp 's/if (!is_valid_utf8(value)) invalid_ = true;//'
mutant facts/src/encode.cpp 's/out.boolean(pinned);/out.boolean(false);/'
mutant facts/src/encode.cpp 's/out.text(alias);/out.text("");/'
mutant facts/src/decode.cpp 's/ \&\& fields.next("own", facts.own)//'
mutant facts/src/decode.cpp 's/json::Form::compact/json::Form::any/'
mutant facts/src/decode.cpp 's/ != sizeof...(fields)/ < sizeof...(fields)/'
mutant facts/src/merge.cpp 's/merged.exact = merged.exact \&\& exact/merged.exact = exact/'
mutant facts/src/merge.cpp 's/merged.star || star/star/'
mutant facts/src/merge.cpp 's/OwnReadFacts{OwnReads::other, false}/more/'
mutant facts/src/merge.cpp '/add_all(merged.opaque_inputs/d'
mutant fingerprint/src/text_hash.cpp 's/preimage.text("run_value", place.placeholder)/preimage.text("", place.placeholder)/'
mutant fingerprint/src/text_hash.cpp 's/    from = place.end;//'
mutant fingerprint/src/run_values.cpp 's/value.size() >= limits::kRunValueMinBytes/true/'
mutant fingerprint/src/run_values.cpp 's/candidate.value.size() > next->value.size()/false/'
mutant fingerprint/src/value_digest.cpp 's/preimage.text("label", label);//'
mutant fingerprint/src/value_digest.cpp 's/preimage.text("part", label);/preimage.text("part", "");/'
mutant fingerprint/src/value_digest.cpp 's/add(\*entry->key.as<std::string>(), entry->value/add("", entry->value/'
mutant fingerprint/src/value_digest.cpp 's/begin_pairs(tag)/begin_map(tag)/; s/end_pairs()/end_map()/'
mutant fingerprint/src/value_digest.cpp 's/add("", sorted\[i\].second->key, depth + 1);//'
mutant fingerprint/src/value_digest.cpp 's/out_.blob(tag, value.bytes)/out_.text(tag, value.bytes)/'
mutant fingerprint/src/seed_hash.cpp 's/is_line_end \&\& !inside\[i\]/is_line_end/'
mutant fingerprint/src/seed_hash.cpp 's/has_lone_cr ? both : no/no/'
mutant fingerprint/src/seed_hash.cpp 's/has_backslash ? both : no/no/'
mutant fingerprint/src/seed_hash.cpp "s/{'\"', '\\\\''}/{'\"'}/"
mutant fingerprint/src/seed_hash.cpp 's/ \&\& state != At::field;/;/'
mutant fingerprint/src/seed_hash.cpp 's/if (is_known || !is_letter_or_digit(before))/if (!is_letter_or_digit(before))/'
mutant record/src/record.cpp 's/if (!version.is_known()) return Error/if (false) return Error/'
mutant record/src/record.cpp 's/ || \*number != kDetailVersion//'
mutant record/src/record.cpp 's/if (fixpoint == nullptr) return false;/if (fixpoint == nullptr) return true;/'
mutant record/src/record.cpp 's/if (!upstreams) return Error{"no upstreams are recorded"};/if (!upstreams) return record;/'
mutant record/src/upstreams.cpp 's/} else if (!entry.value.is_null()) {/} else if (false) {/'
mutant record/src/upstreams.cpp 's/out.null();/out.text("");/'
echo "mutants $mutants, not killed $bad"
[ "$bad" -eq 0 ]
