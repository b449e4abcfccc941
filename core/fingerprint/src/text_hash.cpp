#include "hodor/fingerprint/text_hash.hpp"

#include <cstddef>

#include "hodor/base/sha256.hpp"

namespace hodor {

void add_text_without_run_values(Preimage& preimage, std::string_view text,
                                 const RunValues& run_values) {
  std::size_t from = 0;
  preimage.begin_list("text");
  for (const RunValuePlace& place : find_run_values(text, run_values)) {
    preimage.text("", text.substr(from, place.begin - from));
    preimage.text("run_value", place.placeholder);
    from = place.end;
  }
  preimage.text("", text.substr(from));
  preimage.end_list();
}

std::string text_hash(std::string_view text, const RunValues& run_values) {
  Preimage preimage;
  preimage.text("kind", "text");
  add_text_without_run_values(preimage, text, run_values);
  return sha256_hex(preimage.bytes());
}

}  // namespace hodor
