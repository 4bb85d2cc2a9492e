import EngineKit
import EntityRuntime
import PushDomain

extension MessagingService {
  private static let hostSuffix = "@gcm.googleapis.com"

  /// Takes a message of the device for an app server; once it returns `.accepted`, the device may be told that we have
  /// it. Spec: GCM D9, B7.8.
  /// - Parameter recipient: `<sender>@gcm.googleapis.com`, a bare sender id, or a notification key.
  public func send(
    _ message: UpstreamMessage, to recipient: String, from id: InstallationID
  ) async -> UpstreamOutcome {
    let sender =
      recipient.hasSuffix(Self.hostSuffix) ? String(recipient.dropLast(Self.hostSuffix.count)) : recipient
    guard !message.id.isEmpty, message.id.utf8.count <= 256 else { return .refused(reason: "INVALID_MESSAGE_ID") }
    guard message.timeToLive >= 0 else { return .refused(reason: "INVALID_TTL") }
    if let outcome = await send(message, toGroup: recipient, from: id) { return outcome }
    // Nobody could ever fetch it.
    guard isSender(sender) else { return .refused(reason: "SENDER_ID_MISMATCH") }
    guard
      let found = await installations.find(app: message.category, subtype: message.subtype, sender: sender, on: id)
    else { return .refused(reason: "SENDER_ID_MISMATCH") }
    let mail = Mail(
      id: message.id, scope: found.scope.text, origin: found.token, category: message.category, sender: sender,
      acceptedAt: context.time.now, timeToLive: min(message.timeToLive, limits.upstreamSecondsMaximum),
      pairs: message.pairs)
    guard message.pairs.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= limits.upstreamBytesMaximum
    else { return .refused(reason: "MESSAGE_TOO_BIG") }
    tap.note { MessageStep(.upstream, mail, at: $0) }
    if mail.isNowOrNever {
      gateway.upstream.deliverNow(mail)
      return .accepted
    }
    return await gateway.upstream.store(mail)
  }
}
