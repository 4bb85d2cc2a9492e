public import EventSourcing
public import JournalFormat
import PushDomain

/// The records that tell of one entity: its own; of a chat also what its pushes met with in their queues, of a callback
/// that and its chat, of a support request what was pushed of it, and of a device that has checked in what is in its
/// queue, and what it has sent.
public struct EntityScope: Sendable {
  public let entity: EntityID

  public init(_ entity: EntityID) { self.entity = entity }

  public func belongs(_ record: borrowing RecordView) -> Bool {
    guard !record.isRedacted else { return false }
    if record.kind == entity.kind.rawValue { return record.key.elementsEqual(entity.key.utf8) }
    // Callback and chat have the same service id.
    if entity.kind == .callback, record.kind == EntityKind.chatSession.rawValue {
      return record.key.elementsEqual(entity.key.utf8)
    }
    guard record.kind == EntityKind.pushQueue.rawValue else { return false }
    if entity.kind == .installation,
      MailboxKey.device(of: record.keyText).map({ String($0.androidID) }) == entity.key
    {
      return true
    }
    var reader = PayloadReader(record.payload)
    guard let event = try? PushEvent(tag: record.tag, payload: &reader) else { return false }
    switch entity.kind {
    case .chatSession: return event.producer == entity.key
    case .callback:
      return event.producer == entity.key || event.producer == CallbackInterpreter.prefix + entity.key
    case .supportRequest: return event.producer == SupportService.prefix + entity.key
    case .installation: return event.producers.contains { $0.hasPrefix(entity.key + "/") }
    default: return false
    }
  }
}
