// Any bytes in the columns of a record → an error, or values that encode to the same text.
#include <cstdint>
#include <string_view>

#include "expect.hpp"
#include "hodor/decision/data_version.hpp"
#include "hodor/facts/codec.hpp"
#include "hodor/record/record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hodor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  if (const auto facts = decode_facts(text); facts.ok()) {
    const auto encoded = encode_facts(facts.value());
    fuzz::expect(encoded.ok() && encoded.value() == text, "only the one encoding of facts is read");
  }
  if (const auto upstreams = decode_upstreams(text); upstreams.ok()) {
    const auto encoded = encode_upstreams(upstreams.value());
    fuzz::expect(encoded.ok(), "inputs that were read can be written");
    const auto again = decode_upstreams(encoded.value());
    fuzz::expect(again.ok() && again.value() == upstreams.value(), "inputs stay the same");
  }
  const DataVersion version = DataVersion::parse(text);
  fuzz::expect(!version.is_known() || version.token() == text, "a known token is its own text");
  if (!version.is_known()) {
    fuzz::expect(version.compare(version, Sensitivity::rows) == Comparison::unknown,
                 "unknown equals nothing");
  }
  RecordColumns columns;
  columns.text_hash = columns.code_hash = columns.config_hash = columns.data_version = text;
  columns.built_at_ms = 1;
  columns.upstreams = columns.detail = text;
  if (const auto record = decode_record(columns); record.ok()) {
    fuzz::expect(!record.value().fixpoint || text.find("fixpoint") != text.npos,
                 "a fixpoint is never invented");
  }
  return 0;
}
