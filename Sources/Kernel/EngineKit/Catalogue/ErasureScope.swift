package import EventSourcing
package import JournalFormat

/// Which records a redaction is about, so that it can be carried out again after a crash, when what led to them has been
/// erased in part.
///
/// It is written down as an object of lists: `chats`, `sessions`, …, one for each kind (`EntityCard.erasureList`), and
/// `producers`, `owners`, `ownQueues`, `ownDevices`. One of an earlier version has fewer of them.
package struct ErasureScope: Sendable {
  package private(set) var lists: [String: Set<String>] = [:]
  package let catalogue: Catalogue

  /// Whose pushes go, of those that are not among the other lists.
  private static let producers = "producers"
  /// The names by which the customer owns devices.
  private static let owners = "owners"

  package init(_ subject: SubjectScope) {
    catalogue = subject.catalogue
    for entity in subject.entities {
      guard let card = catalogue[entity.kind], let list = card.erasureList else { continue }
      lists[list, default: []].insert(entity.key)
      if let own = card.ownList, subject.isOnlyTheirs(entity) { lists[own, default: []].insert(entity.key) }
    }
    lists[Self.owners] = subject.userKeys
    lists[Self.producers] = subject.producers.subtracting(plainProducers)
  }

  package init(lists: [String: Set<String>], in catalogue: Catalogue) {
    self.lists = lists
    self.catalogue = catalogue
  }

  package var isEmpty: Bool { entityCount == 0 }
  package var entityCount: Int { catalogue.cards.reduce(0) { $0 + keys(of: $1.kind).count } }

  package func keys(of kind: EntityKind) -> Set<String> {
    (catalogue[kind]?.erasureList).flatMap { lists[$0] } ?? []
  }

  /// Those of them that were nobody else's, or are what was asked for: every record of them goes.
  package func ownKeys(of kind: EntityKind) -> Set<String> { (catalogue[kind]?.ownList).flatMap { lists[$0] } ?? [] }

  package func holds(_ kind: EntityKind, _ key: String) -> Bool { keys(of: kind).contains(key) }

  /// Whose pushes go.
  package var allProducers: Set<String> { plainProducers.union(lists[Self.producers] ?? []) }

  package func holds(producer: String) -> Bool {
    if lists[Self.producers]?.contains(producer) == true { return true }
    return catalogue.producing(producer).contains { holds($0.kind, $0.key) }
  }

  package func holds(owner: String) -> Bool { lists[Self.owners]?.contains(owner) == true }

  /// Those that are known by their keys alone.
  private var plainProducers: Set<String> {
    var found: Set<String> = []
    for card in catalogue.cards where card.producing == .key { found.formUnion(keys(of: card.kind)) }
    return found
  }

  package mutating func add(_ kind: EntityKind, _ key: String) {
    guard let card = catalogue[kind], let list = card.erasureList else { return }
    lists[list, default: []].insert(key)
    if card.producing != .key, let producer = card.producer(of: key) { add(producer: producer) }
  }

  package mutating func add(producer: String) {
    if !plainProducers.contains(producer) { lists[Self.producers, default: []].insert(producer) }
  }

  /// Whether a record holds something of the customer that is to go.
  ///
  /// - Parameter restatements: for each entity the position of the last event that restates it without the customer's
  ///   content: that event stays, and what came after it too, since it is not about what was erased.
  package func covers(_ record: borrowing RecordView, restatements: [EntityID: UInt64]) -> Bool {
    guard !record.isRedacted else { return false }
    let entity = EntityID(EntityKind(rawValue: record.kind), record.keyText)
    guard holds(entity.kind, entity.key), let links = catalogue[entity.kind]?.links,
      links.concerns(self, entity.key, record.tag, record.payload)
    else { return false }
    guard let last = restatements[entity] else { return true }
    return record.position < last
  }

  /// Adds what came after the journal was searched: the queue of a push of one of the chats, or of a message of one of
  /// the installations; a group that one of those joined.
  package mutating func add(_ record: borrowing RecordView) {
    guard !record.isRedacted, let links = catalogue[EntityKind(rawValue: record.kind)]?.links else { return }
    links.arrived(&self, record.keyText, record.tag, record.payload)
  }
}

extension ErasureScope: Equatable {
  package static func == (one: Self, other: Self) -> Bool { one.lists == other.lists }
}

/// In which order the entities of a customer are erased.
package enum ErasurePhase: Sendable {
  /// Who is connected, and who may act for the customer.
  case people
  /// What makes pushes and data.
  case origins
  /// What those have left elsewhere.
  case data
  /// What could not be restated before the data was gone.
  case remainders
  /// Whatever pushes and messages go to.
  case targets
}
