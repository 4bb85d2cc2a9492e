/// One field of a payload: its number and what it holds, said once. What is written and what is read follow from it.
///
/// ```swift
/// private enum Field {
///   static let party = PayloadField<Ordinal>(1)
///   static let text = PayloadField<String>(3)
/// }
///
/// writer.put(Field.party, party)
/// writer.put(Field.text, ifNotEmpty: text)
///
/// let read = try PayloadFields(&payload)
/// self.init(party: try read.required(Field.party), text: try read[Field.text] ?? "")
/// ```
/// A number is frozen: never changed, and never used again for something else. It counts from 1; fields below
/// `PayloadFields.quickCount` are found quickest.
public struct PayloadField<Kind>: Sendable {
  public let number: Int

  @inlinable
  public init(_ number: Int) { self.number = number }
}

// Generic, and on the way of each event: inlinable, so that it becomes the bare bytes where it is called.
extension PayloadWriter {
  @inlinable
  public mutating func put<Kind: PayloadKind>(_ field: PayloadField<Kind>, _ value: Kind.Value) {
    Kind.write(value, field.number, into: &self)
  }

  @inlinable
  public mutating func put<Kind: PayloadKind>(_ field: PayloadField<Kind>, ifPresent value: Kind.Value?) {
    if let value { put(field, value) }
  }

  @inlinable
  public mutating func put<Kind: PayloadKind>(
    _ field: PayloadField<Kind>, ifNotEmpty value: Kind.Value
  ) where Kind.Value: Collection {
    if !value.isEmpty { put(field, value) }
  }

  @inlinable
  public mutating func put(_ field: PayloadField<Bool>, ifTrue value: Bool) { if value { put(field, true) } }

  /// - Parameter usual: what the reader takes if the field is absent.
  @inlinable
  public mutating func put<Kind: PayloadKind>(
    _ field: PayloadField<Kind>, _ value: Kind.Value, unless usual: Kind.Value
  ) where Kind.Value: Equatable {
    if value != usual { put(field, value) }
  }

  /// The field once for each value.
  @inlinable
  public mutating func put<Kind: PayloadKind>(each field: PayloadField<Kind>, _ values: some Sequence<Kind.Value>) {
    for value in values { put(field, value) }
  }

  /// All values in one field. Takes no room if there are none.
  @inlinable
  public mutating func put<Kind: PackedKind>(_ field: PayloadField<Packed<Kind>>, _ values: [Kind.Value]) {
    guard !values.isEmpty else { return }
    nested(field.number) { inner in
      for value in values { inner.varint(Kind.packed(value)) }
    }
  }

  /// A message inside the message, for one that needs more than itself to be written.
  @inlinable
  public mutating func put(_ field: PayloadField<Nested>, _ build: (inout PayloadWriter) -> Void) {
    nested(field.number, build)
  }
}
