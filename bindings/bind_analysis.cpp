#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "hodor/extract/analyze.hpp"
#include "hodor/facts/codec.hpp"
#include "hodor/fingerprint/relation_ids.hpp"
#include "hodor/fingerprint/run_values.hpp"
#include "hodor/syntax/words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hodor::python {
namespace {

using Parts = std::vector<std::string>;

std::vector<std::string> known_functions_of(std::string_view dialect) {
  const std::span<const std::string_view> names = known_functions(dialect_named(dialect));
  return {names.begin(), names.end()};
}

const char* name_of(AnalysisTier tier) {
  switch (tier) {
    case AnalysisTier::canonical:
      return "canonical";
    case AnalysisTier::tokens:
      return "tokens";
    case AnalysisTier::text:
      return "text";
  }
  return "text";
}

const char* name_of(PartKind kind) {
  switch (kind) {
    case PartKind::cte:
      return "cte";
    case PartKind::column:
      return "column";
    case PartKind::clause:
      return "clause";
    case PartKind::body:
      return "body";
  }
  return "body";
}

const char* name_of(TextSource source) {
  switch (source) {
    case TextSource::none:
      return "none";
    case TextSource::form:
      return "form";
    case TextSource::kept_names:
      return "kept_names";
    case TextSource::unprinted:
      return "unprinted";
    case TextSource::tokens:
      return "tokens";
  }
  return "none";
}

std::vector<std::string> part_texts_of(const Analysis& analysis) {
  std::vector<std::string> texts;
  for (const Part& part : analysis.parts) texts.push_back(part.text);
  return texts;
}

std::vector<std::tuple<const char*, std::string, std::string>> parts_of(const Analysis& analysis) {
  std::vector<std::tuple<const char*, std::string, std::string>> parts;
  for (const Part& part : analysis.parts) {
    parts.emplace_back(name_of(part.kind), part.name, part.hash);
  }
  return parts;
}

std::vector<std::tuple<std::string, std::string>> assumes_of(const Analysis& self) {
  std::vector<std::tuple<std::string, std::string>> pairs;
  for (const auto& [relation, column] : self.assumes) pairs.emplace_back(relation, column);
  return pairs;
}

std::optional<Parts> target_of(const StatementFacts& statement) {
  if (!statement.target) return std::nullopt;
  return statement.target->parts;
}

// The arguments are C++ copies or texts that the caller holds, so no Python object is touched.
Analysis analyze_text(std::string_view sql, std::string_view dialect, RunValues run_values,
                      const RelationIds& relation_ids, std::optional<Parts> own,
                      bool usual_settings, std::optional<KnownColumns> columns, bool texts) {
  const Dialect chosen = dialect_named(dialect);
  AnalyzeOptions options;
  options.run_values = std::move(run_values);
  options.relation_ids = &relation_ids;
  options.own = own.value_or(Parts());
  options.usual_settings = usual_settings;
  options.columns = std::move(columns).value_or(KnownColumns());
  options.parts = true;
  options.texts = texts;
  const nb::gil_scoped_release released;
  return analyze(sql, chosen, options);
}

std::tuple<std::string, std::vector<StatementFacts>> analyze_several(
    std::string_view sql, std::string_view dialect, RunValues run_values,
    const RelationIds& relation_ids, std::optional<Parts> own) {
  const Dialect chosen = dialect_named(dialect);
  AnalyzeOptions options;
  options.run_values = std::move(run_values);
  options.relation_ids = &relation_ids;
  options.own = own.value_or(Parts());
  options.parts = false;
  const nb::gil_scoped_release released;
  StatementsAnalysis analysis = analyze_statements(sql, chosen, options);
  return {std::move(analysis.code_hash), std::move(analysis.statements)};
}

}  // namespace

void bind_analysis(nb::module_& m) {
  nb::class_<RelationIds>(m, "RelationIds", "Which dbt node a relation name belongs to.")
      .def(nb::init<const std::vector<std::pair<Parts, std::string>>&>(), "pairs"_a,
           "pairs: ([database, schema, relation], unique_id); a name that two ids claim is "
           "dropped.");
  nb::class_<Analysis>(m, "Analysis", "What one query is, reads and consists of.")
      .def_prop_ro(
          "tier", [](const Analysis& self) { return name_of(self.tier); },
          "canonical, tokens where that is not to be had, or text when the query could not be cut "
          "into tokens.")
      .def_ro("code_hash", &Analysis::code_hash)
      .def_prop_ro("assumes", &assumes_of,
                   "(relation, column) pairs: the hash is right while no relation has its column.")
      .def_ro("facts", &Analysis::facts, nb::rv_policy::copy)
      .def_prop_ro("parts", &parts_of, "(cte, column, clause or body; name; hash) for explain.")
      .def_prop_ro("part_texts", &part_texts_of, "Of the parts, when texts were asked for.")
      .def_ro("opaque", &Analysis::opaque, "Runs of tokens that were not understood.")
      .def_ro("opaque_tokens", &Analysis::opaque_tokens)
      .def_ro("text", &Analysis::text, "The canonical text, when texts were asked for.")
      .def_prop_ro(
          "text_source", [](const Analysis& self) { return name_of(self.text_source); },
          "form or kept_names; or unprinted or tokens, where the text is the tokens as written.");
  nb::class_<StatementFacts>(m, "StatementFacts", "One statement of a hook or sql_header.")
      .def_prop_ro(
          "kind", [](const StatementFacts& self) { return hodor::name_of(self.kind); },
          "query, harmless, write, session, loads or opaque.")
      .def_prop_ro("target", &target_of, "Parts of the relation that a write changes.")
      .def_ro("facts", &StatementFacts::facts, nb::rv_policy::copy);
  m.def(
      "analyze", &analyze_text, "sql"_a, "dialect"_a, "run_values"_a, "relation_ids"_a,
      "own"_a.none(), "usual_settings"_a = false, "columns"_a.none() = nb::none(),
      "texts"_a = false,
      "Hash and facts of one query. own: parts of the relation that it builds. usual_settings: the "
      "engine's settings are at their defaults, so that the hash may be that of the canonical "
      "form.\n\n"
      "dialect: duckdb or databricks, else ValueError. Releases the GIL.");
  m.def("known_functions", &known_functions_of, "dialect"_a,
        "Functions of any kind that some known version of the dialect's engine has.");
  m.def("analyze_statements", &analyze_several, "sql"_a, "dialect"_a, "run_values"_a,
        "relation_ids"_a, "own"_a.none(),
        "(hash of the whole text, its statements). Releases the GIL.");
}

}  // namespace hodor::python
