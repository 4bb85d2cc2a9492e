/// A text under a name: a field of a request, attached data of a chat, a property of a subscription.
public struct NameValuePair: Sendable, Equatable, Codable {
  public let name: String
  public let value: String

  @inlinable
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

@usableFromInline
enum PairField {
  @inlinable static var name: PayloadField<String> { PayloadField<String>(1) }
  /// Absent: empty.
  @inlinable static var value: PayloadField<String> { PayloadField<String>(2) }
}

extension NameValuePair: PayloadPart {
  @inlinable
  public func encode(into writer: inout PayloadWriter) {
    writer.put(PairField.name, name)
    writer.put(PairField.value, ifNotEmpty: value)
  }

  @inlinable
  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(try read.required(PairField.name), try read[PairField.value] ?? "")
  }
}

/// A pair whose value is written even if it is empty, as the first versions of some records had it.
public enum WholePair: PayloadKind {
  @inlinable
  public static func write(_ pair: NameValuePair, _ field: Int, into writer: inout PayloadWriter) {
    writer.nested(field) { inner in
      inner.put(PairField.name, pair.name)
      inner.put(PairField.value, pair.value)
    }
  }

  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> NameValuePair {
    try NameValuePair.read(&reader, field)
  }
}
