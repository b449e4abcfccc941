// What the engines say about words: keyword classes, builtin functions, volatile functions.
//
// In:  a dialect and a word in any case.
// Out: answers that hold for every engine version in core/syntax/data.
// Never: says what a word means at its place in a text; only a parser can.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "hodor/syntax/dialect.hpp"
#include "hodor/syntax/token.hpp"

namespace hodor {

WordClass word_class(Dialect dialect, std::string_view word);
// Are bare words of this class keywords wherever they stand, but for labels (behind AS or a dot,
// before a colon, := or =>)? No class is in Spark's default mode: `select from from from` is a
// query there.
bool is_always_keyword(Dialect dialect, WordClass word_class);

// A scalar, aggregate or window function that every known version of the engine has.
bool is_builtin_function(Dialect dialect, std::string_view name);
// Words of either grammar that stand before parentheses like the name of a function. Lower case.
bool is_grammar_call(std::string_view name);
std::span<const std::string_view> builtin_functions(Dialect dialect);
// Functions of any kind, also table functions, that some known version of the engine has.
std::span<const std::string_view> known_functions(Dialect dialect);

// A table function whose rows follow from its arguments alone. Any other may read anything.
bool is_pure_table_function(Dialect dialect, std::string_view name);

// How long the value of a volatile word stays the same.
enum class Volatility : std::uint8_t { date, session, always };
// How a volatile word must be used to be one.
enum class VolatileForm : std::uint8_t {
  call,   // f(…) with any arguments
  bare,   // f(…) and f without parentheses
  call0,  // f() only
  call1   // f(x) only
};
struct VolatileWord {
  std::string_view name;  // lower case; "x*" stands for every name with that start
  Volatility volatility = Volatility::always;
  VolatileForm form = VolatileForm::call;
};

// All that the lists of one dialect say about one word.
struct WordEntry {
  std::string_view text;         // lower case; empty: in no list
  std::uint16_t number = 0;      // of the word in its dialect; 0: in no list
  std::uint8_t parser_word = 0;  // in parser_words.def, counted from 1
  WordClass word_class = WordClass::none;
  bool is_builtin_function = false;
  bool is_grammar_call = false;
  bool is_pure_table_function = false;
  const VolatileWord* volatile_word = nullptr;  // also for words that are in no list
};
// The word in any case. The answer stays where it is.
const WordEntry& find_word(Dialect dialect, std::string_view word);

// Null when `name` is not volatile in any form.
const VolatileWord* find_volatile(Dialect dialect, std::string_view name);

}  // namespace hodor
