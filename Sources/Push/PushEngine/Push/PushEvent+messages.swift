import EventSourcing
import PushDomain

extension PushEvent {
  /// Whether this tells of a message: of a push by the name that the world has of it (`PushUUID`), or by its producer and
  /// number with a slash between them; of a message in a mailbox by its id.
  func tells(of message: String) -> Bool {
    switch self {
    case .enqueued(let push): Self.isName(message, of: push.id)
    case .declined(let id, _, _), .settled(let id, _, _, _, _, _), .retryScheduled(let id, _, _, _, _),
      .attemptBegan(let id, _, _), .attemptReturned(let id, _, _, _), .deadLetterRetried(let id),
      .deadLetterDropped(let id):
      Self.isName(message, of: id)
    case .mailStored(let mail), .mailDropped(let mail, _), .mailNoticed(let mail, _, _): mail.id == message
    case .mailEnded(let mails, _): mails.contains { $0.id == message }
    case .erased(let pushes, _): pushes.contains { Self.isName(message, of: $0.id) }
    case .pauseEnded, .producerForgotten, .unregistered, .registered, .receiverConfirms: false
    }
  }

  private static func isName(_ message: String, of id: PushID) -> Bool {
    // Hashing each push of a long journal is what the other test spares.
    message.utf8.count == uuidByteCount && !message.utf8.contains(UInt8(ascii: "/"))
      ? PushUUID.text(of: id) == message : "\(id.producer)/\(id.number)" == message
  }

  private static let uuidByteCount = 36
}
