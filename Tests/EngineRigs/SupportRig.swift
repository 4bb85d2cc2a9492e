import EntityRuntime
import EventSourcing
import JSONEnvelope
import Journal
import PushDomain
import SupportDomain
import SystemPackage

@testable import Engine

/// An engine with an app for support requests, and a clock that stands still until it is told to move. Its provider
/// takes the place of the webhook, Airship, APNs and FCM.
final class SupportRig: Sendable {
  static let app = "demo"
  static let url = "https://push.example.test/hook"
  let rig: DeviceRig

  /// - Parameter options: of the app, over a webhook's.
  init(
    directory: FilePath? = nil, storage: any JournalStorage = DiskStorage(), at now: Timestamp = DeviceRig.start,
    options: [String: String] = [:],
    sections: [String: [String: String]] = [:], provider: PatientProvider = PatientProvider(),
    configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    rig = try await DeviceRig(
      directory: directory, storage: storage, at: now, sections: Self.sections(options, sections), provider: provider,
      configure: configure)
    try await settle()
  }

  private static func sections(
    _ options: [String: String], _ sections: [String: [String: String]]
  ) -> [String: [String: String]] {
    ["support.app.\(app)": ["integration": "webhook", "webhook_url": url].merging(options) { $1 }]
      .merging(sections) { $1 }
  }

  var engine: Engine { rig.engine }
  var support: SupportService { rig.engine.support }
  var provider: PatientProvider { rig.provider }
  var now: Timestamp { rig.time.now }

  func settle() async throws {
    repeat {
      try await rig.settle()
    } while engine.node.tasks.count > 0
    try await rig.settle()
  }

  func advance(by duration: Duration) async throws {
    try await rig.advance(by: duration)
    try await settle()
  }

  func stop() async throws { try await rig.stop() }

  /// The process ends without a word, and another one begins, `later`.
  func restarted(
    after later: Duration = .zero, options: [String: String] = [:], sections: [String: [String: String]] = [:],
    provider: PatientProvider = PatientProvider()
  ) async throws -> SupportRig {
    await rig.kill()
    return try await SupportRig(
      directory: rig.directory, at: now.advanced(by: later), options: options, sections: sections, provider: provider)
  }

  /// The operator reloads.
  func reload(_ options: [String: String], _ sections: [String: [String: String]] = [:]) async throws {
    var current = engine.options.current
    current.sections.merge(Self.sections(options, sections)) { $1 }
    engine.options.replace(current)
    await support.configured()
    try await settle()
  }

  // MARK: Parts of tests

  func user(_ guid: String = "guid-ann", app: String = SupportRig.app) async throws -> SupportActor {
    let token = try await support.signIn(anonymous: guid, name: nil, email: nil, app: app)
    guard let actor = support.endUser(bearing: token) else { throw SupportFailure.notFound }
    return actor
  }

  func agent(_ name: String = "Ben") async throws -> SupportActor { try await support.agent(named: name) }

  @discardableResult
  func register(
    _ identifier: String, type: String = "ios", locale: String = "en", tokenType: String? = nil, by actor: SupportActor
  ) async throws -> (view: SupportDeviceView, isNew: Bool) {
    let answer = try await support.registerDevice(
      identifier: identifier, type: type, locale: locale, tokenType: tokenType, by: actor)
    try await settle()
    return answer
  }

  /// A request made in the app.
  func request(by actor: SupportActor, _ text: String = "It does not work") async throws -> Int64 {
    var order = SupportRequestOrder()
    order.subject = "Help"
    order.comment.body = text
    return try await support.create(order, by: actor).number
  }

  /// Returns once what follows is done.
  func comment(
    _ text: String, on number: Int64, by actor: SupportActor, isPublic: Bool = true
  ) async throws {
    var update = SupportUpdate()
    var comment = SupportCommentOrder()
    comment.body = text
    comment.isPublic = isPublic
    update.comment = comment
    _ = try await support.update(number, update, by: actor)
    try await settle()
  }

  /// What was posted so far: the bodies.
  var posted: [String] { provider.deliveries.map { String(decoding: $0.message.content, as: UTF8.self) } }

  /// The device identifiers that each post named, in order.
  var devicesPosted: [[String]] {
    provider.deliveries.map { delivery in
      (try? JSONValue(parsing: delivery.message.content))?["devices"]?.array?.compactMap { $0["identifier"]?.string }
        ?? []
    }
  }

  func liveDevices(of actor: SupportActor) async throws -> [String] {
    try await support.devices(of: actor.number).filter(\.device.isLive).map(\.device.identifier)
  }
}
