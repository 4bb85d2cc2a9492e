public import EventSourcing

/// The kinds of entities that this server knows. Whoever does something for all of them walks it; there is no second
/// list.
public struct Catalogue: Sendable {
  /// In the order of their numbers.
  public let cards: [EntityCard]
  private let byNumber: [EntityCard?]

  /// - Precondition: each number comes once.
  init(_ cards: [EntityCard]) {
    self.cards = cards.sorted { $0.kind.rawValue < $1.kind.rawValue }
    var byNumber = [EntityCard?](repeating: nil, count: 256)
    for card in cards {
      precondition(byNumber[Int(card.kind.rawValue)] == nil, "the number \(card.kind.rawValue) is given twice")
      byNumber[Int(card.kind.rawValue)] = card
    }
    self.byNumber = byNumber
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
}

extension Catalogue {
  /// Every kind, each declared by its capability.
  public static let carillon = Catalogue([
    .chat, .comet, .push, .agent, .audit, .device, .installation, .group, .broadcast, .callback, .subscription,
    .stored, .supportRequest, .supportUser, .supportApp,
  ])
}
