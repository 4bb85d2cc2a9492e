public import EngineKit
public import EventSourcing
public import JournalFormat

/// The records that tell of one entity: its own, and those of others that are about it: of a chat also what its pushes
/// met with in their queues, of a callback that and its chat, of a support request what was pushed of it, and of a device
/// that has checked in what is in its queue, and what it has sent.
public struct EntityScope: Sendable {
  public let entity: EntityID
  private let catalogue: Catalogue
  private let entities: Set<EntityID>

  public init(_ entity: EntityID, in catalogue: Catalogue) {
    self.entity = entity
    self.catalogue = catalogue
    let twins = catalogue[entity.kind]?.tellsAlso ?? []
    entities = Set(twins.map { EntityID($0, entity.key) }).union([entity])
  }

  /// All records that belong to it have one of these.
  var terms: Set<SubjectTerm> { Set(entities.map { .entity($0) }) }

  public func belongs(_ record: borrowing RecordView) -> Bool {
    guard !record.isRedacted else { return false }
    let kind = EntityKind(rawValue: record.kind)
    if entities.contains(where: { $0.kind == kind && record.key.elementsEqual($0.key.utf8) }) { return true }
    guard let about = catalogue[kind]?.links?.about else { return false }
    return about(record.keyText, record.tag, record.payload, catalogue).contains(where: entities.contains)
  }
}
