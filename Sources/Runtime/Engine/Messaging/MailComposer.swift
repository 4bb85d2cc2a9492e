import EventSourcing
import GCMProtocol
import JSONEnvelope
import PushDomain
import WebPushEncryption

/// Makes of a request what each device gets. Spec: GCM A2, D4.4, D8.13.
enum MailComposer {
  private static let shownPrefix = "gcm.notification."
  /// Both say that there is something to show: to older and to newer devices.
  private static let isShown = ["gcm.notification.e", "gcm.n.e"]
  static let contentAvailable = "content_available"
  static let mutableContent = "mutable_content"
  /// The service's own, whatever the sender has put there. Spec: GCM B2.3, D8.12.
  private static let own: Set<String> = ["message_type", "total_deleted", "subtype", "collapse_key", "from"]

  /// The message without its receiver. Its category is the only app that may get it; empty for whichever it is.
  /// - Parameter origin: what the device is told as `from`.
  static func template(
    of request: DownstreamRequest, id: MessageID, origin: String, sender: String, at now: Timestamp
  ) -> Mail {
    var pairs = request.data.filter { !own.contains($0.key) }
    if request.isNotification, let notification = request.notification {
      pairs += isShown.map { MailPair($0, "1") } + notification.map { MailPair(shownPrefix + $0.key, $0.value) }
      if request.contentAvailable { pairs.append(MailPair(shownPrefix + contentAvailable, "1")) }
      if request.mutableContent { pairs.append(MailPair(shownPrefix + mutableContent, "1")) }
    }
    return Mail(
      id: id.text, scope: "", origin: origin, category: request.restrictedPackageName ?? "",
      collapseKey: request.collapseKey, sender: sender, priority: request.effectivePriority,
      waitsWhileIdle: request.delayWhileIdle, acceptedAt: now, timeToLive: request.timeToLive, pairs: pairs,
      receiptFor: request.wantsReceipt ? request.messageID : nil)
  }

  /// What one device gets: encrypted, if it is a browser page that has given its keys.
  static func mail(_ template: Mail, to found: FoundRegistration) -> Mail {
    let registration = found.registration
    // Spec: GCM S11a, a notification always collapses.
    let isNotification = template.pairs.contains { $0.key == isShown[0] }
    let collapseKey = template.collapseKey ?? (isNotification ? registration.app : nil)
    let sealed = registration.keys.flatMap { keys in
      let isTopic = template.origin != template.sender
      let from = isTopic ? template.origin : keys.authorizedEntity ?? template.origin
      // Keys that are none were refused when they were set.
      return try? AESGCM.encrypt(
        pageJSON(template, from: from, collapseKey: collapseKey), publicKey: keys.publicKey,
        authenticationSecret: keys.authenticationSecret)
    }
    let headers = sealed.map { [MailPair("crypto-key", $0.cryptoKey), MailPair("encryption", $0.encryption)] }
    return Mail(
      id: template.id, scope: found.scope.text,
      // Spec: GCM D5.2, the browser looks its key up by the sender that the token was made for.
      origin: sealed == nil ? template.origin : registration.senders.first ?? template.origin,
      category: registration.app, collapseKey: collapseKey, sender: template.sender, priority: template.priority,
      waitsWhileIdle: template.waitsWhileIdle, acceptedAt: template.acceptedAt, timeToLive: template.timeToLive,
      pairs: (headers ?? template.pairs) + subtype(of: found), rawData: sealed?.body, receiptFor: template.receiptFor)
  }

  /// Names the part of the app that it is for. Spec: GCM D8.12.
  static func subtype(of found: FoundRegistration) -> [MailPair] {
    found.registration.subtype.map { [MailPair("subtype", $0)] } ?? []
  }

  /// The app's pairs, and what is to be shown, apart.
  static func parts(of mail: Mail) -> (data: [MailPair], notification: [MailPair]) {
    let service = Set(isShown)
    let pairs = mail.pairs.filter { !service.contains($0.key) }
    return (
      pairs.filter { !$0.key.hasPrefix(shownPrefix) },
      pairs.filter { $0.key.hasPrefix(shownPrefix) }.map {
        MailPair(String($0.key.dropFirst(shownPrefix.count)), $0.value)
      }
    )
  }

  /// What a browser page decrypts. Spec: GCM D4.4.
  private static func pageJSON(_ mail: Mail, from: String, collapseKey: String?) -> [UInt8] {
    let parts = parts(of: mail)
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.pairs("data", parts.data)
    writer.pairs("notification", parts.notification)
    writer.text("from", from)
    writer.text("priority", mail.priority == .high ? "high" : "normal")
    writer.text("fcmMessageId", mail.id)
    if let collapseKey { writer.text("collapse_key", collapseKey) }
    writer.endObject()
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func text(_ key: String, _ value: String) {
    self.key(key)
    string(value)
  }

  fileprivate mutating func pairs(_ key: String, _ pairs: [MailPair]) {
    guard !pairs.isEmpty else { return }
    self.key(key)
    beginObject()
    for pair in pairs { text(pair.key, pair.value) }
    endObject()
  }
}
