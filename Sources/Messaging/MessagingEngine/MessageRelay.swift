import EngineKit
import EntityRuntime
import EventSourcing
import GCMProtocol
import JSONEnvelope
import PushDomain
import PushEngine

/// Sends a message to a device that keeps no connection to us: through the courier of its platform. Spec: GCM B8.5, S47.
final class MessageRelay: Sendable {
  let dispatcher: PushDispatcher
  let queues: EntityDirectory<PushQueue>
  let limits: EngineLimits

  init(dispatcher: PushDispatcher, queues: EntityDirectory<PushQueue>, limits: EngineLimits) {
    self.dispatcher = dispatcher
    self.queues = queues
    self.limits = limits
  }
  static let tag = "gcm.message"

  /// - Returns: nil if it is in the device's queue, or was there: the same message again is none.
  func push(_ mail: Mail, to address: PushAddress) async -> Result<TargetResult, EngineError>? {
    guard dispatcher.obstacle(address, tag: Self.tag) == nil else { return .success(.failed(.invalidAPNsCredential)) }
    // It would stand where Apple's own words stand.
    guard !mail.pairs.contains(where: { $0.key == Self.aps }) else { return .success(.failed(.invalidDataKey)) }
    guard let queue = queues.entity(DeviceKey.of(address), limit: limits.pushQueuesMaximum) else {
      return .failure(.limitReached("push_queues"))
    }
    if await queue.peek({ $0.isUnregistered }) { return .success(.failed(.notRegistered)) }
    do throws(TurnError<Never>) {
      try await queue.perform(.submit(Self.message(mail, to: address), limits: dispatcher.queueLimits)) { _ in }
      return nil
    } catch {
      return TargetResult.refusal(error)
    }
  }

  private static let aps = "aps"

  /// Data and the members of `apns.payload` become the app's own members, the latter over the former; the notification
  /// what is shown, with whatever the sender's own `aps` says over it. Spec: GCM E3, S47; providers 2.6.
  private static func message(_ mail: Mail, to address: PushAddress) -> PushMessage {
    let parts = MailComposer.parts(of: mail)
    let payload = mail.text(MailComposer.applePayload).flatMap { try? JSONValue(parsing: $0).object } ?? JSONObject()
    var own = JSONObject()
    for pair in parts.data { own[pair.key] = .string(pair.value) }
    for member in payload.members where member.name != aps { own[member.name] = member.value }
    let display = display(parts.notification, payload[aps]?.object, mail)
    return PushMessage(
      producer: mail.scope, number: 0, tag: tag, alert: display.body ?? "", content: JSONValue.object(own).text,
      service: mail.category, target: address, expiry: mail.isNowOrNever ? nil : mail.expiry,
      collapseKey: mail.collapseKey, priority: mail.priority, isNowOrNever: mail.isNowOrNever, display: display,
      form: .members, submissionID: mail.id)
  }

  private static func display(_ notification: [MailPair], _ aps: JSONObject?, _ mail: Mail) -> PushDisplay {
    func shown(_ key: String) -> String? { notification.first { $0.key == key }?.value }
    var display = PushDisplay()
    display.title = shown("title")
    display.body = shown("body")
    display.subtitle = shown("subtitle")
    display.sound = shown("sound")
    display.badge = shown("badge").flatMap { Int($0) }
    display.category = shown("click_action")
    display.image = shown("image")
    display.pushType = mail.text(MailComposer.applePushType)
    display.isMutableContent = shown(MailComposer.mutableContent) != nil
    // With nothing to show it can only wake the app.
    let isSilent = notification.isEmpty && !["alert", "badge", "sound"].contains { aps?[$0] != nil }
    display.isContentAvailable = isSilent || shown(MailComposer.contentAvailable) != nil
    var own = aps ?? JSONObject()
    if let alert = localized(shown), own["alert"] == nil { own["alert"] = .object(alert) }
    if !own.isEmpty { display.aps = JSONValue.object(own).plainText }
    return display
  }

  /// The keys of texts in the app, and what is put into these: in Apple's words. Spec: GCM B2.1.
  private static func localized(_ shown: (String) -> String?) -> JSONObject? {
    var alert = JSONObject()
    for (name, apple) in [("body_loc", "loc"), ("title_loc", "title-loc")] {
      if let key = shown("\(name)_key") { alert["\(apple)-key"] = .string(key) }
      guard let text = shown("\(name)_args") else { continue }
      // An array, or a text that is the JSON of one; any other text is the only argument.
      let list = (try? JSONValue(parsing: text).array)?.map { JSONValue.string($0.plainText) }
      alert["\(apple)-args"] = .array(list ?? [.string(text)])
    }
    return alert.isEmpty ? nil : alert
  }
}
