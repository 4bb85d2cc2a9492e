package import EventSourcing
package import Journal
package import JournalFormat
import Synchronization

/// What a record can be found by, if one looks for a customer or for an entity.
package enum SubjectTerm: Hashable, Sendable {
  /// Somebody's name, as it stands.
  case name(String)
  /// In small letters: of names whose spelling does not matter.
  case folded(String)
  /// A user's key.
  case owner(String)
  case entity(EntityID)
  /// Whose push it is.
  case producer(String)

  /// As an index of records has it.
  package func hashed(with key: RecordIndexKey) -> UInt64 {
    switch self {
    case .name(let text): key.hash(space: 1, text)
    case .folded(let text): key.hash(space: 2, text)
    case .owner(let text): key.hash(space: 3, text)
    case .producer(let text): key.hash(space: 4, text)
    // Above those of the others, whatever kinds will come.
    case .entity(let id): key.hash(space: 256 + UInt16(id.kind.rawValue), id.key)
    }
  }
}

/// Takes down what the kinds of entities ask of a scope that answers no to everything.
///
/// What they say of a record depends on nothing but the answers. So if all that was asked here is no for a customer, they
/// say of that record what they said here: that it is not the customer's, and names the entities and users that
/// `SubjectTerm.all` has of it. A record is thus of no account for a customer of whom none of its terms is true.
final class SubjectQuestions: Sendable {
  private let terms = Mutex<Set<SubjectTerm>>([])

  func note(_ term: SubjectTerm) { terms.withLock { _ = $0.insert(term) } }

  var all: Set<SubjectTerm> { terms.withLock { $0 } }
}

extension SubjectTerm {
  /// All by which a record can be found; none of one that was redacted.
  package static func all(of record: borrowing RecordView, in catalogue: Catalogue) -> Set<SubjectTerm> {
    guard !record.isRedacted else { return [] }
    let kind = EntityKind(rawValue: record.kind)
    let key = record.keyText
    let questions = SubjectQuestions()
    var scope = SubjectScope(subject: "", in: catalogue, asking: questions)
    scope.collect(record)
    _ = scope.belongs(record)
    var terms = questions.all
    terms.insert(.entity(EntityID(kind, key)))
    for (entity, trace) in scope.traces {
      terms.insert(.entity(entity))
      for others in [trace.follows, trace.leads, trace.hints, trace.asks] {
        for other in others { terms.insert(.entity(other)) }
      }
      for owner in trace.owners { terms.insert(.owner(owner)) }
      for producer in trace.producers { terms.formUnion(all(of: producer, in: catalogue)) }
    }
    for (producer, owners) in scope.ownersByProducer {
      terms.formUnion(all(of: producer, in: catalogue))
      for owner in owners { terms.insert(.owner(owner)) }
    }
    for other in catalogue[kind]?.links?.about?(key, record.tag, record.payload, catalogue) ?? [] {
      terms.insert(.entity(other))
    }
    return terms
  }

  /// For an index of records.
  package static func hashes(in catalogue: Catalogue) -> RecordIndex.Terms {
    { record, key in all(of: record, in: catalogue).map { $0.hashed(with: key) } }
  }

  private static func all(of producer: String, in catalogue: Catalogue) -> [SubjectTerm] {
    [.producer(producer)] + catalogue.producing(producer).map { .entity($0) }
  }
}

extension SubjectScope {
  /// By which terms more can be found that is, or may be, the customer's, after `followLinks`. Once all records with
  /// these are collected, and no others come up, all that matters is. Of a closed scope: all that belongs to it has one.
  package var terms: Set<SubjectTerm> {
    var terms: Set<SubjectTerm> = [.name(subject), .folded(subject.lowercased())]
    for card in catalogue.cards { terms.formUnion((card.links?.spellings(subject) ?? []).map { .name($0) }) }
    terms.formUnion(userKeys.map { .owner($0) })
    for entity in entities {
      terms.insert(.entity(entity))
      guard let trace = traces[entity] else { continue }
      for others in [trace.leads, trace.hints, trace.asks] { terms.formUnion(others.map { .entity($0) }) }
    }
    for (producer, owners) in ownersByProducer where !owners.isDisjoint(with: userKeys) {
      terms.insert(.producer(producer))
    }
    for (entity, trace) in traces where trace.producers.contains(where: { holds(producer: $0) }) {
      terms.insert(.entity(entity))
    }
    return terms
  }
}
