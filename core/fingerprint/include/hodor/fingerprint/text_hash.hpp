// The hash of a compiled text as it stands, with this run's own values taken out.
//
// In:  the text; pairs of (value of this run, placeholder), e.g. the invocation id.
// Out: a hash that is equal for two runs exactly when the texts differ in nothing but such values.
// Never: equal because a text happens to contain a placeholder: texts and placeholders are
// different kinds of field in the pre-image.
#pragma once
#include <string>
#include <string_view>

#include "hodor/base/preimage.hpp"
#include "hodor/fingerprint/run_values.hpp"

namespace hodor {

// The text in pieces. Of values that match at one place the longest counts; a value shorter than
// limits::kRunValueMinBytes is left alone, since it may stand in the text by chance.
void add_text_without_run_values(Preimage& preimage, std::string_view text,
                                 const RunValues& run_values);

std::string text_hash(std::string_view text, const RunValues& run_values);

}  // namespace hodor
