public import EventSourcing
public import JournalFormat

/// Everything in a journal that is one customer's: for the audit's timeline, and for redaction.
///
/// 1st pass: `collect` each record, then `close`, which follows what the kinds of entities have noted of each other
/// (`SubjectLinks`) until nothing new is found. 2nd pass: `belongs` for each record.
/// ```
///   subject ──names──> chats <──user key──> Comet sessions
///           ──names──> callbacks  (as chats)
///                        ├──service id─> chats
///                        ├──producer──> pushes in queues
///                        └──user key──> devices
///           ──names──> installations ──scope──> messages in queues
///                        └──token──> device groups
///           ──names──> support users ──number──> requests, Comet sessions
///                                                  ├──producer──> pushes in queues
///                                                  ├──service id─> chats
///                                                  └──token──> stored files
/// ```
/// A subject is a user key, a service id, a chat session id, a Comet session's id, a device id, an android id, a
/// registration token, or a value of attached data such as an e-mail address, or of a callback's fields such as the
/// number to call, compared as it stands; of support, a user's e-mail, external id, SDK's id or device identifier,
/// `user:5` or `request:5`. What names a customer stays good: a chat that it found, found
/// by any name, brings along its user key's other chats and sessions. A device is no such name: it may have changed
/// hands, so it finds the chats and callbacks that were to be pushed to it, and through them their customers.
public struct SubjectScope: Sendable {
  public let subject: String
  /// What holds something of the customer; complete after `close`.
  public private(set) var entities: Set<EntityID> = []
  /// The user keys that the customer was found to have.
  public private(set) var userKeys: Set<String> = []
  /// What the first pass has noted.
  package private(set) var traces: [EntityID: SubjectTrace] = [:]
  /// Whom the pushes of a producer are for, if they say so.
  package private(set) var ownersByProducer: [String: Set<String>] = [:]
  package let catalogue: Catalogue
  /// Takes down what is asked for, if nothing is to be found but what it can be found by.
  private let questions: SubjectQuestions?

  public init(subject: String, in catalogue: Catalogue) {
    self.init(subject: subject, in: catalogue, asking: nil)
  }

  /// - Parameter questions: takes down what is asked; each answer is then no.
  init(subject: String, in catalogue: Catalogue, asking questions: SubjectQuestions?) {
    self.subject = subject
    self.catalogue = catalogue
    self.questions = questions
  }

  /// First pass: takes a record of the journal, in whatever order, and no matter whether it was taken before. Redacted
  /// ones, and those of kinds without customers, say nothing.
  public mutating func collect(_ record: borrowing RecordView) {
    guard !record.isRedacted, let links = catalogue[EntityKind(rawValue: record.kind)]?.links else { return }
    links.collect(&self, record.keyText, record.tag, record.payload)
  }

  /// Between the passes: follows the links until nothing new is found.
  public mutating func close() {
    followLinks()
    let isKnown =
      entities.contains { traces[$0].map { $0.brings != .nothing } ?? false }
      || traces.values.contains { $0.owners.contains(subject) }
      || ownersByProducer.values.contains { $0.contains(subject) }
    if !isKnown { userKeys = [] }
    for card in catalogue.cards { card.links?.settle(&self) }
    for (entity, trace) in traces where trace.producers.contains(where: { holds(producer: $0) }) {
      entities.insert(entity)
    }
  }

  /// The more is collected, the more it finds; nothing is found by it that would not be found by all records.
  package mutating func followLinks() {
    entities = Set(traces.lazy.filter(\.value.isNamed).map(\.key))
    if !subject.isEmpty { userKeys.insert(subject) }
    var found = -1
    while found != entities.count + userKeys.count {
      found = entities.count + userKeys.count
      for (entity, trace) in traces { follow(entity, trace) }
    }
  }

  /// Lets go of what was noted of others than the customer: of a long journal it is nearly all. What comes later is still
  /// followed from what the customer was found to have.
  package mutating func forgetStrangers() {
    traces = traces.filter { entities.contains($0.key) }
    ownersByProducer = ownersByProducer.filter { !$0.value.isDisjoint(with: userKeys) }
  }

  private mutating func follow(_ entity: EntityID, _ trace: SubjectTrace) {
    if !entities.contains(entity) {
      guard !trace.owners.isDisjoint(with: userKeys) || !trace.follows.isDisjoint(with: entities) else { return }
      entities.insert(entity)
    }
    guard trace.brings == .always || (trace.brings == .ifNamed && trace.isNamed) else { return }
    userKeys.formUnion(trace.owners)
    for other in trace.leads where traces[other] != nil { entities.insert(other) }
    for other in trace.hints where traces[other] != nil {
      if trace.isNamed || traces[other]?.isOpen == true { entities.insert(other) }
    }
  }

  /// Second pass: whether this record is about the customer. A redacted one belongs to nobody any more.
  public func belongs(_ record: borrowing RecordView) -> Bool {
    let kind = EntityKind(rawValue: record.kind)
    guard !record.isRedacted, let links = catalogue[kind]?.links else { return false }
    guard let belongs = links.belongs else { return holds(kind, record.keyText) }
    return belongs(self, record.keyText, record.tag, record.payload)
  }

  /// The keys of what holds something of the customer.
  public func keys(of kind: EntityKind) -> Set<String> {
    Set(entities.lazy.filter { $0.kind == kind }.map(\.key))
  }

  // MARK: For the links

  // Whatever a kind asks to tell whether a record is the customer's, it asks here: an index of records is made of what
  // was asked (`SubjectQuestions`).

  package func isSubject(_ name: String?) -> Bool {
    if let questions {
      if let name, !name.isEmpty { questions.note(.name(name)) }
      return false
    }
    return !subject.isEmpty && name == subject
  }

  /// However it is spelt, in capitals or not.
  package func isSubject(ignoringCase name: String) -> Bool {
    if let questions {
      questions.note(.folded(name.lowercased()))
      return false
    }
    return !subject.isEmpty && name.lowercased() == subject.lowercased()
  }

  package func holds(_ kind: EntityKind, _ key: String) -> Bool {
    if let questions {
      questions.note(.entity(EntityID(kind, key)))
      return false
    }
    return entities.contains(EntityID(kind, key))
  }

  /// Whether it is one of the customer's user keys.
  package func holds(userKey: String) -> Bool {
    if let questions {
      questions.note(.owner(userKey))
      return false
    }
    return userKeys.contains(userKey)
  }

  /// Whether pushes of this producer are the customer's.
  package func holds(producer: String) -> Bool {
    if let questions {
      questions.note(.producer(producer))
      for entity in catalogue.producing(producer) { questions.note(.entity(entity)) }
      return false
    }
    if let owners = ownersByProducer[producer], !owners.isDisjoint(with: userKeys) { return true }
    return catalogue.producing(producer).contains(where: entities.contains)
  }

  /// Whether this was never anybody else's, or is what was asked for.
  package func isOnlyTheirs(_ entity: EntityID) -> Bool {
    if let questions {
      questions.note(.entity(entity))
      return false
    }
    guard let trace = traces[entity] else { return false }
    if !trace.producers.isEmpty { return trace.producers.allSatisfy { holds(producer: $0) } }
    return trace.isNamed || (!trace.owners.isEmpty && trace.owners.isSubset(of: userKeys))
  }

  /// As queues name whose pushes are the customer's.
  package var producers: Set<String> {
    var found = Set(entities.lazy.compactMap { catalogue[$0.kind]?.producer(of: $0.key) })
    found.formUnion(ownersByProducer.keys.lazy.filter { holds(producer: $0) })
    for trace in traces.values { found.formUnion(trace.producers.lazy.filter { holds(producer: $0) }) }
    return found
  }

  /// Notes something of an entity.
  package mutating func note(_ kind: EntityKind, _ key: String, _ change: (inout SubjectTrace) -> Void) {
    change(&traces[EntityID(kind, key), default: SubjectTrace()])
  }

  package mutating func note(producer: String, of owner: String) {
    ownersByProducer[producer, default: []].insert(owner)
  }

  /// It is the customer's after all.
  package mutating func take(_ entity: EntityID) {
    traces[entity]?.isNamed = true
    entities.insert(entity)
  }
}

/// What the first pass keeps of one entity.
package struct SubjectTrace: Sendable {
  /// Whether what it belongs to leads on to others: what a scope holds may be erased.
  package enum Bringing: Sendable {
    case nothing
    /// Only if the subject itself names it.
    case ifNamed
    case always
  }

  /// The subject is a name of it.
  package var isNamed = false
  /// The keys of the users whose it is, or was.
  package var owners: Set<String> = []
  /// It is the customer's if one of these is.
  package var follows: Set<EntityID> = []
  /// What is the customer's if this is; nothing if there are no records of it.
  package var leads: Set<EntityID> = []
  /// As `leads`, but only if this is named, or that one is open to it.
  package var hints: Set<EntityID> = []
  /// A mere hint suffices.
  package var isOpen = false
  package var brings = Bringing.nothing
  /// Of a queue: whose pushes have been in it.
  package var producers: Set<String> = []
  /// Where it is pushed to.
  package var addresses: Set<EntityID> = []
  /// What its kind looks at besides, once the links are followed (`SubjectLinks.settle`).
  package var asks: Set<EntityID> = []

  package init() {}
}
