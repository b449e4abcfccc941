// Each field of the facts changes their stored text: a field that is missing in the encoding would
// let a record stand for facts that it does not have.
//
// The lists below name every field once. A field added to a struct stops this file from compiling
// (structured bindings), and the number beside it must then match the list.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "hodor/facts/codec.hpp"

namespace hodor {
namespace {

std::size_t fields_of(const Facts& facts) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = facts;
  return 14;
}
std::size_t fields_of(const RelationName& relation) {
  [[maybe_unused]] const auto& [a, b] = relation;
  return 2;
}
std::size_t fields_of(const FileRead& file) {
  [[maybe_unused]] const auto& [a, b] = file;
  return 2;
}
std::size_t fields_of(const VolatileCall& call) {
  [[maybe_unused]] const auto& [a, b, c, d] = call;
  return 4;
}
std::size_t fields_of(const OwnReadFacts& own) {
  [[maybe_unused]] const auto& [a, b] = own;
  return 2;
}

template <class T>
struct FieldCase {
  std::string field;
  std::function<void(T&)> change;
};

const std::vector<FieldCase<Facts>> kFacts = {
    {"exact", [](Facts& f) { f.exact = !f.exact; }},
    {"relations", [](Facts& f) { f.relations.push_back({{"other"}, false}); }},
    {"paths", [](Facts& f) { f.paths.push_back("other"); }},
    {"files", [](Facts& f) { f.files.push_back({"other", ""}); }},
    {"opaque_inputs", [](Facts& f) { f.opaque_inputs.push_back("other"); }},
    {"volatile_calls", [](Facts& f) { f.volatile_calls.push_back({}); }},
    {"functions", [](Facts& f) { f.functions.push_back("other"); }},
    {"columns", [](Facts& f) { f.columns.push_back("other"); }},
    {"output_columns", [](Facts& f) { f.output_columns.push_back("other"); }},
    {"star", [](Facts& f) { f.star = !f.star; }},
    {"order_sensitive", [](Facts& f) { f.order_sensitive = !f.order_sensitive; }},
    {"inexact", [](Facts& f) { f.inexact = !f.inexact; }},
    {"merges", [](Facts& f) { f.merges = !f.merges; }},
    {"own", [](Facts& f) { f.own = {OwnReads::other, false}; }},
};
const std::vector<FieldCase<RelationName>> kRelation = {
    {"parts", [](RelationName& r) { r.parts = {"ab", "c"}; }},
    {"pinned", [](RelationName& r) { r.pinned = !r.pinned; }},
};
const std::vector<FieldCase<FileRead>> kFile = {
    {"pattern", [](FileRead& f) { f.pattern = "other"; }},
    {"function", [](FileRead& f) { f.function = "other"; }},
};
const std::vector<FieldCase<VolatileCall>> kCall = {
    {"volatile_class", [](VolatileCall& c) { c.volatile_class = VolatileClass::date; }},
    {"use", [](VolatileCall& c) { c.use = VolatileUse::stamp; }},
    {"text", [](VolatileCall& c) { c.text = "other"; }},
    {"alias", [](VolatileCall& c) { c.alias = "other"; }},
};
const std::vector<FieldCase<OwnReadFacts>> kOwn = {
    {"reads", [](OwnReadFacts& o) { o.reads = OwnReads::high_water_mark; }},
    {"plain_greater", [](OwnReadFacts& o) { o.plain_greater = !o.plain_greater; }},
};

Facts base_facts() {
  Facts facts;
  facts.relations = {{{"a", "bc"}, false}};
  facts.files = {{"p", "f"}};
  facts.volatile_calls = {{VolatileClass::always, VolatileUse::logic, "now()", ""}};
  return facts;
}

// Changes each field of the part that `part_of` picks and collects the stored texts.
template <class T>
void check_each(const std::vector<FieldCase<T>>& cases, const std::function<T&(Facts&)>& part_of,
                std::set<std::string>& texts) {
  std::set<std::string> fields;
  Facts base = base_facts();
  for (const FieldCase<T>& one : cases) {
    fields.insert(one.field);
    Facts changed = base_facts();
    one.change(part_of(changed));
    const std::string text = encode_facts(changed).value();
    EXPECT_TRUE(texts.insert(text).second) << one.field;
    const Result<Facts> again = decode_facts(text);
    ASSERT_TRUE(again.ok()) << again.error();
    EXPECT_EQ(again.value(), changed) << one.field;
    EXPECT_NE(again.value(), base) << one.field;
    EXPECT_NE(merge_facts({&base, &changed}), Facts{}) << one.field;
  }
  EXPECT_EQ(fields.size(), fields_of(part_of(base))) << "a field has no case";
}

TEST(Completeness, EveryFieldOfFactsIsStored) {
  std::set<std::string> texts = {encode_facts(base_facts()).value()};
  check_each<Facts>(kFacts, [](Facts& f) -> Facts& { return f; }, texts);
  check_each<RelationName>(
      kRelation, [](Facts& f) -> RelationName& { return f.relations[0]; }, texts);
  check_each<FileRead>(kFile, [](Facts& f) -> FileRead& { return f.files[0]; }, texts);
  check_each<VolatileCall>(
      kCall, [](Facts& f) -> VolatileCall& { return f.volatile_calls[0]; }, texts);
  check_each<OwnReadFacts>(kOwn, [](Facts& f) -> OwnReadFacts& { return f.own; }, texts);
}

// A doubt or an input of any one text must show in the union, whichever comes first.
TEST(Completeness, EveryFieldOfFactsIsMerged) {
  for (const FieldCase<Facts>& one : kFacts) {
    Facts base = base_facts();
    base.exact = true;
    Facts changed = base;
    one.change(changed);
    const Facts unchanged = merge_facts({&base, &base});
    EXPECT_NE(merge_facts({&changed, &base}), unchanged) << one.field;
    // Output columns are those of the first text by definition.
    if (one.field != "output_columns") {
      EXPECT_NE(merge_facts({&base, &changed}), unchanged) << one.field;
    }
  }
}

}  // namespace
}  // namespace hodor
