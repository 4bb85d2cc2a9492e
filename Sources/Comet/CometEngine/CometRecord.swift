public import EventSourcing

/// What the journal remembers of a Comet session: enough to serve its client after a restart as if nothing had happened.
///
/// Everything else about the session (what is held, what is queued) is made anew: the queue from the transcripts, from
/// the position that was delivered last. Nobody waits for the record of that, which is on the disk within
/// `JournalConfiguration.lazyInterval`: after a crash a client may see twice what was delivered since, under the same
/// notification id, and never not at all.
public struct CometRecord: Decider, Equatable, Encodable {
  public enum Event: JournaledEvent {
    case opened(userKey: String?, serviceID: String?, acknowledges: Bool, browserID: String?)
    case subscribed(channels: [String])
    case unsubscribed(channels: [String])
    /// The client has been written everything of chat `source` up to `position`, and is known to have everything up to
    /// `confirmed`; nil: to have all of it.
    case delivered(source: String, position: Int, confirmed: Int? = nil)
    /// Of what the client was written of chat `source` it has got no more than up to `position`: what follows is owed
    /// again.
    case missed(source: String, after: Int)
    case closed(reason: String)
  }

  public internal(set) var isOpen = false
  public internal(set) var isClosed = false
  public internal(set) var userKey: String?
  public internal(set) var serviceID: String?
  public internal(set) var browserID: String?
  public internal(set) var acknowledges = false
  public internal(set) var channels: [String] = []
  public internal(set) var delivered: [String: Int] = [:]
  /// Where it is less: what the client is known to have.
  public internal(set) var confirmed: [String: Int] = [:]

  public init() {}

  /// The same, as if its client had all that it was written. A live session notes in memory what its client's next
  /// request confirms; the journal learns of it with the next record.
  package var confirmingAll: CometRecord {
    var record = self
    record.confirmed = [:]
    return record
  }

  public func decide(_ command: Event, now: Timestamp) throws(Never) -> [Event] { isClosed ? [] : [command] }

  public mutating func evolve(_ event: Event, at time: Timestamp) {
    switch event {
    case .opened(let userKey, let serviceID, let acknowledges, let browserID):
      isOpen = true
      self.userKey = userKey
      self.serviceID = serviceID
      self.acknowledges = acknowledges
      self.browserID = browserID
    case .subscribed(let channels):
      for channel in channels where !self.channels.contains(channel) { self.channels.append(channel) }
    case .unsubscribed(let channels):
      self.channels.removeAll { channels.contains($0) }
    case .delivered(let source, let position, let confirmed):
      delivered[source] = max(delivered[source] ?? 0, position)
      self.confirmed[source] = confirmed
    case .missed(let source, let position):
      delivered[source] = min(delivered[source] ?? 0, position)
      confirmed[source] = nil
    case .closed:
      isClosed = true
    }
  }

  public func react(to event: Event) -> [Never] { [] }
  public var outstandingEffects: [Never] { [] }
  public var isFinished: Bool { isClosed }
}

extension CometRecord.Event {
  /// Frozen: 1 opened, 2 subscribed, 3 unsubscribed, 4 delivered, 5 closed, 6 missed.
  public var tag: EventTag {
    switch self {
    case .opened: 1
    case .subscribed: 2
    case .unsubscribed: 3
    case .delivered: 4
    case .closed: 5
    case .missed: 6
    }
  }

  private enum Opened {
    static let userKey = PayloadField<String>(1)
    static let serviceID = PayloadField<String>(2)
    static let acknowledges = PayloadField<Bool>(3)
    static let browserID = PayloadField<String>(4)
  }

  /// Of the other events: each has this one field, or is a `CometProgress`.
  private enum Field {
    static let channel = PayloadField<String>(1)
    static let reason = PayloadField<String>(1)
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .opened(let userKey, let serviceID, let acknowledges, let browserID):
      writer.put(Opened.userKey, ifPresent: userKey)
      writer.put(Opened.serviceID, ifPresent: serviceID)
      writer.put(Opened.acknowledges, ifTrue: acknowledges)
      writer.put(Opened.browserID, ifPresent: browserID)
    case .subscribed(let channels), .unsubscribed(let channels): writer.put(each: Field.channel, channels)
    case .delivered(let source, let position, let confirmed):
      CometProgress(source: source, position: position, confirmed: confirmed).encode(into: &writer)
    case .missed(let source, let position):
      CometProgress(source: source, position: position).encode(into: &writer)
    case .closed(let reason): writer.put(Field.reason, reason)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1:
      let read = try PayloadFields(&payload)
      self = .opened(
        userKey: try read[Opened.userKey], serviceID: try read[Opened.serviceID],
        acknowledges: try read[Opened.acknowledges] ?? false, browserID: try read[Opened.browserID])
    case 2: self = .subscribed(channels: try PayloadFields(&payload).all(Field.channel))
    case 3: self = .unsubscribed(channels: try PayloadFields(&payload).all(Field.channel))
    case 4:
      let progress = try CometProgress(payload: &payload)
      self = .delivered(source: progress.source, position: progress.position, confirmed: progress.confirmed)
    case 5: self = .closed(reason: try PayloadFields(&payload)[Field.reason] ?? "")
    case 6:
      let progress = try CometProgress(payload: &payload)
      self = .missed(source: progress.source, after: progress.position)
    default: throw .unknownTag(tag)
    }
  }
}
