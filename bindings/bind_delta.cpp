#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "hodor/decision/data_version.hpp"
#include "hodor/delta/history.hpp"
#include "python_value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hodor::python {
namespace {

using OptionalInteger = std::optional<std::int64_t>;
using RowTuple = std::tuple<OptionalInteger, OptionalInteger, std::optional<std::string>,
                            nb::object, nb::object>;

delta::Write write_named(std::string_view name) {
  return value_named<delta::Write>("write", name,
                                   {{"create", delta::Write::create},
                                    {"write", delta::Write::write},
                                    {"merge", delta::Write::merge},
                                    {"delete", delta::Write::erase},
                                    {"update", delta::Write::update},
                                    {"truncate", delta::Write::truncate},
                                    {"columns", delta::Write::columns},
                                    {"change_column", delta::Write::change_column}});
}

const char* name_of(delta::Effect effect) {
  switch (effect) {
    case delta::Effect::none:
      return "none";
    case delta::Effect::schema:
      return "schema";
    case delta::Effect::data:
      return "data";
  }
  return "data";
}

// A map of the history that is no plain value counts as one that cannot be read.
Value plain_or_null(nb::handle object) {
  try {
    return to_value(object);
  } catch (const nb::builtin_exception&) {
    return {};
  }
}

delta::History history_of(const std::vector<RowTuple>& tuples, std::int64_t page) {
  std::vector<delta::HistoryRow> rows;
  rows.reserve(tuples.size());
  for (const auto& [version, time_ms, operation, parameters, metrics] : tuples) {
    rows.push_back(
        {version, time_ms, operation, plain_or_null(parameters), plain_or_null(metrics)});
  }
  return value_or_raise(delta::History::read(rows, page));
}

// The position in a token, or nothing: other tokens have none.
std::optional<delta::Position> position_of(std::string_view token) {
  const std::size_t first = token.find(';');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = token.find(';', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return delta::parse_position(token.substr(first + 1, second - first - 1));
}

bool decides(const delta::History& history, const std::vector<std::string_view>& tokens) {
  for (const std::string_view token : tokens) {
    const auto position = position_of(token);
    if (position && !history.decides(*position)) return false;
  }
  return true;
}

bool are_ours(const delta::History& history, const std::optional<std::string_view>& before,
              const std::vector<std::string_view>& names) {
  std::optional<delta::Position> position;
  if (before) {
    position = position_of(*before);
    if (!position) return false;
  }
  std::vector<delta::Write> writes;
  for (const std::string_view name : names) writes.push_back(write_named(name));
  return history.are_ours(position, writes);
}

nb::list commit_list(const delta::History& history) {
  nb::list commits;
  for (const delta::Commit& commit : history.commits()) {
    commits.append(nb::make_tuple(commit.id.version, commit.id.time_ms, commit.operation,
                                  name_of(commit.effect)));
  }
  return commits;
}

std::int64_t recorded_page(std::string_view token) {
  const auto position = position_of(token);
  return position ? position->page : 0;
}

std::string recorded_token(std::string_view token) {
  const DataVersion version = DataVersion::parse(token);
  if (!version.is_known()) throw nb::value_error("not a version token; see version_token()");
  return version.recorded_token();
}

}  // namespace

void bind_delta(nb::module_& m) {
  nb::class_<delta::History>(m, "DeltaHistory", "One listing of a Delta table's history.")
      .def_static(
          "read", &history_of, "rows"_a, "page"_a,
          nb::sig("def read(rows: Sequence[tuple[int | None, int | None, str | None, object, "
                  "object]], page: int) -> DeltaHistory"),
          "rows: (version, UTC epoch ms, operation, parameters, metrics), at most `page`.\n\n"
          "Raises ValueError with a sentence when they prove nothing.")
      .def_prop_ro(
          "data", [](const delta::History& self) { return self.position().text(); },
          "The data part of a version token of now.")
      .def_prop_ro("commits", &commit_list,
                   nb::sig("def commits(self) -> list[tuple[int, int, str, str]]"),
                   "(version, UTC epoch ms, operation, none | schema | data), newest first.")
      .def("decides", &decides, "tokens"_a,
           "Whether no larger listing could say more about any of these recorded tokens.")
      .def("are_ours", &are_ours, "before"_a.none(), "writes"_a,
           "Whether since the token `before` exactly these statements have written.\n\n"
           "before: None when the first of them made the table. writes: create, write, merge,\n"
           "delete, update, truncate, columns, change_column; else ValueError.");
  m.def("recorded_page", &recorded_page, "token"_a,
        "The page of the history that a token was read from; 0 for other tokens.");
  m.def("recorded_token", &recorded_token, "token"_a,
        "What a record keeps of a token. Raises ValueError for a text that is none.");
}

}  // namespace hodor::python
