/// Adds elements to the array that is being written.
public struct JSONArrayWriter: Sendable {
  @usableFromInline var writer: JSONWriter

  @inlinable
  init(writer: JSONWriter) { self.writer = writer }

  @inlinable
  public mutating func element(_ text: StaticString) { writer.string(text) }

  // A literal is to take the variant above, which makes no `String`.
  @inlinable
  @_disfavoredOverload
  public mutating func element(_ value: some JSONWritable) { value.write(into: &writer) }

  @inlinable
  public mutating func object<Failure: Error>(
    _ members: (inout JSONObjectWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try writer.object(members)
  }

  @inlinable
  public mutating func array<Failure: Error>(
    _ elements: (inout JSONArrayWriter) throws(Failure) -> Void
  ) throws(Failure) {
    writer.begin(UInt8(ascii: "["))
    defer { writer.end(UInt8(ascii: "]")) }
    try elements(&self)
  }
}
