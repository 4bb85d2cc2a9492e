/// The fields of one payload by their numbers: the one loop that walks over keys.
///
/// All keys and lengths are checked at the start; a value is read when it is asked for. Of a field that comes twice the
/// last stands. Fields that nobody asks for are not looked into. Costs no memory: where each number below `quickCount`
/// stands first is in the value itself, and others are looked for in the bytes.
///
/// Valid only while the bytes behind it live, like the reader that it is made from.
public struct PayloadFields {
  /// Where the first value of each field stands, times two, and one more if a length stands before it; 0: absent. A value
  /// never stands at 0, since its key does.
  @usableFromInline typealias Places = SIMD32<UInt32>

  /// How many numbers are found without a search: those below.
  @inlinable
  public static var quickCount: Int { Places.scalarCount }

  @usableFromInline let payload: PayloadReader
  @usableFromInline var places = Places()
  /// A bit for each number below `quickCount` that comes more than once.
  @usableFromInline var repeated: UInt32 = 0

  /// Walks to the end of `payload`.
  /// - Throws: `truncated` or `malformed`.
  @inlinable
  @inline(__always)
  public init(_ payload: inout PayloadReader) throws(PayloadError) {
    self.payload = payload
    repeated = try Self.walk(&payload, &places)
  }

  /// - Returns: which come more than once.
  @usableFromInline
  static func walk(_ payload: inout PayloadReader, _ places: inout Places) throws(PayloadError) -> UInt32 {
    // A place has 31 bits. No record is that long.
    guard payload.count <= Int(Int32.max) else { throw .malformed }
    var reader = payload
    var repeated: UInt32 = 0
    try withUnsafeMutableBytes(of: &places) { places throws(PayloadError) in
      while let number = try reader.next() {
        if number < quickCount {
          let entry = number &* MemoryLayout<UInt32>.stride
          if places.load(fromByteOffset: entry, as: UInt32.self) == 0 {
            places.storeBytes(
              of: UInt32(truncatingIfNeeded: reader.offset << 1 | reader.wireType >> 1), toByteOffset: entry,
              as: UInt32.self)
          } else {
            repeated |= 1 << UInt32(number)
          }
        }
        try reader.skip()
      }
    }
    payload = reader
    return repeated
  }

  /// The value of a field that may be absent.
  @inlinable
  public subscript<Kind: PayloadKind>(field: PayloadField<Kind>) -> Kind.Value? {
    @inline(__always)
    get throws(PayloadError) {
      guard var reader = last(field.number) else { return nil }
      return try Kind.read(&reader, field.number)
    }
  }

  /// - Throws: `missingField` if the payload has no such field.
  @inlinable
  @inline(__always)
  public func required<Kind: PayloadKind>(_ field: PayloadField<Kind>) throws(PayloadError) -> Kind.Value {
    guard var reader = last(field.number) else { throw .missingField(field.number) }
    return try Kind.read(&reader, field.number)
  }

  /// The values of a field that may come many times, in their order.
  @inlinable
  public func all<Kind: PayloadKind>(_ field: PayloadField<Kind>) throws(PayloadError) -> [Kind.Value] {
    var values: [Kind.Value] = []
    try forEach(field.number) { reader throws(PayloadError) in
      values.append(try Kind.read(&reader, field.number))
    }
    return values
  }

  /// The numbers of a list in one field.
  /// - Throws: `outOfRange` if the kind does not have one of them.
  @inlinable
  public func all<Kind: PackedKind>(_ field: PayloadField<Packed<Kind>>) throws(PayloadError) -> [Kind.Value] {
    var values: [Kind.Value] = []
    try forEach(field.number) { reader throws(PayloadError) in
      var inner = try reader.nested()
      values.reserveCapacity(values.count + inner.count / 2)
      while inner.offset < inner.count {
        guard let value = Kind.unpacked(try inner.varint()) else { throw .outOfRange(field: field.number) }
        values.append(value)
      }
    }
    return values
  }

  /// A reader over a message that needs more than itself to be read.
  @inlinable
  public subscript(field: PayloadField<Nested>) -> PayloadReader? {
    get throws(PayloadError) {
      guard var reader = last(field.number) else { return nil }
      return try reader.nested()
    }
  }

  /// Readers over such messages, in their order.
  @inlinable
  public func all(_ field: PayloadField<Nested>) throws(PayloadError) -> [PayloadReader] {
    var messages: [PayloadReader] = []
    try forEach(field.number) { reader throws(PayloadError) in messages.append(try reader.nested()) }
    return messages
  }

  /// A reader that stands before the last value of a field.
  @inlinable
  @inline(__always)
  func last(_ number: Int) -> PayloadReader? {
    guard number < Self.quickCount, repeated & (1 << UInt32(number)) == 0 else { return search(number) }
    return first(number)
  }

  /// A reader that stands before the first value of a field below `quickCount`.
  @inlinable
  @inline(__always)
  func first(_ number: Int) -> PayloadReader? {
    let place = places[number]
    guard place != 0 else { return nil }
    var reader = payload
    reader.offset = Int(place >> 1)
    reader.field = number
    reader.wireType = Int(place & 1) << 1
    return reader
  }

  @usableFromInline
  func search(_ number: Int) -> PayloadReader? {
    var last: PayloadReader?
    // What was walked once cannot fail: no key and no length has changed.
    try? forEach(number) { reader throws(PayloadError) in
      last = reader
      try reader.skip()
    }
    return last
  }

  /// Calls `read` with a reader that stands before a value of the field, for each in turn.
  @inlinable
  func forEach(
    _ number: Int, _ read: (inout PayloadReader) throws(PayloadError) -> Void
  ) throws(PayloadError) {
    var reader = payload
    if number < Self.quickCount {
      guard let first = first(number) else { return }
      reader = first
      try read(&reader)
      guard repeated & (1 << UInt32(number)) != 0 else { return }
    }
    while let field = try reader.next() {
      if field == number { try read(&reader) } else { try reader.skip() }
    }
  }
}

extension Optional {
  /// For a value that was asked for before it was needed, so that what is wrong with others is told first.
  /// - Throws: `missingField`.
  @inlinable
  public func required<Kind>(_ field: PayloadField<Kind>) throws(PayloadError) -> Wrapped {
    guard let self else { throw .missingField(field.number) }
    return self
  }
}
