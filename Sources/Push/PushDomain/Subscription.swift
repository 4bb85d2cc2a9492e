public import EventSourcing

/// Somebody who wants the events that a filter lets through, until a moment. Spec: GMS 10.
///
/// ```
///   open ─> open ──publish──> owes a push ──handed over──> open ─┬─ expires, ended, erased ──> finished
///                                                                │
///            a push that is still owed is handed over first ─────┘
/// ```
/// A published event belongs to the subscription until the queue of the address has it on the disk. The queue knows a
/// repetition by its number.
public struct Subscription: Decider, Codable, Equatable {
  public typealias Command = SubscriptionCommand
  public typealias Event = SubscriptionEvent
  public typealias Rejection = SubscriptionRejection
  public typealias Effect = SubscriptionEffect

  /// Nil before it is opened, and once it is over.
  public internal(set) var terms: SubscriptionTerms?
  public internal(set) var createdAt = Timestamp.epoch
  /// What no queue has yet, oldest first.
  public internal(set) var owed: [Publication] = []
  /// Of all that was ever published to it.
  public internal(set) var highestNumber = 0
  /// Of what was published, by their tags.
  var recent = RecentIDs()
  public internal(set) var isFinished = false

  public init() {}

  public var outstandingEffects: [SubscriptionEffect] {
    guard let terms else { return [] }
    return owed.map { .push($0) } + [.setAlarm(terms.expiresAt)]
  }

  public var rest: Rest { owed.isEmpty ? .asleep(until: terms?.expiresAt) : .wakeful }

  public func decide(_ command: SubscriptionCommand, now: Timestamp) throws(SubscriptionRejection)
    -> [SubscriptionEvent]
  {
    if case .open(let fresh) = command { return terms == nil && !isFinished ? [.opened(fresh)] : [] }
    guard let terms else {
      switch command {
      case .publish, .end: throw .unknown
      case .open, .handedOver, .expire, .erase: return []
      }
    }
    switch command {
    case .open: return []
    case .publish(let tag, let content, let id, let limit):
      guard terms.expiresAt > now else { throw .unknown }
      if let id, recent.contains(id, of: tag, at: now) { return [] }
      guard owed.count < limit else { throw .tooManyOwed }
      return [.published(Publication(number: highestNumber + 1, tag: tag, content: content, id: id))]
    case .handedOver(let number):
      guard owed.contains(where: { $0.number == number }) else { return [] }
      let isLast = owed.count == 1 && terms.expiresAt <= now
      return [.handedOver(number)] + (isLast ? [.ended(reason: Self.expired)] : [])
    case .expire:
      return terms.expiresAt <= now && owed.isEmpty ? [.ended(reason: Self.expired)] : []
    case .end(let reason): return [.ended(reason: reason)]
    case .erase: return [.erased]
    }
  }

  private static let expired = "expired"

  public mutating func evolve(_ event: SubscriptionEvent, at time: Timestamp) {
    switch event {
    case .opened(let fresh):
      terms = fresh
      createdAt = time
    case .published(let publication):
      owed.append(publication)
      if let id = publication.id { recent.insert(id, of: publication.tag, at: time) }
      highestNumber = max(highestNumber, publication.number)
    case .handedOver(let number):
      owed.removeAll { $0.number == number }
    case .ended, .erased:
      terms = nil
      owed = []
      recent = RecentIDs()
      isFinished = true
    }
  }

  public func react(to event: SubscriptionEvent) -> [SubscriptionEffect] {
    switch event {
    case .opened(let fresh): [.opened(fresh), .setAlarm(fresh.expiresAt)]
    case .published(let publication): [.push(publication)]
    case .handedOver: []
    case .ended, .erased: [.forget]
    }
  }
}

/// What somebody has subscribed to, and where it is to go. Spec: GMS 10.1.
public struct SubscriptionTerms: Sendable, Equatable, Codable {
  public let subscriberID: String
  public let filter: SubscriptionFilter
  public let address: PushAddress
  /// Pairs that are kept for whoever looks at the subscription; `debug` is in the address.
  public let properties: [NameValuePair]
  public let expiresAt: Timestamp
  /// The `gms_user` that it was made with, and opens to; nil: its id is the key.
  public let owner: String?

  public init(
    subscriberID: String, filter: SubscriptionFilter, address: PushAddress, properties: [NameValuePair] = [],
    expiresAt: Timestamp, owner: String? = nil
  ) {
    self.subscriberID = subscriberID
    self.filter = filter
    self.address = address
    self.properties = properties
    self.expiresAt = expiresAt
    self.owner = owner
  }

  /// Whether it is there for somebody who shows this `gms_user`, or none.
  public func opens(to userKey: String?) -> Bool { owner == nil || owner == userKey }

  /// The user whom it is for, where the address is one. Spec: GMS 10.1, `comet`.
  public var userKey: String? { address.pushType == .comet ? address.deviceID : nil }
}

/// What was published: a text that is handed on as it is, or the text of a JSON object. Spec: GMS 10.2.
public struct PublicationContent: Sendable, Equatable, Codable {
  /// In UTF-8.
  public let bytes: [UInt8]
  public let isObject: Bool

  public init(bytes: [UInt8], isObject: Bool) {
    self.bytes = bytes
    self.isObject = isObject
  }
}

/// One event on its way to one subscriber.
public struct Publication: Sendable, Equatable, Codable {
  /// 1, 2, 3, … within the subscription.
  public let number: Int
  public let tag: String
  public let content: PublicationContent
  /// Under which whoever published it knows it; nil for one from a journal of before.
  public internal(set) var id: String?
}

public enum SubscriptionCommand: Sendable, Equatable {
  case open(SubscriptionTerms)
  /// One that came already, by tag and id (`RecentIDs`), changes nothing.
  /// - Parameter owedMaximum: pushes that may be owed at once.
  case publish(tag: String, PublicationContent, id: String? = nil, owedMaximum: Int)
  /// The queue has the push with this number.
  case handedOver(Int)
  /// Its alarm: the time may have come.
  case expire
  case end(reason: String)
  /// Everything about it is erased, and it ends.
  case erase
}

public enum SubscriptionRejection: Error, Equatable {
  /// There is none, or none any more.
  case unknown
  /// What was published before has not been handed over yet.
  case tooManyOwed
}

public enum SubscriptionEffect: Sendable, Equatable {
  /// The index has to follow, and the address has shown itself.
  case opened(SubscriptionTerms)
  /// `expire` is to follow then.
  case setAlarm(Timestamp)
  case push(Publication)
  case forget
}
