#include <initializer_list>

#include "envelope.hpp"
#include "hodor/base/json.hpp"
#include "hodor/facts/codec.hpp"

namespace hodor {
namespace {

bool read(Value& value, bool& out) {
  const bool* flag = value.as<bool>();
  if (flag != nullptr) out = *flag;
  return flag != nullptr;
}

bool read(Value& value, std::string& out) {
  std::string* text = value.as<std::string>();
  if (text != nullptr) out = std::move(*text);
  return text != nullptr;
}

// A name of a closed list. Unknown names are an error, never the default.
template <class Enum>
bool read_name(Value& value, Enum& out, std::initializer_list<Enum> all) {
  const std::string* name = value.as<std::string>();
  if (name == nullptr) return false;
  for (const Enum candidate : all) {
    if (*name != name_of(candidate)) continue;
    out = candidate;
    return true;
  }
  return false;
}

bool read(Value& value, VolatileClass& out) {
  return read_name(value, out,
                   {VolatileClass::date, VolatileClass::session, VolatileClass::always});
}
bool read(Value& value, VolatileUse& out) {
  return read_name(value, out, {VolatileUse::stamp, VolatileUse::logic});
}
bool read(Value& value, OwnReads& out) {
  return read_name(value, out, {OwnReads::none, OwnReads::high_water_mark, OwnReads::other});
}

bool read(Value& value, RelationName& out);
bool read(Value& value, FileRead& out);
bool read(Value& value, VolatileCall& out);

template <class Item>
bool read(Value& value, std::vector<Item>& out) {
  ValueList* list = value.as<ValueList>();
  if (list == nullptr) return false;
  out.resize(list->size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!read((*list)[i], out[i])) return false;
  }
  return true;
}

// A list that stands for a struct: exactly these fields in this order.
template <class... Field>
bool read_fields(Value& value, Field&... fields) {
  ValueList* list = value.as<ValueList>();
  if (list == nullptr || list->size() != sizeof...(fields)) return false;
  std::size_t next = 0;
  return (read((*list)[next++], fields) && ...);
}

bool read(Value& value, RelationName& out) { return read_fields(value, out.parts, out.pinned); }
bool read(Value& value, FileRead& out) { return read_fields(value, out.pattern, out.function); }
bool read(Value& value, VolatileCall& out) {
  return read_fields(value, out.volatile_class, out.use, out.text, out.alias);
}
bool read(Value& value, OwnReadFacts& out) {
  return read_fields(value, out.reads, out.plain_greater);
}

// Reads the next entry of an object whose keys come in a fixed order.
class Fields {
 public:
  explicit Fields(ValueMap& map) : map_(map) {}
  template <class Field>
  bool next(std::string_view name, Field& out) {
    if (at_ >= map_.size()) return false;
    MapEntry& entry = map_[at_++];
    return *entry.key.as<std::string>() == name && read(entry.value, out);
  }
  bool at_end() const { return at_ == map_.size(); }

 private:
  ValueMap& map_;
  std::size_t at_ = 0;
};

bool read_facts(ValueMap& map, Facts& facts) {
  Fields fields(map);
  return fields.next("exact", facts.exact) && fields.next("relations", facts.relations) &&
         fields.next("paths", facts.paths) && fields.next("files", facts.files) &&
         fields.next("opaque_inputs", facts.opaque_inputs) &&
         fields.next("volatile_calls", facts.volatile_calls) &&
         fields.next("functions", facts.functions) && fields.next("columns", facts.columns) &&
         fields.next("output_columns", facts.output_columns) && fields.next("star", facts.star) &&
         fields.next("order_sensitive", facts.order_sensitive) &&
         fields.next("inexact", facts.inexact) && fields.next("merges", facts.merges) &&
         fields.next("own", facts.own) && fields.at_end();
}

}  // namespace

Result<Facts> decode_facts(std::string_view text) {
  const std::string_view body = envelope::unwrap(text);
  if (body.empty()) return Error{"these facts are damaged or of another version"};
  // Compact: a body with white space or other escapes has a right checksum too, but nobody here
  // wrote it.
  HODOR_TRY(value, json::parse(body, json::Form::compact));
  Facts facts;
  ValueMap* map = value.as<ValueMap>();
  if (map == nullptr || !read_facts(*map, facts)) return Error{"these facts have another layout"};
  return facts;
}

}  // namespace hodor
