import EventSourcing
import SupportDomain
import Testing

/// An event or a state of any kind, as bytes, and how it comes back from them.
struct CodecSample: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  /// True if the bytes are this very value.
  let isItself: @Sendable ([UInt8]) throws -> Bool
  /// Whatever the bytes are: read, used and written again, it stays what it is.
  let survives: @Sendable ([UInt8]) -> Bool

  init<Entity: ProbedEntity>(_ event: Entity.Event, of entity: Entity.Type) {
    let stored = StoredEvent(event)
    testDescription = "\(Entity.self) event \(event.tag)"
    bytes = stored.payload
    isItself = { bytes in
      try StoredEvent(tag: stored.tag, payload: bytes).decoded(as: Entity.Event.self) == event
    }
    survives = { bytes in
      guard let damaged = try? StoredEvent(tag: stored.tag, payload: bytes).decoded(as: Entity.Event.self) else {
        return true
      }
      var entity = Entity()
      entity.evolve(damaged, at: .second(1))
      _ = entity.react(to: damaged)
      return (try? StoredEvent(damaged).decoded(as: Entity.Event.self)) == damaged && Self.survives(entity)
    }
  }

  init<Entity: ProbedEntity>(state: Entity, _ name: String) {
    testDescription = "\(Entity.self), \(name)"
    bytes = state.stateBytes
    isItself = { try Entity(stateBytes: $0) == state }
    survives = { bytes in (try? Entity(stateBytes: bytes)).map(Self.survives) ?? true }
  }

  private static func survives<Entity: ProbedEntity>(_ entity: Entity) -> Bool {
    _ = (entity.outstandingEffects, entity.rest, entity.isFinished)
    for command in Entity.probes { _ = try? entity.decide(command, now: .second(2)) }
    return (try? Entity(stateBytes: entity.stateBytes)) == entity
  }
}

protocol ProbedEntity: RestorableState, Equatable {
  /// One of each command.
  static var probes: [Command] { get }
}

extension SupportRequest: ProbedEntity {
  static var probes: [SupportRequestCommand] {
    [
      .create(), .answer(), .answer(.of(grace: 2)), .answer(.of(coalescing: 2)), .change(by: .endUser, .ann(files: 1)),
      .change(by: .agent, status: .solved, tags: [], fields: [SupportField(1, "1")], assignee: 1, reports: true),
      .refreshed(comment: 2, device: 1), .due(parts: [.german]), .read(upTo: .max, device: 1),
      .handedOver(number: 1), .erase, .filesDropped, .restate,
    ]
  }
}

extension SupportUser: ProbedEntity {
  static var probes: [SupportUserCommand] {
    [
      .identify(.verified()), .identify(.anonymous("A")),
      .signIn(.verified(), .sample(1), usedID: .init("a", until: 9)),
      .register("ABC", .android, .airshipChannel), .register("a", most: 0), .end(["ABC"]),
      .providerEnded(device: 1, since: nil), .erase, .restate,
    ]
  }
}

extension SupportApp: ProbedEntity {
  static var probes: [SupportAppCommand] {
    [
      .configured(.direct), .setWebhook(base: "", secret: "", by: "", replacing: "", overlap: .seconds(Int64.max)),
      .clearWebhook(by: ""), .restate,
    ]
  }
}

extension CodecSample {
  static let comment = SupportComment(
    number: 2, author: 9, role: .agent, isPublic: true, body: "Because, müde.",
    attachments: [.sample("f-1"), .sample("f-2")], createdAt: .second(3))

  static let terms = SupportRequestTerms(
    requester: 7, channel: .mobileSDK, app: "mobile", subject: "The lamp", formID: -3, metadata: [0x7B, 0x7D],
    transcript: SupportTranscript(serviceID: "sales", chatID: "c-1", position: 12))

  static let duties: [SupportDuty] = [
    .report(1, .created, 1), .report(2, .updated, nil), .keepFiles(3, 1), .notify(4, 2, .german),
    .notify(300, 2, SupportPartDraft(integration: .airship, devices: [1, 300], language: nil)),
  ]

  /// One of each, in the order of the tags.
  static let requestEvents: [SupportRequestEvent] = [
    .created(terms, comment, tags: ["a", ""], fields: [SupportField(-1, "1"), SupportField(2, "")], duties: duties),
    .commentAdded(comment, noticeAt: .second(5), duties: duties),
    .updated(by: nil, status: .hold, tags: ["a", "b"], fields: [SupportField(1, "{}")], assignee: -9, duties: duties),
    .notificationPlanned(comment: 2, duties: duties),
    .notificationSuppressed(comment: 2, .refreshed, devices: [1, 200]),
    .refreshed(comment: 2, device: 3),
    .read(upTo: 3, device: 4),
    .handedOver(number: 77),
    .erased(state: SupportRequest().stateBytes),
    .filesDropped,
    .alarmPutOff,
  ]

  private static let requestVariants: [SupportRequestEvent] =
    [
      .created(
        SupportRequestTerms(requester: .min, channel: .chat, subject: ""),
        SupportComment(
          number: 0, author: .max, role: .endUser, isPublic: false, body: "", attachments: [],
          createdAt: Timestamp(milliseconds: .min)), tags: [], fields: [], duties: []),
      .commentAdded(comment, noticeAt: nil, duties: []),
      .updated(by: 3, status: nil, tags: nil, fields: [], assignee: nil, duties: []),
      .updated(by: nil, status: nil, tags: [], fields: [], assignee: nil, duties: []), .read(upTo: 1, device: nil),
    ] + SupportStatus.allCases.map { .updated(by: nil, status: $0, tags: nil, fields: [], assignee: nil, duties: []) }
    + SupportSuppression.allCases.map { .notificationSuppressed(comment: 1, $0, devices: []) }
    + SupportReport.allCases.map { .notificationPlanned(comment: 1, duties: [.report(1, $0, nil)]) }

  static let device = SupportDevice.sample(ending: false)

  static let userEvents: [SupportUserEvent] = [
    .identified(.anonymous("Ann", "ann@example.org")), .identityChanged(.verified("Änne", nil)),
    .tokenIssued(.sample(1), usedID: .init("jti", until: 9)), .deviceRegistered(device),
    .deviceRefreshed(id: 3, locale: "en-us"), .deviceEnded(id: 3, .moved), .erased(state: SupportUser().stateBytes),
    .tokenUsed(digest: [1, 2, 3]), .tokenEnded(digest: [1, 2, 3]),
  ]

  private static let userVariants: [SupportUserEvent] =
    [
      .identified(SupportIdentity(key: .agent(""))), .identified(SupportIdentity(key: .contact("c"), name: "")),
      .tokenIssued(.sample(2), usedID: nil), .deviceRegistered(.sample(ending: true)),
    ] + SupportDevice.Reason.allCases.map { .deviceEnded(id: 1, $0) }

  static let appEvents: [SupportAppEvent] = [
    .integrationChanged(.airship),
    .webhookSet(
      .init(base: "https://host", secret: "ab12", at: .second(1), by: "ops"),
      previous: .init(url: "https://host/ab12", until: .second(9))),
    .webhookCleared(by: "ops"), .restated(state: []),
  ]

  private static let appVariants: [SupportAppEvent] =
    [.webhookSet(.init(base: "", secret: nil, at: .epoch, by: ""), previous: nil)]
    + SupportIntegration.allCases.map { .integrationChanged($0) }

  /// One of each, in the order of the tags; their bytes are frozen.
  static let events: [CodecSample] =
    requestEvents.map { CodecSample($0, of: SupportRequest.self) }
    + userEvents.map { CodecSample($0, of: SupportUser.self) } + appEvents.map { CodecSample($0, of: SupportApp.self) }

  static let variants: [CodecSample] =
    requestVariants.map { CodecSample($0, of: SupportRequest.self) }
    + userVariants.map { CodecSample($0, of: SupportUser.self) }
    + appVariants.map { CodecSample($0, of: SupportApp.self) }

  private static let absent: [CodecSample] = [
    CodecSample(state: SupportRequest(), "absent"), CodecSample(state: SupportUser(), "absent"),
    CodecSample(state: SupportApp(), "absent"),
  ]

  /// With something in every field.
  static let full: [CodecSample] = [
    CodecSample(state: request, "full"), CodecSample(state: user, "full"), CodecSample(state: app, "full"),
  ]

  /// Their bytes are frozen as well.
  static let states = absent + full

  private static func state<Entity: RestorableState>(of events: [Entity.Event], _: Entity.Type) -> Entity {
    events.reduce(into: Entity()) { entity, event in entity.evolve(event, at: .second(10)) }
  }

  private static let request: SupportRequest = {
    let request = state(of: Array(requestEvents[0..<3] + requestEvents[5..<8]), SupportRequest.self)
    var orphan = PayloadWriter()
    orphan.text(16, "f-0")
    return (try? SupportRequest(stateBytes: request.stateBytes + orphan.bytes)) ?? request
  }()

  private static let user = state(
    of: Array(userEvents[0..<6]) + [.deviceRegistered(.sample(ending: true))], SupportUser.self)

  private static let app = state(of: Array(appEvents[0..<2] + appEvents[1..<2]), SupportApp.self)
}

extension SupportDevice {
  /// Registered by a user of its own, since only users make devices.
  static func sample(ending: Bool) -> SupportDevice {
    var rig = UserRig()
    _ = try? rig.when(.identify(.verified()))
    _ = try? rig.when(.register("ABC", .android, .airshipChannel, locale: "de-at"), at: 2)
    if ending { _ = try? rig.when(.end(["ABC"], .provider), at: 4) }
    guard let device = rig.state[device: 1] else { preconditionFailure("a device is registered") }
    return device
  }
}
