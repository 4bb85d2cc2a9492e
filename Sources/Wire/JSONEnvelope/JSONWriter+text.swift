// What ``JSONObjectWriter`` and ``JSONArrayWriter`` are made of. Here brackets and keys are still the caller's affair.
extension JSONWriter {
  @inlinable
  mutating func begin(_ bracket: UInt8) {
    separate()
    buffer.append(bracket)
    needsComma = false
  }

  @inlinable
  mutating func end(_ bracket: UInt8) {
    buffer.append(bracket)
    needsComma = true
  }

  @usableFromInline
  mutating func key(_ name: StaticString) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    escape(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    colon()
  }

  @usableFromInline
  @_disfavoredOverload
  mutating func key(_ name: String) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    escape(name)
    colon()
  }

  @usableFromInline
  mutating func string(_ value: StaticString) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    escape(UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    buffer.append(UInt8(ascii: "\""))
    needsComma = true
  }

  @usableFromInline
  @_disfavoredOverload
  mutating func string(_ value: String) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    escape(value)
    buffer.append(UInt8(ascii: "\""))
    needsComma = true
  }

  @inlinable
  mutating func integer(_ value: some FixedWidthInteger) {
    if let small = Int64(exactly: value) { digits(small) } else { raw(Array(String(value).utf8)) }
  }

  @usableFromInline
  mutating func digits(_ value: Int64) {
    separate()
    if value < 0 { buffer.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = buffer.count
    repeat {
      buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    buffer[start...].reverse()
    needsComma = true
  }

  @usableFromInline
  mutating func double(_ value: Double) {
    separate()
    buffer.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    needsComma = true
  }

  @usableFromInline
  mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

  @usableFromInline
  mutating func null() { literal("null") }

  @usableFromInline
  mutating func raw(_ json: [UInt8]) {
    separate()
    buffer.append(contentsOf: json)
    needsComma = true
  }

  @inlinable
  mutating func separate() {
    if needsComma { buffer.append(UInt8(ascii: ",")) }
  }

  private mutating func colon() {
    buffer.append(UInt8(ascii: "\""))
    buffer.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func literal(_ text: StaticString) {
    separate()
    buffer.append(contentsOf: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    needsComma = true
  }
}
