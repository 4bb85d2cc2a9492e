import Engine
import Logging
import PushDomain
import PushProviders
import SystemPackage

/// A real engine on a real journal with the real providers behind it: a server without its edge.
final class PushWorld: Sendable {
  let engine: Engine
  /// Before the provider of the type `ios`, if it was asked for.
  let watch: DeliveryWatch?
  private let directory: WorkDirectory
  private let apns: APNsProvider
  private let courier: WebhookCourier
  private let running: Task<Void, Never>

  /// Opens an empty one.
  /// - Parameters:
  ///   - push: the options of section `push`.
  ///   - isWatched: what the provider of `ios` is handed is written down.
  static func open(push: [String: String], isWatched: Bool = false) async throws -> PushWorld {
    // Before the first counter is made.
    _ = SettledPushes.shared
    let world = try PushWorld(push, isWatched)
    _ = try await world.engine.recover()
    return world
  }

  private init(_ push: [String: String], _ isWatched: Bool) throws {
    directory = try WorkDirectory()
    var configuration = EngineConfiguration(dataDirectory: FilePath(directory.path + "/data"))
    configuration.options = Options(sections: [
      "service.request-chat": ["_client_timeout_notification": "0"],
      "push": push.merging(["pushEnabled": "comet,ios,httpcb"]) { own, _ in own },
    ])
    let courier = WebhookCourier()
    let apns = APNsProvider(tokenStore: FileProviderTokenStore(directory: directory.path + "/tokens"))
    let watch = isWatched ? DeliveryWatch(apns) : nil
    let table = ProviderTable([watch ?? apns as any PushProvider, HTTPCallbackProvider(courier: courier)])
    let engine = Engine(
      configuration: configuration, providers: { table[$0] },
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      onFatal: { Terminal.note("the engine failed: \($0)") })
    (self.courier, self.apns, self.watch, self.engine) = (courier, apns, watch, engine)
    running = Task { await engine.run() }
  }

  func close() async {
    await engine.stop(grace: Limits.drainTimeout)
    await running.value
    await apns.shutdown()
    await courier.shutdown()
  }

  /// Runs `work` and closes the world, however it ends.
  func during<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
      let result = try await work()
      await close()
      return result
    } catch {
      await close()
      throw error
    }
  }

  /// Waits until all that was appended to the journal is durable.
  func untilJournalSettled() async throws {
    while !engine.isJournalSettled { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// The options of an APNs lane whose Apple is `peer`.
  static func apnsOptions(_ peer: Nghttpd) -> [String: String] {
    [
      "apple.key_file": peer.key, "apple.key_id": "BENCHKEY01", "apple.team_id": "BENCHTEAM1",
      "apple.topic": "com.example.app", "apple.base_url": peer.baseURL, "apple.ca_file": peer.certificate,
      "apple.sound": "default",
    ]
  }

  /// The options of webhooks to receivers on this machine, signed.
  static let webhookOptions = [
    "httpcb.allow_private_addresses": "true",
    "webhooks.secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr",
  ]
}
