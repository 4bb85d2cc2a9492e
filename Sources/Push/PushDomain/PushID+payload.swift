public import EventSourcing

// The name of a push, which stands in all that is said of it: other fields begin at 3.
extension PushID: PayloadPart {
  private enum Field {
    static let producer = PayloadField<String>(1)
    static let number = PayloadField<Int>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.producer, producer)
    writer.put(Field.number, number)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) { try self.init(try PayloadFields(&payload)) }

  init(_ read: PayloadFields) throws(PayloadError) {
    self.init(producer: try read.required(Field.producer), number: try read.required(Field.number))
  }
}

extension ErasedPush: PayloadPart {
  private enum Field {
    static let attempts = PayloadField<Int>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    id.encode(into: &writer)
    writer.put(Field.attempts, attempts, unless: 0)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(try PushID(read), attempts: try read[Field.attempts] ?? 0)
  }
}
