public import EventSourcing
public import JournalFormat
import PushDomain

/// The records that tell of one entity: its own, and of a chat also what its pushes met with in their queues.
public struct EntityScope: Sendable {
  public let entity: EntityID

  public init(_ entity: EntityID) { self.entity = entity }

  public func belongs(_ record: borrowing RecordView) -> Bool {
    guard !record.isRedacted else { return false }
    if record.kind == entity.kind.rawValue { return record.key.elementsEqual(entity.key.utf8) }
    guard entity.kind == .chatSession, record.kind == EntityKind.pushQueue.rawValue else { return false }
    var reader = PayloadReader(record.payload)
    guard let event = try? PushEvent(tag: record.tag, payload: &reader) else { return false }
    return event.producer == entity.key
  }
}
