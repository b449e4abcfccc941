#include "hodor/fingerprint/seed_hash.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "hodor/base/limits.hpp"
#include "hodor/base/preimage.hpp"
#include "hodor/base/sha256.hpp"

namespace hodor {
namespace {

// One way to read CSV. `delimiter` -1: no byte separates fields, a quote opens only a line.
struct Reading {
  char quote;
  bool backslash_escapes;
  bool lone_cr_ends_line;
  int delimiter;
};

bool is_letter_or_digit(unsigned char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

bool has_carriage_return_alone(std::string_view data) {
  for (std::size_t at = data.find('\r'); at != std::string_view::npos;
       at = data.find('\r', at + 1)) {
    if (at + 1 >= data.size() || data[at + 1] != '\n') return true;
  }
  return false;
}

// Delimiters make a difference only where they stand right before a quote.
std::vector<int> delimiters_before(std::string_view data, char quote, std::string_view known) {
  std::array<bool, 256> seen = {};
  for (std::size_t at = data.find(quote); at != std::string_view::npos;
       at = data.find(quote, at + 1)) {
    if (at == 0) continue;
    const auto before = static_cast<unsigned char>(data[at - 1]);
    const bool is_known = !known.empty() && known.back() == data[at - 1];
    if (is_known || !is_letter_or_digit(before)) seen[before] = true;
  }
  seen['\n'] = seen['\r'] = false;  // line ends are no delimiters
  std::vector<int> delimiters = {-1};
  for (int byte = 0; byte < 256; ++byte) {
    if (seen[static_cast<std::size_t>(byte)]) delimiters.push_back(byte);
  }
  return delimiters;
}

// Marks in `inside` the bytes that this reading has within a quoted field.
void mark_quoted(std::string_view data, const Reading& reading, std::vector<bool>& inside) {
  enum class At { field_start, field, quoted, quote_in_quoted };
  At state = At::field_start;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const char c = data[i];
    if (state == At::quoted) {
      inside[i] = true;
      if (reading.backslash_escapes && c == '\\' && i + 1 < data.size()) {
        inside[++i] = true;
      } else if (c == reading.quote) {
        state = At::quote_in_quoted;
      }
      continue;
    }
    const bool ends_field = c == '\n' || (c == '\r' && reading.lone_cr_ends_line) ||
                            static_cast<unsigned char>(c) == reading.delimiter;
    const bool opens = c == reading.quote && state != At::field;  // a doubled quote reopens
    state = opens ? At::quoted : ends_field ? At::field_start : At::field;
  }
}

// False when the work would be beyond its limit: nothing is known about the quotes then.
bool mark_all_readings(std::string_view data, std::string_view known, std::vector<bool>& inside) {
  const std::vector<bool> both = {false, true};
  const std::vector<bool> no = {false};
  const bool has_backslash = data.find('\\') != std::string_view::npos;
  const bool has_lone_cr = has_carriage_return_alone(data);
  std::vector<Reading> readings;
  for (const char quote : {'"', '\''}) {
    if (data.find(quote) == std::string_view::npos) continue;
    for (const int delimiter : delimiters_before(data, quote, known)) {
      for (const bool backslash_escapes : has_backslash ? both : no) {
        for (const bool lone_cr_ends_line : has_lone_cr ? both : no) {
          readings.push_back({quote, backslash_escapes, lone_cr_ends_line, delimiter});
        }
      }
    }
  }
  if (readings.size() > limits::kSeedScanBytes / std::max<std::size_t>(data.size(), 1))
    return false;
  for (const Reading& reading : readings) mark_quoted(data, reading, inside);
  return true;
}

}  // namespace

std::string fold_line_ends(std::string_view data, std::string_view delimiter) {
  if (data.find("\r\n") == std::string_view::npos) return std::string(data);
  std::vector<bool> inside(data.size(), false);
  if (!mark_all_readings(data, delimiter, inside)) return std::string(data);
  std::string folded;
  folded.reserve(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool is_line_end = data[i] == '\r' && i + 1 < data.size() && data[i + 1] == '\n';
    if (is_line_end && !inside[i]) continue;
    folded.push_back(data[i]);
  }
  return folded;
}

std::string seed_hash(std::string_view data, std::string_view delimiter) {
  Preimage preimage;
  preimage.text("kind", "seed");
  preimage.blob("data", fold_line_ends(data, delimiter));
  return sha256_hex(preimage.bytes());
}

}  // namespace hodor
