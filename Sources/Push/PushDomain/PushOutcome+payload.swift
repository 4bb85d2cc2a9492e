public import EventSourcing

// What became of a push. Field numbers and codes are frozen.

extension PushReport: PayloadPart {
  private enum Field {
    /// Absent: the outcome says it.
    static let reason = PayloadField<String>(1)
    static let answer = PayloadField<String>(2)
    static let mayBeDelivered = PayloadField<Bool>(3)
    static let isRejection = PayloadField<Bool>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.reason, ifPresent: reason)
    writer.put(Field.answer, ifPresent: answer)
    writer.put(Field.mayBeDelivered, ifTrue: mayBeDelivered)
    writer.put(Field.isRejection, ifTrue: isRejection)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      reason: try read[Field.reason], answer: try read[Field.answer],
      mayBeDelivered: try read[Field.mayBeDelivered] ?? false, isRejection: try read[Field.isRejection] ?? false)
  }
}

extension FinalPushOutcome: PayloadPart {
  private enum Field {
    static let code = PayloadField<UInt64>(1)
    static let reason = PayloadField<String>(2)
  }

  private var code: UInt64 {
    switch self {
    case .delivered: 1
    case .refused: 2
    case .failed: 3
    case .expired: 4
    case .collapsed: 5
    case .overflowed: 6
    case .unregistered: 7
    case .erased: 8
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.code, code)
    writer.put(Field.reason, ifNotEmpty: reason ?? "")
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let reason = try read[Field.reason] ?? ""
    switch try read.required(Field.code) {
    case 1: self = .delivered
    case 2: self = .refused(reason: reason)
    case 3: self = .failed(reason: reason)
    case 4: self = .expired
    case 5: self = .collapsed
    case 6: self = .overflowed
    case 7: self = .unregistered(reason: reason)
    case 8: self = .erased
    default: throw .outOfRange(field: Field.code.number)
    }
  }
}
