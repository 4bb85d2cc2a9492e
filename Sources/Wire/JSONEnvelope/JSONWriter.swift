/// Writes JSON text into a byte array, commas by itself.
///
/// The caller sees to balanced brackets and to a key before each member's value. Keep a writer and call
/// ``removeAll()`` to use its memory again.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8]
  /// A value stands before the place where the next one goes.
  private var needsComma = false

  public init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Starts anew in the same memory.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  public mutating func beginObject() { begin(UInt8(ascii: "{")) }
  public mutating func endObject() { end(UInt8(ascii: "}")) }
  public mutating func beginArray() { begin(UInt8(ascii: "[")) }
  public mutating func endArray() { end(UInt8(ascii: "]")) }

  public mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    escape(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    colon()
  }

  // A literal is to take the variant above, which makes no `String`.
  @_disfavoredOverload
  public mutating func key(_ name: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    escape(name)
    colon()
  }

  public mutating func string(_ value: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    escape(UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  @_disfavoredOverload
  public mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    escape(value)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  public mutating func integer(_ value: some BinaryInteger) {
    separate()
    if let small = Int64(exactly: value) {
      appendDigits(small)
    } else {
      bytes.append(contentsOf: String(value).utf8)
    }
    needsComma = true
  }

  /// JSON has no infinity and no NaN: both become null.
  public mutating func double(_ value: Double) {
    separate()
    bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    needsComma = true
  }

  public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
  public mutating func null() { literal("null") }

  /// Text that is JSON already: one value.
  public mutating func raw(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  public mutating func raw(_ json: UnsafeRawBufferPointer) {
    separate()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  public mutating func raw(_ json: StaticString) { literal(json) }

  /// Recursion goes as deep as the value does; a parsed one is never deeper than ``JSONLimits/depthCeiling``.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .digits(let digits): raw(Array(digits.utf8))
    case .double(let value): double(value)
    case .string(let value): string(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.members {
        key(member.name)
        self.value(member.value)
      }
      endObject()
    }
  }
}

extension JSONWriter {
  @inline(__always)
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func colon() {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func literal(_ text: StaticString) {
    separate()
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    needsComma = true
  }

  private mutating func appendDigits(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func escape(_ text: String) {
    var text = text
    text.withUTF8 { escape(UnsafeRawBufferPointer($0)) }
  }

  /// Copies runs that need no escape as a whole.
  private mutating func escape(_ text: UnsafeRawBufferPointer) {
    var start = 0
    var index = 0
    while index < text.count {
      if index &+ 8 <= text.count {
        let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let stops = JSONWordScan.stops(in: word)
        if stops == 0 {
          index &+= 8
          continue
        }
        index &+= stops.trailingZeroBitCount / 8
      }
      let byte = text[index]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        index += 1
        continue
      }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
      appendEscape(of: byte)
      index += 1
      start = index
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  private mutating func appendEscape(of byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      for digit in [byte >> 4, byte & 0xF] {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
