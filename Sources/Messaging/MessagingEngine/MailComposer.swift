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
  // What only one platform's block says; none of these ever reaches a device by this name.
  static let applePayload = "gcm.apns.payload"
  static let applePushType = "gcm.apns.push_type"
  private static let pageNotification = "gcm.page.notification"
  private static let pageOptions = "gcm.page.options"
  /// As Firebase's libraries on devices read it.
  private static let analyticsLabel = "google.c.a.m_l"
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
    let ofPlatform = [
      (analyticsLabel, request.analyticsLabel), (applePayload, request.applePayload),
      (applePushType, request.applePushType), (pageNotification, request.pageNotification),
      (pageOptions, request.pageOptions),
    ]
    pairs += ofPlatform.compactMap { key, text in text.map { MailPair(key, $0) } }
    return Mail(
      id: id.text, scope: "", origin: origin, category: request.restrictedPackageName ?? "",
      collapseKey: request.collapseKey, sender: sender, priority: request.effectivePriority,
      waitsWhileIdle: request.delayWhileIdle, acceptedAt: now, timeToLive: request.timeToLive, pairs: pairs,
      receiptFor: request.wantsReceipt ? request.messageID : nil)
  }

  /// What one device gets: encrypted, if it is a browser page that has given its keys.
  static func mail(_ template: Mail, to found: FoundRegistration) -> Mail {
    let registration = found.registration
    // Spec: GCM S11a, a notification always collapses; but what APNs shows takes another's place only if its sender
    // said so.
    let isCollapsed = registration.relay == nil && template.pairs.contains { $0.key == isShown[0] }
    let collapseKey = template.collapseKey ?? (isCollapsed ? registration.app : nil)
    let sealed = registration.keys.flatMap { keys in
      let isTopic = template.origin != template.sender
      let from = isTopic ? template.origin : keys.authorizedEntity ?? template.origin
      // Keys that are none were refused when they were set.
      return try? AESGCM.encrypt(
        pageJSON(template, from: from, collapseKey: collapseKey), publicKey: keys.publicKey,
        authenticationSecret: keys.authenticationSecret)
    }
    // To a page that has no keys yet they would be nothing but words.
    func isForPages(_ pair: MailPair) -> Bool { pair.key == pageNotification || pair.key == pageOptions }
    // What all receivers get alike is shared by all: of many there may be a hundred thousand.
    let plain = template.pairs.contains(where: isForPages) ? template.pairs.filter { !isForPages($0) } : template.pairs
    let headers = sealed.map { [MailPair("crypto-key", $0.cryptoKey), MailPair("encryption", $0.encryption)] }
    var pairs = headers ?? plain
    let subtype = Self.subtype(of: found)
    if !subtype.isEmpty { pairs += subtype }
    return Mail(
      id: template.id, scope: found.scope.text,
      // Spec: GCM D5.2, the browser looks its key up by the sender that the token was made for.
      origin: sealed == nil ? template.origin : registration.senders.first ?? template.origin,
      category: registration.app, collapseKey: collapseKey, sender: template.sender, priority: template.priority,
      waitsWhileIdle: template.waitsWhileIdle, acceptedAt: template.acceptedAt, timeToLive: template.timeToLive,
      pairs: pairs, rawData: sealed?.body, receiptFor: template.receiptFor)
  }

  /// Names the part of the app that it is for. Spec: GCM D8.12.
  static func subtype(of found: FoundRegistration) -> [MailPair] {
    found.registration.subtype.map { [MailPair("subtype", $0)] } ?? []
  }

  /// The app's pairs, and what is to be shown, apart.
  static func parts(of mail: Mail) -> (data: [MailPair], notification: [MailPair]) {
    let service = Set(isShown + [applePayload, applePushType, pageNotification, pageOptions])
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
    return JSONWriter.object(capacity: 512) { page in
      page.pairs("data", parts.data)
      if let notification = mail.text(pageNotification) {
        page.member("notification", RawJSON(Array(notification.utf8)))
      } else {
        page.pairs("notification", parts.notification)
      }
      page.member("fcmOptions", ifPresent: mail.text(pageOptions).map { RawJSON(Array($0.utf8)) })
      page.member("from", from)
      page.member("priority", mail.priority == .high ? "high" : "normal")
      page.member("fcmMessageId", mail.id)
      page.member("collapse_key", ifPresent: collapseKey)
    }
  }
}

extension Mail {
  /// The value of one pair.
  func text(_ key: String) -> String? { pairs.first { $0.key == key }?.value }
}

extension AppRegistration {
  /// Whose block of a message counts for it. Spec: GCM E3.
  var messagePlatform: MessagePlatform { relay != nil ? .apple : keys != nil || isPage ? .web : .android }
}

extension JSONObjectWriter {
  fileprivate mutating func pairs(_ name: StaticString, _ pairs: [MailPair]) {
    guard !pairs.isEmpty else { return }
    object(name) { object in
      for pair in pairs { object.member(named: pair.key, pair.value) }
    }
  }
}
