/// What is wrong with a payload.
public enum PayloadError: Error, Equatable, Sendable {
  /// The bytes end in the middle of a field.
  case truncated
  /// A varint of more than ten bytes, a field number of zero, or a wire type that does not exist.
  case malformed
  /// A text field that is not UTF-8.
  case notUTF8
  /// A field that every version writes is absent.
  case missingField(Int)
  /// A number that the field's type cannot hold, or a value that the field's enumeration does not have.
  case outOfRange(field: Int)
  /// An event tag that this version does not know.
  case unknownTag(EventTag)
}

/// Writes the fields of one event: varint key (field number × 8 + wire type), then a varint or length and bytes.
///
/// The wire types are those of Protocol Buffers (0 varint, 2 length-delimited), so that a year from now any such tool
/// can take a payload apart. Absent optionals and empty texts written with `ifNotEmpty` take no room.
public struct PayloadWriter: Sendable {
  public private(set) var bytes: [UInt8]

  public init(reusing buffer: consuming [UInt8] = []) {
    bytes = buffer
    bytes.removeAll(keepingCapacity: true)
  }

  @inlinable
  public mutating func unsigned(_ field: Int, _ value: UInt64) {
    varint(UInt64(field) << 3)
    varint(value)
  }

  /// Zigzag: small negative numbers stay small.
  @inlinable
  public mutating func signed(_ field: Int, _ value: Int64) {
    unsigned(field, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  @inlinable
  public mutating func integer(_ field: Int, _ value: Int) { signed(field, Int64(value)) }

  @inlinable
  public mutating func time(_ field: Int, _ value: Timestamp) { signed(field, value.milliseconds) }

  @inlinable
  public mutating func bool(_ field: Int, _ value: Bool) { unsigned(field, value ? 1 : 0) }

  @inlinable
  public mutating func text(_ field: Int, _ value: String) {
    varint(UInt64(field) << 3 | 2)
    var value = value
    value.withUTF8 { utf8 in
      varint(UInt64(utf8.count))
      append(utf8)
    }
  }

  @inlinable
  public mutating func text(_ field: Int, ifNotEmpty value: String) { if !value.isEmpty { text(field, value) } }

  @inlinable
  public mutating func text(_ field: Int, ifPresent value: String?) { if let value { text(field, value) } }

  @inlinable
  public mutating func data(_ field: Int, _ value: [UInt8]) {
    varint(UInt64(field) << 3 | 2)
    varint(UInt64(value.count))
    value.withUnsafeBufferPointer { append($0) }
  }

  /// A message inside the message; repeated fields are this, once for each element.
  public mutating func nested(_ field: Int, _ build: (inout PayloadWriter) -> Void) {
    varint(UInt64(field) << 3 | 2)
    let start = bytes.count
    // One byte is room for nearly every length. What is longer moves on by as much as its length takes.
    bytes.append(0)
    build(&self)
    let length = bytes.count - start - 1
    if length < 0x80 {
      bytes[start] = UInt8(length)
    } else {
      var long = PayloadWriter()
      long.varint(UInt64(length))
      bytes.replaceSubrange(start...start, with: long.bytes)
    }
  }

  @usableFromInline
  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  @usableFromInline
  mutating func append(_ more: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: more) }
}

/// Reads the fields of one event in the order in which they stand.
///
/// ```swift
/// while let field = try payload.next() {
///   switch field {
///   case 1: position = try payload.integer()
///   case 2: text = try payload.text()
///   default: try payload.skip()
///   }
/// }
/// ```
/// Valid only while the bytes behind it live: the closure that handed it out.
public struct PayloadReader {
  // Pointer and count apart: a buffer's own are looked up, and its pointer compared with nil, each time.
  @usableFromInline let start: UnsafeRawPointer
  @usableFromInline let count: Int
  @usableFromInline var offset = 0
  @usableFromInline var field = 0
  @usableFromInline var wireType = 0

  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    // Of an empty buffer nothing is read.
    start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = bytes.count
  }

  @inlinable
  func byte(_ place: Int) -> UInt8 { start.load(fromByteOffset: place, as: UInt8.self) }

  /// The number of the next field, whose value the caller then reads or skips; nil at the end.
  @inlinable
  public mutating func next() throws(PayloadError) -> Int? {
    guard offset < count else { return nil }
    let key = try varint()
    field = Int(truncatingIfNeeded: key >> 3)
    wireType = Int(key & 7)
    guard field > 0, wireType == 0 || wireType == 2 else { throw .malformed }
    return field
  }

  @inlinable
  public mutating func unsigned() throws(PayloadError) -> UInt64 {
    guard wireType == 0 else { throw .malformed }
    return try varint()
  }

  @inlinable
  public mutating func signed() throws(PayloadError) -> Int64 {
    let raw = try unsigned()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  @inlinable
  public mutating func integer() throws(PayloadError) -> Int {
    guard let value = Int(exactly: try signed()) else { throw .outOfRange(field: field) }
    return value
  }

  @inlinable
  public mutating func time() throws(PayloadError) -> Timestamp { Timestamp(milliseconds: try signed()) }

  @inlinable
  public mutating func bool() throws(PayloadError) -> Bool { try unsigned() != 0 }

  public mutating func text() throws(PayloadError) -> String {
    let utf8 = try lengthDelimited()
    // Decoding repairs what is not UTF-8. To compare afterwards is three times as fast as `String(validating:as:)`.
    var text = String(decoding: utf8, as: UTF8.self)
    guard text.withUTF8({ Self.areEqual(UnsafeRawBufferPointer($0), utf8) }) else { throw .notUTF8 }
    return text
  }

  private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var offset = 0
    while offset + 8 <= left.count {
      guard
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    while offset < left.count {
      guard left[offset] == right[offset] else { return false }
      offset += 1
    }
    return true
  }

  public mutating func data() throws(PayloadError) -> [UInt8] {
    [UInt8](try lengthDelimited())
  }

  /// A reader over a message inside the message.
  public mutating func nested() throws(PayloadError) -> PayloadReader {
    PayloadReader(try lengthDelimited())
  }

  @inlinable
  public mutating func skip() throws(PayloadError) {
    if wireType == 0 { try skipVarint() } else { _ = try lengthDelimited() }
  }

  @inlinable
  mutating func lengthDelimited() throws(PayloadError) -> UnsafeRawBufferPointer {
    guard wireType == 2 else { throw .malformed }
    let length = try varint()
    guard length <= UInt64(bitPattern: Int64(count &- offset)) else { throw .truncated }
    let value = UnsafeRawBufferPointer(start: start + offset, count: Int(truncatingIfNeeded: length))
    offset &+= value.count
    return value
  }

  /// Nearly all keys, lengths and numbers are one byte: that much is done where it is called.
  @inlinable
  mutating func varint() throws(PayloadError) -> UInt64 {
    guard offset < count, byte(offset) < 0x80 else { return try longVarint() }
    offset &+= 1
    return UInt64(byte(offset &- 1))
  }

  @usableFromInline
  @inline(never)
  mutating func longVarint() throws(PayloadError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    var place = offset
    while true {
      guard place < count else { throw .truncated }
      let byte = byte(place)
      place &+= 1
      guard shift < 63 || byte <= 1 else { throw .malformed }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    offset = place
    return value
  }

  /// What `varint` would read.
  @inlinable
  mutating func skipVarint() throws(PayloadError) {
    if count &- offset >= 8 {
      // The first byte of eight whose top bit is clear is the last of the number.
      let ends =
        ~UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) & 0x8080_8080_8080_8080
      if ends != 0 {
        offset &+= (ends.trailingZeroBitCount >> 3) + 1
        return
      }
    }
    var place = offset
    while true {
      guard place < count else { throw .truncated }
      let byte = byte(place)
      // Ten bytes hold 70 bits, the last of them one.
      guard place &- offset < 9 || byte <= 1 else { throw .malformed }
      place &+= 1
      if byte < 0x80 { break }
    }
    offset = place
  }
}
