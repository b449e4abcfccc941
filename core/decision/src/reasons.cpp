// Looks reasons up in the one list, reasons.def.
#include "hodor/decision/decide.hpp"

namespace hodor {

const char* name_of(Reason reason) {
  switch (reason) {
#define REASON(name, action, rule, sentence) \
  case Reason::name:                         \
    return #name;
#include "hodor/decision/reasons.def"
#undef REASON
  }
  return "hodor_error";
}

const char* sentence_of(Reason reason) {
  switch (reason) {
#define REASON(name, action, rule, sentence) \
  case Reason::name:                         \
    return sentence;
#include "hodor/decision/reasons.def"
#undef REASON
  }
  return "";
}

const char* rule_of(Reason reason) {
  switch (reason) {
#define REASON(name, action, rule, sentence) \
  case Reason::name:                         \
    return rule;
#include "hodor/decision/reasons.def"
#undef REASON
  }
  return "";
}

Action action_of(Reason reason) {
  switch (reason) {
#define REASON(name, action, rule, sentence) \
  case Reason::name:                         \
    return Action::action;
#include "hodor/decision/reasons.def"
#undef REASON
  }
  return Action::build;
}

}  // namespace hodor
