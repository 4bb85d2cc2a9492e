public import EventSourcing

/// The kinds of entities that this server knows. Whoever does something for all of them walks it; there is no second
/// list.
public struct Catalogue: Sendable {
  /// In the order of their numbers.
  public let cards: [EntityCard]
  private let byNumber: [EntityCard?]
  private let producers: [EntityCard]

  /// - Precondition: each number comes once.
  package init(_ cards: [EntityCard]) {
    self.cards = cards.sorted { $0.kind.rawValue < $1.kind.rawValue }
    var byNumber = [EntityCard?](repeating: nil, count: 256)
    for card in cards {
      precondition(byNumber[Int(card.kind.rawValue)] == nil, "the number \(card.kind.rawValue) is given twice")
      byNumber[Int(card.kind.rawValue)] = card
    }
    self.byNumber = byNumber
    producers = self.cards.filter { $0.producing != .nothing }.sorted { $0.producing.rank < $1.producing.rank }
  }

  /// Nil for a kind that this version does not know.
  public subscript(kind: EntityKind) -> EntityCard? { byNumber[Int(kind.rawValue)] }

  /// A decoded event as something to encode, and the name of its case; nil if kind or tag is unknown, or the payload
  /// cannot be read.
  public func describe(
    kind: EntityKind, tag: EventTag, payload: UnsafeRawBufferPointer
  ) -> (name: String, event: any Encodable)? {
    self[kind]?.describe(tag, payload)
  }

  /// The entities that a producer of pushes could be, the likeliest first: the names of most say of which kind they are.
  package func producing(_ producer: String) -> [EntityID] { producers.compactMap { $0.entity(producing: producer) } }

  /// The entity whose own queue this is.
  package func queueOwner(_ queue: String) -> EntityID? {
    for card in cards {
      if let prefix = card.mailbox, queue.hasPrefix(prefix) {
        return EntityID(card.kind, String(queue.dropFirst(prefix.count)))
      }
    }
    return nil
  }
}
