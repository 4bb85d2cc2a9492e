/// What a field can hold, and how that is written and read.
public protocol PayloadKind: Sendable {
  associatedtype Value

  static func write(_ value: Value, _ field: Int, into writer: inout PayloadWriter)

  /// - Parameter field: for `PayloadError.outOfRange`.
  static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Value
}

extension String: PayloadKind {
  @inlinable
  public static func write(_ value: String, _ field: Int, into writer: inout PayloadWriter) {
    writer.text(field, value)
  }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> String {
    try reader.text()
  }
}

extension Bool: PayloadKind {
  @inlinable
  public static func write(_ value: Bool, _ field: Int, into writer: inout PayloadWriter) { writer.bool(field, value) }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Bool {
    try reader.bool()
  }
}

/// Zigzag: small negative numbers stay small. For what cannot be negative there are `Count` and `Ordinal`.
extension Int: IntegerKind {
  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Int {
    try reader.integer()
  }
}

/// Zigzag.
extension Int64: PayloadKind {
  @inlinable
  public static func write(_ value: Int64, _ field: Int, into writer: inout PayloadWriter) {
    writer.signed(field, value)
  }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Int64 {
    try reader.signed()
  }
}

extension UInt64: PayloadKind {
  @inlinable
  public static func write(_ value: UInt64, _ field: Int, into writer: inout PayloadWriter) {
    writer.unsigned(field, value)
  }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> UInt64 {
    try reader.unsigned()
  }
}

/// Zigzag milliseconds since 1970.
extension Timestamp: PayloadKind {
  @inlinable
  public static func write(_ value: Timestamp, _ field: Int, into writer: inout PayloadWriter) {
    writer.time(field, value)
  }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Timestamp {
    try reader.time()
  }
}

/// Bytes that mean something elsewhere: a state, a note.
extension Array: PayloadKind where Element == UInt8 {
  @inlinable
  public static func write(_ value: [UInt8], _ field: Int, into writer: inout PayloadWriter) {
    writer.data(field, value)
  }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> [UInt8] {
    try reader.data()
  }
}
