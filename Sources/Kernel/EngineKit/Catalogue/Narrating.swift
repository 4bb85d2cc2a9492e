package import EventSourcing

/// Tells of the entities of one kind.
package protocol Narrator: Sendable {
  /// - Parameters:
  ///   - blank: an entry with everything that does not depend on the event's content.
  ///   - people: what the kinds tell each other.
  /// - Returns: nil if the event cannot be read.
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]?
}

extension Narrator {
  package static func decode<Event: JournaledEvent>(_ tag: EventTag, _ payload: UnsafeRawBufferPointer) -> Event? {
    var reader = PayloadReader(payload)
    return try? Event(tag: tag, payload: &reader)
  }
}

/// Names, and what one kind of entity has to know of another.
package struct TimelinePeople: Sendable {

  package init() {}
  private var nameByUserKey: [String: String] = [:]
  private var nameByChat: [String: String] = [:]
  /// When a push was asked for, and whom it is for if not the customer.
  private var requests: [Errand: (at: Timestamp, receiver: String?)] = [:]

  package mutating func learn(_ name: String, chat: String, userKey: String?) {
    nameByChat[chat] = name
    if let userKey { nameByUserKey[userKey] = name }
  }

  package mutating func learn(_ name: String, userKey: String) { nameByUserKey[userKey] = name }

  package func name(of userKey: String) -> String? { nameByUserKey[userKey] }

  package func name(chat: String) -> String { nameByChat[chat] ?? "customer" }

  package func name(userKey: String?, serviceID: String?) -> String {
    userKey.flatMap { nameByUserKey[$0] } ?? serviceID.flatMap { nameByChat[$0] } ?? "customer"
  }

  /// - Parameter receiver: nil for the customer of the producer.
  package mutating func requested(_ errand: Errand, at time: Timestamp, for receiver: String? = nil) {
    requests[errand] = (time, receiver)
  }

  package func request(_ errand: Errand) -> Timestamp? { requests[errand]?.at }

  /// Whom a push is for.
  package func receiver(of errand: Errand) -> String { requests[errand]?.receiver ?? name(chat: errand.producer) }

  package mutating func ended(_ errand: Errand) { requests[errand] = nil }

  package mutating func forget(chat: String) { nameByChat[chat] = nil }
}

/// One push of a producer.
package struct Errand: Hashable, Sendable {
  package let producer: String
  package let number: Int

  package init(_ producer: String, _ number: Int) {
    self.producer = producer
    self.number = number
  }
}
