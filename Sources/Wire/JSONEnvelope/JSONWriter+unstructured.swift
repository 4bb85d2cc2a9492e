// Brackets by hand, until all writers are closures.
extension JSONWriter {
  public mutating func beginObject() { begin(UInt8(ascii: "{")) }
  public mutating func endObject() { end(UInt8(ascii: "}")) }
  public mutating func beginArray() { begin(UInt8(ascii: "[")) }
  public mutating func endArray() { end(UInt8(ascii: "]")) }

  public mutating func raw(_ json: UnsafeRawBufferPointer) { raw(Array(json)) }
  public mutating func raw(_ json: StaticString) { raw(Array(json.description.utf8)) }
}
