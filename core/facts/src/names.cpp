#include "hodor/facts/codec.hpp"

namespace hodor {

const char* name_of(VolatileClass volatile_class) {
  switch (volatile_class) {
    case VolatileClass::date:
      return "date";
    case VolatileClass::session:
      return "session";
    case VolatileClass::always:
      return "always";
  }
  return "always";
}

const char* name_of(VolatileUse use) {
  switch (use) {
    case VolatileUse::stamp:
      return "stamp";
    case VolatileUse::logic:
      return "logic";
  }
  return "logic";
}

const char* name_of(OwnReads reads) {
  switch (reads) {
    case OwnReads::none:
      return "none";
    case OwnReads::high_water_mark:
      return "high_water_mark";
    case OwnReads::other:
      return "other";
  }
  return "other";
}

const char* name_of(StatementKind kind) {
  switch (kind) {
    case StatementKind::query:
      return "query";
    case StatementKind::harmless:
      return "harmless";
    case StatementKind::write:
      return "write";
    case StatementKind::session:
      return "session";
    case StatementKind::loads:
      return "loads";
    case StatementKind::opaque:
      return "opaque";
  }
  return "opaque";
}

}  // namespace hodor
