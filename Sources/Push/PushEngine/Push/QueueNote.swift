import EventSourcing
import PushDomain

/// What the index must know of a queue while it sleeps. Field numbers are frozen.
struct QueueNote: PayloadPart {
  private enum Field {
    /// How many.
    static let deadLetters = PayloadField<Count>(1)
    /// Waiting messages of high priority.
    static let urgent = PayloadField<Count>(2)
    /// The others.
    static let normal = PayloadField<Count>(3)
    /// Absent: nothing waits.
    static let since = PayloadField<Timestamp>(4)
    static let nextAttempt = PayloadField<Timestamp>(5)
    static let type = PayloadField<String>(6)
    static let provider = PayloadField<String>(7)
    static let debug = PayloadField<Bool>(8)
    static let tag = PayloadField<String>(9)
  }

  let deadLetters: Int
  let backlog: PushBacklog?

  init(_ queue: borrowing PushQueue) {
    deadLetters = queue.deadLetters.count
    backlog = queue.backlog
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.deadLetters, deadLetters, unless: 0)
    guard let backlog else { return }
    writer.put(Field.urgent, backlog.urgent)
    writer.put(Field.normal, backlog.normal)
    writer.put(Field.since, backlog.since)
    writer.put(Field.nextAttempt, ifPresent: backlog.nextAttempt)
    writer.put(Field.type, backlog.target.type)
    writer.put(Field.provider, ifPresent: backlog.target.provider)
    writer.put(Field.debug, ifTrue: backlog.target.debug)
    writer.put(Field.tag, backlog.tag)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    deadLetters = try read[Field.deadLetters] ?? 0
    guard let since = try read[Field.since], let type = try read[Field.type] else {
      backlog = nil
      return
    }
    // Of nobody: a device's address is not told.
    let target = PushAddress(
      type: type, deviceID: "", provider: try read[Field.provider], debug: try read[Field.debug] ?? false)
    backlog = PushBacklog(
      since: since, target: target, tag: try read[Field.tag] ?? "", urgent: try read[Field.urgent] ?? 0,
      normal: try read[Field.normal] ?? 0, nextAttempt: try read[Field.nextAttempt])
  }
}
