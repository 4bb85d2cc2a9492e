/// Adds members to the object that is being written.
public struct JSONObjectWriter: Sendable {
  @usableFromInline var writer: JSONWriter

  @inlinable
  init(writer: JSONWriter) { self.writer = writer }

  // MARK: A value

  @inlinable
  public mutating func member(_ name: StaticString, _ text: StaticString) {
    writer.key(name)
    writer.string(text)
  }

  // A literal is to take the variant above, which makes no `String`.
  @inlinable
  @_disfavoredOverload
  public mutating func member(_ name: StaticString, _ value: some JSONWritable) {
    writer.key(name)
    value.write(into: &writer)
  }

  /// Leaves the member out if there is no value. (``member(_:_:)`` writes null.)
  @inlinable
  public mutating func member(_ name: StaticString, ifPresent value: (some JSONWritable)?) {
    if let value { member(name, value) }
  }

  /// - Parameter name: known only at run time.
  @inlinable
  public mutating func member(named name: String, _ value: some JSONWritable) {
    writer.key(name)
    value.write(into: &writer)
  }

  /// - Parameter write: writes one value.
  @inlinable
  public mutating func member<Failure: Error>(
    _ name: StaticString, _ write: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    writer.key(name)
    try write(&writer)
  }

  /// - Parameters:
  ///   - name: known only at run time.
  ///   - write: writes one value.
  @inlinable
  public mutating func member<Failure: Error>(
    named name: String, _ write: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    writer.key(name)
    try write(&writer)
  }

  /// All members of an object that was read.
  public mutating func members(of object: JSONObject) {
    for member in object.members { self.member(named: member.name, member.value) }
  }

  /// - Parameter text: members as JSON text, without the braces; at least one.
  @inlinable
  public mutating func members(text: [UInt8]) { writer.raw(text) }

  // MARK: An object, an array

  @inlinable
  public mutating func object<Failure: Error>(
    _ name: StaticString, _ members: (inout JSONObjectWriter) throws(Failure) -> Void
  ) throws(Failure) {
    writer.key(name)
    writer.begin(UInt8(ascii: "{"))
    defer { writer.end(UInt8(ascii: "}")) }
    try members(&self)
  }

  @inlinable
  public mutating func array<Failure: Error>(
    _ name: StaticString, _ elements: (inout JSONArrayWriter) throws(Failure) -> Void
  ) throws(Failure) {
    writer.key(name)
    try writer.array(elements)
  }

  /// - Parameter write: writes one value for each element.
  @inlinable
  public mutating func array<Elements: Sequence, Failure: Error>(
    _ name: StaticString, _ elements: Elements,
    _ write: (Elements.Element, inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    writer.key(name)
    try writer.array(elements, write)
  }

  /// An array with an object for each element.
  @inlinable
  public mutating func objects<Elements: Sequence, Failure: Error>(
    _ name: StaticString, _ elements: Elements,
    _ members: (Elements.Element, inout JSONObjectWriter) throws(Failure) -> Void
  ) throws(Failure) {
    writer.key(name)
    writer.begin(UInt8(ascii: "["))
    defer { writer.end(UInt8(ascii: "]")) }
    for element in elements {
      writer.begin(UInt8(ascii: "{"))
      defer { writer.end(UInt8(ascii: "}")) }
      try members(element, &self)
    }
  }
}
