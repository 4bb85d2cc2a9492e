import ChatDomain
import Engine
import EventSourcing
import PushDomain

/// The model beside the engine: what the durable records say, told by rules of its own.
///
/// It knows the events but not how the engine lives by them, so that a fault there cannot hide here.
struct Reference {
  private(set) var chats: [String: ChatView] = [:]
  private(set) var queues: [String: QueueView] = [:]
  /// ClientIds of sessions whose loss is durable.
  private(set) var lostSessions: Set<String> = []
  private(set) var states = ReplayedStates()
  /// Where each push went to, once its queue has it.
  private(set) var acceptedBy: [PushID: String] = [:]

  /// Takes in one record.
  /// - Throws: `Failure` for a broken promise, or what decoding throws.
  mutating func apply(_ record: JournalMirror.Record, at moment: Moment) throws {
    if record.isRedacted { return }
    try states.apply(record)
    let time = Timestamp(milliseconds: record.timeMilliseconds)
    switch EntityKind(rawValue: record.kind) {
    case .chatSession:
      try chats[record.key, default: ChatView()].apply(try record.event(ChatEvent.self), at: time, moment)
    case .pushQueue:
      let event = try record.event(PushEvent.self)
      try queues[record.key, default: QueueView()].apply(event, at: time, moment)
      switch event {
      case .enqueued(let message): try accepted(message.id, by: record.key)
      case .declined(let id, _): try accepted(id, by: record.key)
      default: break
      }
    case .cometSession:
      // Who says goodbye may be written something on the way out.
      if case .closed(let reason) = try record.event(CometRecord.Event.self), reason != "disconnected" {
        lostSessions.insert(record.key)
      }
    default: break
    }
  }

  private mutating func accepted(_ id: PushID, by queue: String) throws {
    guard acceptedBy.updateValue(queue, forKey: id) == nil else {
      throw Failure(.onePushOneOutcome, "push \(id) was taken over twice")
    }
  }

  /// What holds once all records of a group commit are in.
  func check() throws {
    for (key, chat) in chats where !chat.uncovered.isEmpty {
      throw Failure(
        .pushForWhatWasMissed, "chat \(key): nothing will tell the customer of \(chat.uncovered.sorted())")
    }
    for (key, queue) in queues {
      for (slot, ids) in queue.waitingByCollapseKey where ids.count > 1 + (queue.hasInFlight(among: ids) ? 1 : 0) {
        throw Failure(.newestOfAKeyStays, "queue \(key): \(ids.count) pushes of \(slot) wait")
      }
    }
  }
}

/// A broken promise, found where there is no world to tell.
struct Failure: Error {
  let invariant: Invariant
  let detail: String

  init(_ invariant: Invariant, _ detail: String) {
    self.invariant = invariant
    self.detail = detail
  }
}

/// When the model learns of a record: the simulation's own clock, which nobody sets back.
struct Moment {
  let monotonicMilliseconds: Int64
  /// How often the wall clock has been set.
  let clockSettings: Int
  /// Which process wrote it.
  let life: Int
}

extension JournalMirror.Record {
  func event<Event: JournaledEvent>(_ type: Event.Type) throws -> Event {
    try payload.withUnsafeBytes { bytes in
      var reader = PayloadReader(bytes)
      return try Event(tag: tag, payload: &reader)
    }
  }
}
