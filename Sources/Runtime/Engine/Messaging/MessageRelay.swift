import EntityRuntime
import EventSourcing
import GCMProtocol
import JSONEnvelope
import PushDomain

/// Sends a message to a device that keeps no connection to us: through the courier of its platform. Spec: GCM B8.5, S47.
struct MessageRelay: Sendable {
  let dispatcher: PushDispatcher
  let queues: EntityDirectory<PushQueue>
  let limits: EngineLimits
  static let tag = "gcm.message"

  /// - Returns: nil if it is in the device's queue.
  func push(_ mail: Mail, to address: PushAddress) async -> Result<TargetResult, EngineError>? {
    guard dispatcher.obstacle(address, tag: Self.tag) == nil else { return .success(.failed(.invalidAPNsCredential)) }
    guard let queue = queues.entity(DeviceKey.of(address), limit: limits.pushQueuesMaximum) else {
      return .failure(.limitReached("push_queues"))
    }
    if await queue.peek({ $0.isUnregistered }) { return .success(.failed(.notRegistered)) }
    do throws(TurnError<Never>) {
      try await queue.perform(.submit(Self.message(mail, to: address))) { _ in }
      return nil
    } catch {
      switch error {
      case .storageFull: return .failure(.storageFull)
      case .overloaded: return .failure(.limitReached("mailbox"))
      case .tooLarge: return .success(.failed(.messageTooBig))
      case .failed: return .failure(.unavailable)
      }
    }
  }

  private static func message(_ mail: Mail, to address: PushAddress) -> PushMessage {
    let parts = MailComposer.parts(of: mail)
    func shown(_ key: String) -> String? { parts.notification.first { $0.key == key }?.value }
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    for pair in parts.data {
      writer.key(pair.key)
      writer.string(pair.value)
    }
    writer.endObject()
    var display = PushDisplay()
    display.title = shown("title")
    display.body = shown("body")
    display.subtitle = shown("subtitle")
    display.sound = shown("sound")
    display.badge = shown("badge").flatMap { Int($0) }
    display.category = shown("click_action")
    display.image = shown("image")
    // With nothing to show it can only wake the app.
    display.isContentAvailable = parts.notification.isEmpty || shown(MailComposer.contentAvailable) != nil
    display.isMutableContent = shown(MailComposer.mutableContent) != nil
    return PushMessage(
      producer: mail.scope, number: 0, tag: tag, alert: shown("body") ?? "", content: writer.bytes,
      service: mail.category, target: address, expiry: mail.isNowOrNever ? nil : mail.expiry,
      collapseKey: mail.collapseKey, priority: mail.priority, isNowOrNever: mail.isNowOrNever, display: display,
      form: .members)
  }
}
