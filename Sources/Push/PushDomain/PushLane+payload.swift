public import EventSourcing

// What lies in a queue, within its state. Field numbers are frozen.

/// A lane and whose it is.
struct NamedLane: PayloadPart {
  let producer: String
  var lane: PushLane

  private enum Field {
    static let producer = PayloadField<String>(1)
    /// Absent: none.
    static let highestNumber = PayloadField<Int>(2)
    static let lastArrival = PayloadField<Count>(3)
    /// Absent: it does not pause.
    static let pausedUntil = PayloadField<Timestamp>(4)
    /// In the order of the lane.
    static let entries = PayloadField<PushEntry>(5)
    /// Of the numbers below the highest; absent: all have come.
    static let missingNumbers = PayloadField<UInt64>(6)
  }

  init(producer: String, lane: PushLane) {
    self.producer = producer
    self.lane = lane
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.producer, producer)
    writer.put(Field.highestNumber, lane.numbers.highest, unless: .min)
    writer.put(Field.lastArrival, lane.lastArrival)
    writer.put(Field.pausedUntil, ifPresent: lane.pausedUntil)
    writer.put(each: Field.entries, lane.entries)
    writer.put(Field.missingNumbers, lane.numbers.missing, unless: 0)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let producer = try read.required(Field.producer)
    self.init(producer: producer, lane: PushLane())
    lane.numbers = TakenNumbers(
      highest: try read[Field.highestNumber] ?? .min, missing: try read[Field.missingNumbers] ?? 0)
    lane.lastArrival = try read.required(Field.lastArrival)
    lane.pausedUntil = try read[Field.pausedUntil]
    lane.entries = try read.all(Field.entries)
    guard lane.entries.allSatisfy({ $0.message.producer == producer }) else {
      throw .outOfRange(field: Field.entries.number)
    }
  }
}

extension PushEntry: PayloadPart {
  private enum Field {
    static let message = PayloadField<PushMessage>(1)
    static let arrival = PayloadField<Count>(2)
    static let failures = PayloadField<Count>(3)
    static let returns = PayloadField<Count>(4)
    static let acceptedAt = PayloadField<Timestamp>(5)
    /// Oldest first.
    static let history = PayloadField<PushAttempt>(6)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.message, message)
    writer.put(Field.arrival, arrival)
    writer.put(Field.failures, failures, unless: 0)
    writer.put(Field.returns, returns, unless: 0)
    writer.put(Field.acceptedAt, acceptedAt, unless: .epoch)
    writer.put(each: Field.history, history)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      message: try read.required(Field.message), arrival: try read.required(Field.arrival),
      acceptedAt: try read[Field.acceptedAt] ?? .epoch, failures: try read[Field.failures] ?? 0,
      returns: try read[Field.returns] ?? 0, history: try read.all(Field.history))
  }
}

extension DeadLetter: PayloadPart {
  private enum Field {
    static let message = PayloadField<PushMessage>(1)
    static let outcome = PayloadField<FinalPushOutcome>(2)
    static let attempts = PayloadField<Count>(3)
    static let acceptedAt = PayloadField<Timestamp>(4)
    static let endedAt = PayloadField<Timestamp>(5)
    /// Oldest first.
    static let history = PayloadField<PushAttempt>(6)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.message, message)
    writer.put(Field.outcome, outcome)
    writer.put(Field.attempts, attempts)
    writer.put(Field.acceptedAt, acceptedAt)
    writer.put(Field.endedAt, endedAt)
    writer.put(each: Field.history, history)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      message: try read.required(Field.message), outcome: try read.required(Field.outcome),
      attempts: try read.required(Field.attempts), acceptedAt: try read.required(Field.acceptedAt),
      endedAt: try read.required(Field.endedAt), history: try read.all(Field.history))
  }
}

extension PushAttempt: PayloadPart {
  private enum Field {
    static let at = PayloadField<Timestamp>(1)
    static let reason = PayloadField<String>(2)
    /// As in the event `settled`; absent: nothing to tell.
    static let report = PayloadField<PushReport>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    let report = PushReport(answer: answer, mayBeDelivered: mayBeDelivered, isRejection: isRejection)
    writer.put(Field.at, at)
    writer.put(Field.reason, ifNotEmpty: reason)
    writer.put(Field.report, ifPresent: report.unlessEmpty)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      at: try read.required(Field.at), reason: try read[Field.reason] ?? "", try read[Field.report])
  }
}
