public import EventSourcing

/// What happened to a device's queue. Tags and field numbers are frozen.
public enum PushEvent: Sendable, Equatable, Codable {
  /// The message entered the queue; it is in flight at once if its producer has nothing before it.
  case enqueued(PushMessage)
  /// The message was taken over but never entered the queue.
  case declined(PushID, FinalPushOutcome)
  /// The message left the queue.
  case settled(PushID, FinalPushOutcome, attempts: Int)
  /// The attempt failed; the message's producer waits until `until`.
  case retryScheduled(PushID, attempt: Int, until: Timestamp, reason: String)
  /// The producer's pause is over: its first message, if there is one, is in flight again.
  case pauseEnded(producer: String)
  /// The address is gone. A `settled` for each message in the queue follows in the same batch.
  case unregistered(reason: String)
  case registered
  /// The producer's highest number is forgotten, to make room.
  case producerForgotten(String)
  /// These messages were erased. `state` is all that is left, as `PushQueue.encodeState` wrote it: it replaces what
  /// stood before. Without messages it is just the queue stated anew.
  case erased([ErasedPush], state: [UInt8])

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 9 }
}

/// One message that an erasure ended.
public struct ErasedPush: Sendable, Hashable, Codable {
  public let id: PushID
  /// Attempts that were begun.
  public let attempts: Int

  public init(_ id: PushID, attempts: Int) {
    self.id = id
    self.attempts = attempts
  }
}

extension PushEvent {
  /// Whose record this is; nil for one about the whole queue.
  public var producer: String? {
    switch self {
    case .enqueued(let message): message.producer
    case .declined(let id, _), .settled(let id, _, _), .retryScheduled(let id, _, _, _): id.producer
    case .pauseEnded(let producer), .producerForgotten(let producer): producer
    case .unregistered, .registered, .erased: nil
    }
  }

  /// True for a restatement that holds messages of one of these producers: it has to go with their own records, after
  /// a later one has taken its place.
  public func holdsMessages(of producers: Set<String>) -> Bool {
    guard case .erased(_, let state) = self, let queue = try? PushQueue(stateBytes: state) else { return false }
    return queue.lanes.contains { producers.contains($0.key) && !$0.value.entries.isEmpty }
  }
}
