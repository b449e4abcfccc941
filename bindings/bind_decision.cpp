#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "hodor/decision/decide.hpp"
#include "hodor/fingerprint/hash_version.hpp"
#include "hodor/record/record.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hodor::python {
namespace {

using OptionalText = std::optional<std::string_view>;
using UpstreamTuple =
    std::tuple<std::string_view, std::string_view, std::string_view, OptionalText>;

NodeKind node_kind_named(std::string_view name) {
  return value_named<NodeKind>("kind of node", name,
                               {{"table", NodeKind::table},
                                {"incremental", NodeKind::incremental},
                                {"snapshot", NodeKind::snapshot},
                                {"seed", NodeKind::seed},
                                {"view", NodeKind::view},
                                {"test", NodeKind::test}});
}

Existence existence_named(std::string_view name) {
  return value_named<Existence>("existence", name,
                                {{"present", Existence::present},
                                 {"missing", Existence::missing},
                                 {"other_type", Existence::other_type},
                                 {"unknown", Existence::unknown}});
}

UpstreamKind upstream_kind_named(std::string_view name) {
  return value_named<UpstreamKind>("kind of upstream", name,
                                   {{"data", UpstreamKind::data},
                                    {"definition", UpstreamKind::definition},
                                    {"parent_code", UpstreamKind::parent_code},
                                    {"volatile_value", UpstreamKind::volatile_value},
                                    {"schema", UpstreamKind::schema},
                                    {"opaque", UpstreamKind::opaque}});
}

FreshData fresh_data_named(std::string_view name) {
  return value_named<FreshData>("require_fresh_data_from", name,
                                {{"any", FreshData::any}, {"all", FreshData::all}});
}

Sensitivity sensitivity_named(std::string_view name) {
  return value_named<Sensitivity>("sensitivity", name,
                                  {{"rows", Sensitivity::rows},
                                   {"rows_and_order", Sensitivity::rows_and_order},
                                   {"schema_only", Sensitivity::schema_only}});
}

// None is unknown. A text that is no token is a mistake of the caller, not an unknown version.
DataVersion version_of(const OptionalText& token) {
  if (!token) return DataVersion::unknown();
  DataVersion version = DataVersion::parse(*token);
  if (!version.is_known()) throw nb::value_error("not a version token; see version_token()");
  return version;
}

std::optional<std::string> token_of(const DataVersion& version) {
  if (!version.is_known()) return std::nullopt;
  return version.token();
}

std::string version_token(std::string_view data, std::string_view order, std::string_view schema) {
  const DataVersion version = DataVersion::known(data, order, schema);
  if (!version.is_known()) {
    throw nb::value_error("a part has ';' in it, or data and schema are both empty");
  }
  return version.token();
}

const char* compare_versions(const OptionalText& now, const OptionalText& recorded,
                             std::string_view sensitivity) {
  const Sensitivity parts = sensitivity_named(sensitivity);
  switch (version_of(now).compare(version_of(recorded), parts)) {
    case Comparison::same:
      return "same";
    case Comparison::changed:
      return "changed";
    case Comparison::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string text_or_empty(const OptionalText& text) {
  return std::string(text.value_or(std::string_view()));
}

const char* name_of(Action action) { return action == Action::reuse ? "reuse" : "build"; }

using DecisionTuple = std::tuple<const char*, const char*, std::vector<std::string>>;

DecisionTuple decide_node(std::string_view kind, bool supported, bool full_refresh,
                          bool hook_writes, bool star, bool order_sensitive,
                          bool keeps_earlier_state, bool settles_by_proof,
                          std::string_view existence, const OptionalText& text_hash,
                          const OptionalText& code_hash, const OptionalText& unrendered_hash,
                          const OptionalText& config_hash, const OptionalText& target,
                          const std::vector<UpstreamTuple>& upstreams, const BuildRecord* record,
                          std::int64_t lag_tolerance_ms, std::string_view require_fresh_data_from,
                          bool compare_unrendered_code, std::int64_t now_ms, bool stores_failures) {
  NodeState node;
  node.kind = node_kind_named(kind);
  node.supported = supported;
  node.full_refresh = full_refresh;
  node.hook_writes = hook_writes;
  node.star = star;
  node.order_sensitive = order_sensitive;
  node.keeps_earlier_state = keeps_earlier_state;
  node.settles_by_proof = settles_by_proof;
  node.stores_failures = stores_failures;
  node.existence = existence_named(existence);
  node.hashes = {text_or_empty(text_hash), text_or_empty(code_hash), text_or_empty(unrendered_hash),
                 text_or_empty(config_hash), kHashVersion};
  node.target = version_of(target);
  node.upstreams.reserve(upstreams.size());
  for (const auto& [key, group, upstream_kind, token] : upstreams) {
    node.upstreams.push_back({std::string(key), std::string(group),
                              upstream_kind_named(upstream_kind), version_of(token)});
  }
  const Policy policy{lag_tolerance_ms, fresh_data_named(require_fresh_data_from),
                      compare_unrendered_code};
  Decision decision = decide(node, record, policy, now_ms);
  return {name_of(decision.action()), name_of(decision.reason()), std::move(decision.changed)};
}

BuildRecord decode_columns(const OptionalText& text_hash, const OptionalText& code_hash,
                           const OptionalText& unrendered_hash, const OptionalText& config_hash,
                           std::int64_t hash_version, const OptionalText& data_version,
                           std::optional<std::int64_t> built_at_ms, const OptionalText& upstreams,
                           const OptionalText& detail) {
  return value_or_raise(
      decode_record({text_hash, code_hash, unrendered_hash, config_hash, hash_version, data_version,
                     built_at_ms, upstreams, detail}));
}

nb::object token_object(const std::optional<std::string>& token) {
  if (!token) return nb::none();
  return nb::str(token->c_str(), token->size());
}

nb::dict recorded_upstreams(const BuildRecord& record) {
  nb::dict tokens;
  for (const auto& [key, version] : record.upstreams) {
    tokens[nb::str(key.c_str(), key.size())] = token_object(token_of(version));
  }
  return tokens;
}

nb::dict upstream_dict(std::string_view text) {
  nb::dict tokens;
  for (const auto& [key, token] : value_or_raise(decode_upstreams(text))) {
    tokens[nb::str(key.c_str(), key.size())] = token_object(token);
  }
  return tokens;
}

std::string upstream_text(const std::vector<std::tuple<std::string, OptionalText>>& pairs) {
  UpstreamTokens tokens;
  for (const auto& [key, token] : pairs) {
    const bool is_known = version_of(token).is_known();
    const auto value = is_known ? std::optional<std::string>(*token) : std::nullopt;
    if (!tokens.emplace(key, value).second) throw nb::value_error("a key stands twice");
  }
  return value_or_raise(encode_upstreams(tokens));
}

std::string upstream_list(const OptionalText& recorded, const std::vector<UpstreamTuple>& now) {
  UpstreamTokens then, tokens;
  if (recorded) {
    Result<UpstreamTokens> decoded = decode_upstreams(*recorded);
    if (decoded.ok()) then = std::move(decoded).value();  // a damaged one is told elsewhere
  }
  for (const auto& [key, group, kind, token] : now) {
    tokens.insert_or_assign(std::string(key),
                            token ? std::optional<std::string>(*token) : std::nullopt);
  }
  return value_or_raise(list_upstreams(then, tokens));
}

nb::list list_reasons() {
  nb::list reasons;
  const auto add = [&reasons](Reason reason) {
    reasons.append(nb::make_tuple(name_of(reason), name_of(action_of(reason)), rule_of(reason),
                                  sentence_of(reason)));
  };
#define REASON(name, action, rule, sentence) add(Reason::name);
#include "hodor/decision/reasons.def"
#undef REASON
  return reasons;
}

void bind_record(nb::module_& m) {
  nb::class_<BuildRecord>(m, "BuildRecord", "What a decision reads of a node's latest build.")
      .def_static("decode", &decode_columns, "text_hash"_a.none(), "code_hash"_a.none(),
                  "unrendered_hash"_a.none(), "config_hash"_a.none(), "hash_version"_a,
                  "data_version"_a.none(), "built_at_ms"_a.none(), "upstreams"_a.none(),
                  "detail"_a.none(),
                  "From the columns of a stored row. Raises ValueError when one is malformed.")
      .def_prop_ro("text_hash", [](const BuildRecord& self) { return self.hashes.text; })
      .def_prop_ro("code_hash", [](const BuildRecord& self) { return self.hashes.code; })
      .def_prop_ro("unrendered_hash",
                   [](const BuildRecord& self) { return self.hashes.unrendered; })
      .def_prop_ro("config_hash", [](const BuildRecord& self) { return self.hashes.config; })
      .def_prop_ro("hash_version", [](const BuildRecord& self) { return self.hashes.hash_version; })
      .def_prop_ro("data_version", [](const BuildRecord& self) { return token_of(self.target); })
      .def_ro("built_at_ms", &BuildRecord::built_at_ms)
      .def_ro("fixpoint", &BuildRecord::fixpoint)
      .def_prop_ro("upstreams", &recorded_upstreams,
                   nb::sig("def upstreams(self) -> dict[str, str | None]"),
                   "Token per input key; None is unknown.");
  m.def("encode_upstreams", &upstream_text, "upstreams"_a,
        "Pairs of (input key, token or None) as the text of the record column.");
  m.def("decode_upstreams", &upstream_dict, "text"_a,
        nb::sig("def decode_upstreams(text: str) -> dict[str, str | None]"),
        "Raises ValueError when the text is malformed.");
  m.def("list_upstreams", &upstream_list, "recorded"_a.none(), "upstreams"_a,
        "JSON list of every input then and now, for the artefact of a run.\n\n"
        "recorded: text of the record column, or None; upstreams: as for `decide`.");
}

}  // namespace

void bind_decision(nb::module_& m) {
  m.attr("REASONS") = list_reasons();
  bind_record(m);
  m.def("version_token", &version_token, "data"_a, "order"_a, "schema"_a,
        "One state of a table as text. Raises ValueError for a part with ';'.");
  m.def(
      "compare_versions", &compare_versions, "now"_a.none(), "recorded"_a.none(), "sensitivity"_a,
      "same, changed or unknown. None is unknown; sensitivity: rows, rows_and_order, schema_only.");
  m.def("decide", &decide_node, nb::kw_only(), "kind"_a, "supported"_a, "full_refresh"_a,
        "hook_writes"_a, "star"_a, "order_sensitive"_a, "keeps_earlier_state"_a,
        "settles_by_proof"_a, "existence"_a, "text_hash"_a.none(), "code_hash"_a.none(),
        "unrendered_hash"_a.none(), "config_hash"_a.none(), "target"_a.none(), "upstreams"_a,
        "record"_a.none(), "lag_tolerance_ms"_a, "require_fresh_data_from"_a,
        "compare_unrendered_code"_a, "now_ms"_a, "stores_failures"_a = false,
        "(action, reason, changed input keys) for one node.\n\n"
        "upstreams: (key, group, kind, token or None). Times are UTC epoch milliseconds.\n"
        "Raises ValueError for an unknown name or a text that is no version token.");
}

}  // namespace hodor::python
