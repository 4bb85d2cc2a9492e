import EventSourcing

@testable import PushDomain

/// With something in every field. Their bytes are in `FrozenBytes`.
enum FrozenSamples {
  static let message = Mail(
    id: "i", scope: "s", origin: "o", category: "c", collapseKey: "k", sender: "n", priority: .high,
    waitsWhileIdle: true, acceptedAt: Timestamp(milliseconds: 1), timeToLive: 2,
    pairs: [MailPair("a", "b"), MailPair("", "")], rawData: [255], receiptFor: "r")
  static let plain = Mail(
    id: "i", scope: "s", origin: "o", category: "c", sender: "o", acceptedAt: .epoch, timeToLive: 3)
  static let address = PushAddress(
    type: "y", deviceID: "d", provider: "v", language: "l", debug: true, authorization: "z")

  static let mail: [PushEvent] = [
    .mailStored(message), .mailEnded([EndedMail(message), EndedMail(plain)], .expired), .mailDropped(plain, count: 3),
    .mailNoticed(plain, count: 3, isOpen: true), .receiverConfirms,
  ]

  static let report = PushReport(reason: "r", answer: "a", mayBeDelivered: true, isRejection: true)
  /// As much as fits beside `CodecTests.display`.
  static let display = {
    var display = PushDisplay()
    (display.badge, display.aps) = (3, "{}")
    return display
  }()
  static let id = PushID(producer: "p", number: 2)
  static let reports: [PushEvent] = [
    .enqueued(
      PushMessage(
        producer: "p", number: 1, tag: "t", alert: "a", content: [1], service: "s", target: address,
        display: display, form: .text)),
    .settled(id, .failed(reason: "x"), attempts: 3, answer: "i", isDeadLetter: true, report: report),
    .retryScheduled(id, attempt: 1, until: Timestamp(milliseconds: 1), reason: "x", report: report),
    .attemptBegan(id, attempt: 1, isRepetition: true), .attemptReturned(id, attempt: 1, reason: "x", report: report),
  ]

  static let subscription: [SubscriptionEvent] = [
    .opened(
      SubscriptionTerms(
        subscriberID: "u", filter: SubscriptionFilter(journaled: "f"), address: address,
        properties: [.init("a", "b"), .init("", "")], expiresAt: Timestamp(milliseconds: 5), owner: "w")),
    .published(Publication(number: 1, tag: "t", content: PublicationContent(bytes: [1], isObject: true))),
    .published(Publication(number: 2, tag: "t", content: PublicationContent(bytes: [], isObject: false))),
    .handedOver(1), .ended(reason: "x"), .erased,
  ]

  static let registration = AppRegistration(
    number: 1, app: "a", senders: ["1", "2"], subtype: "s", instanceID: "i", scope: "c", platform: "p",
    appVersion: "v", certificate: "x", relay: address)
  static let keys = BrowserKeys(publicKey: [1], authenticationSecret: [2], authorizedEntity: "e")
  static let topic = SenderTopic(sender: "1", name: "t")
  static let installation: [InstallationEvent] = [
    .checkedIn(InstallationIdentity(securityDigest: [1], seed: [2])), .registered(registration), .keysSet(1, keys),
    .topicJoined(1, topic), .topicLeft(1, topic), .registrationEnded(1, reason: "x"), .erased(state: [0x18, 2]),
  ]

  static let group: [DeviceGroupEvent] = [
    .created(key: "k", members: ["a", "b"]), .changed(members: ["c"]), .ended, .erased(state: [0x0A, 0]),
  ]

  static let broadcast: [BroadcastEvent] = [
    .accepted(BroadcastWork(mail: message, variants: [.apple: plain, .web: plain], condition: "t")),
    .advanced(past: "1/2"), .finished(receivers: 3), .erased,
  ]

  static let device: [DeviceEvent] = [
    .registered(DeviceRegistration(address: address, platform: "p", app: "a", owner: "w")), .ended(reason: "x"),
    .replaced(by: address),
  ]

  static func state<Entity: RestorableState>(of events: some Sequence<Entity.Event>, _: Entity.Type) -> Entity {
    events.reduce(into: Entity()) { entity, event in entity.evolve(event, at: Timestamp(milliseconds: 4)) }
  }

  static func push(_ producer: String, _ number: Int) -> PushMessage {
    PushMessage(
      producer: producer, number: number, tag: "t", alert: "", content: [], service: "s", target: address,
      expiry: Timestamp(milliseconds: 900))
  }

  /// One producer pauses, another's push is in flight, there is a dead letter, and mail beside them.
  static let queue: PushQueue = state(
    of: [
      .registered, .enqueued(push("a", 1)), .enqueued(push("a", 2)), .enqueued(push("b", 1)), .enqueued(push("c", 1)),
      .attemptBegan(push("a", 1).id, attempt: 1),
      .settled(push("a", 1).id, .refused(reason: "no"), attempts: 1, isDeadLetter: true, report: report),
      .attemptReturned(push("a", 2).id, attempt: 1, reason: "y", report: PushReport(answer: "q")),
      .retryScheduled(
        push("a", 2).id, attempt: 1, until: Timestamp(milliseconds: 7), reason: "x",
        report: PushReport(answer: "a", mayBeDelivered: true, isRejection: true)),
      .attemptReturned(push("a", 2).id, attempt: 2, reason: "z"), .attemptBegan(push("b", 1).id, attempt: 1),
      .mailStored(message), .mailNoticed(plain, count: 3, isOpen: true), .receiverConfirms,
      .settled(push("c", 1).id, .delivered, attempts: 1),
    ], PushQueue.self)
}
