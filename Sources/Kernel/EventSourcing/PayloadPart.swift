/// A message that stands inside an event or a state, or for itself as the note of one who sleeps.
public protocol PayloadPart: PayloadKind where Value == Self {
  func encode(into writer: inout PayloadWriter)

  /// Reads what `encode` wrote; skips the fields that it does not know.
  init(payload: inout PayloadReader) throws(PayloadError)
}

extension PayloadPart {
  @inlinable
  public static func write(_ value: Self, _ field: Int, into writer: inout PayloadWriter) {
    writer.nested(field) { value.encode(into: &$0) }
  }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Self {
    var inner = try reader.nested()
    return try Self(payload: &inner)
  }

  /// The bytes that `init(bytes:)` reads.
  @inlinable
  public var bytes: [UInt8] {
    var writer = PayloadWriter()
    encode(into: &writer)
    return writer.bytes
  }

  @inlinable
  public init(bytes: [UInt8]) throws(PayloadError) {
    self = try bytes.withUnsafeBufferPointer { bytes throws(PayloadError) in
      var reader = PayloadReader(UnsafeRawBufferPointer(bytes))
      return try Self(payload: &reader)
    }
  }
}

/// A message inside the message that needs more than itself to be written or read: a closure writes it, a
/// `PayloadReader` over it reads it.
public enum Nested {}
