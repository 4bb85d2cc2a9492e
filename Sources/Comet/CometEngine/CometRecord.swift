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

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .opened(let userKey, let serviceID, let acknowledges, let browserID):
      writer.text(1, ifPresent: userKey)
      writer.text(2, ifPresent: serviceID)
      if acknowledges { writer.bool(3, true) }
      writer.text(4, ifPresent: browserID)
    case .subscribed(let channels), .unsubscribed(let channels):
      for channel in channels { writer.text(1, channel) }
    case .delivered(let source, let position, let confirmed):
      writer.text(1, source)
      writer.integer(2, position)
      if let confirmed { writer.integer(3, confirmed) }
    case .missed(let source, let position):
      writer.text(1, source)
      writer.integer(2, position)
    case .closed(let reason):
      writer.text(1, reason)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = try Self.opened(&payload)
    case 2: self = .subscribed(channels: try Self.channels(&payload))
    case 3: self = .unsubscribed(channels: try Self.channels(&payload))
    case 4:
      let (source, position, confirmed) = try CometRecord.progress(&payload)
      self = .delivered(source: source, position: position, confirmed: confirmed)
    case 5: self = try Self.closed(&payload)
    case 6:
      let (source, position, _) = try CometRecord.progress(&payload)
      self = .missed(source: source, after: position)
    default: throw .unknownTag(tag)
    }
  }

  private static func opened(_ payload: inout PayloadReader) throws(PayloadError) -> Self {
    var (userKey, serviceID, browserID) = (String?.none, String?.none, String?.none)
    var acknowledges = false
    while let field = try payload.next() {
      switch field {
      case 1: userKey = try payload.text()
      case 2: serviceID = try payload.text()
      case 3: acknowledges = try payload.bool()
      case 4: browserID = try payload.text()
      default: try payload.skip()
      }
    }
    return .opened(userKey: userKey, serviceID: serviceID, acknowledges: acknowledges, browserID: browserID)
  }

  private static func channels(_ payload: inout PayloadReader) throws(PayloadError) -> [String] {
    var channels: [String] = []
    while let field = try payload.next() {
      if field == 1 { channels.append(try payload.text()) } else { try payload.skip() }
    }
    return channels
  }

  private static func closed(_ payload: inout PayloadReader) throws(PayloadError) -> Self {
    var reason = ""
    while let field = try payload.next() {
      if field == 1 { reason = try payload.text() } else { try payload.skip() }
    }
    return .closed(reason: reason)
  }
}
