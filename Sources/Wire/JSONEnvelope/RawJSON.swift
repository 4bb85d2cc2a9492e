/// Text that is JSON already: one value, written as it is.
public struct RawJSON: Sendable, JSONWritable {
  @usableFromInline let text: [UInt8]

  @inlinable
  public init(_ text: [UInt8]) { self.text = text }

  @inlinable
  public func write(into writer: inout JSONWriter) { writer.raw(text) }
}
