/// Writes JSON text into a byte array: one value, however deep.
///
/// Brackets, commas and the quotation marks of names come by themselves, and nothing can be left open: an object is
/// written by a closure that can only add members, an array by one that can only add elements.
///
/// ```swift
/// let text = JSONWriter.object { line in
///   line.member("position", position)
///   line.member("text", ifPresent: text)
///   line.objects("agents", agents) { agent, object in object.member("id", agent.id) }
/// }
/// ```
/// Keep a writer and call ``removeAll()`` to use its memory again.
public struct JSONWriter: Sendable {
  @usableFromInline var buffer: [UInt8]
  /// A value stands before the place where the next one goes.
  @usableFromInline var needsComma = false

  public init(capacity: Int = 0) {
    buffer = []
    buffer.reserveCapacity(capacity)
  }

  /// A writer that only holds the place of one whose memory is used elsewhere.
  @inlinable
  init(placeholder: ()) { buffer = [] }

  @inlinable public var bytes: [UInt8] { buffer }

  /// Starts anew in the same memory.
  public mutating func removeAll() {
    buffer.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: One value

  @inlinable
  public mutating func value(_ text: StaticString) { string(text) }

  // A literal is to take the variant above, which makes no `String`.
  @inlinable
  @_disfavoredOverload
  public mutating func value(_ value: some JSONWritable) { value.write(into: &self) }

  @inlinable
  public mutating func object<Failure: Error>(
    _ members: (inout JSONObjectWriter) throws(Failure) -> Void
  ) throws(Failure) {
    begin(UInt8(ascii: "{"))
    var object = JSONObjectWriter(writer: JSONWriter(placeholder: ()))
    swap(&self, &object.writer)
    defer {
      swap(&self, &object.writer)
      end(UInt8(ascii: "}"))
    }
    try members(&object)
  }

  @inlinable
  public mutating func array<Failure: Error>(
    _ elements: (inout JSONArrayWriter) throws(Failure) -> Void
  ) throws(Failure) {
    begin(UInt8(ascii: "["))
    var array = JSONArrayWriter(writer: JSONWriter(placeholder: ()))
    swap(&self, &array.writer)
    defer {
      swap(&self, &array.writer)
      end(UInt8(ascii: "]"))
    }
    try elements(&array)
  }

  /// - Parameter write: writes one value for each element.
  @inlinable
  public mutating func array<Elements: Sequence, Failure: Error>(
    _ elements: Elements, _ write: (Elements.Element, inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    begin(UInt8(ascii: "["))
    defer { end(UInt8(ascii: "]")) }
    for element in elements { try write(element, &self) }
  }

  /// An array with an object for each element.
  @inlinable
  public mutating func objects<Elements: Sequence, Failure: Error>(
    _ elements: Elements, _ members: (Elements.Element, inout JSONObjectWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try array(elements) { element, writer throws(Failure) in
      try writer.object { object throws(Failure) in try members(element, &object) }
    }
  }
}

extension JSONWriter {
  /// The text of one object.
  /// - Parameter capacity: bytes, about as many as there will be.
  @inlinable
  public static func object<Failure: Error>(
    capacity: Int = 0, _ members: (inout JSONObjectWriter) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var object = JSONObjectWriter(writer: JSONWriter(capacity: capacity))
    object.writer.begin(UInt8(ascii: "{"))
    try members(&object)
    object.writer.end(UInt8(ascii: "}"))
    return object.writer.buffer
  }

  /// The text of one object, in no more memory than it needs: for what waits for long.
  /// - Parameter capacity: bytes, about as many as there will be.
  @inlinable
  public static func exactObject<Failure: Error>(
    capacity: Int = 0, _ members: (inout JSONObjectWriter) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    try object(capacity: capacity, members).withUnsafeBufferPointer { Array($0) }
  }

  /// The text of one array.
  /// - Parameter capacity: bytes, about as many as there will be.
  @inlinable
  public static func array<Failure: Error>(
    capacity: Int = 0, _ elements: (inout JSONArrayWriter) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var array = JSONArrayWriter(writer: JSONWriter(capacity: capacity))
    array.writer.begin(UInt8(ascii: "["))
    try elements(&array)
    array.writer.end(UInt8(ascii: "]"))
    return array.writer.buffer
  }
}
