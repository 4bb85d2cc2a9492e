import EntityRuntime
import EventSourcing
import StandInSupport
import Synchronization
import TestSupport

@testable import HTTPEdge

/// A server whose customers are proven by the tokens of an identity provider of somebody else's making.
final class IdentityRig: Sendable {
  let server: ServerHarness
  let provider: StandIn
  let heard: HeardLog
  private let clock: ClockAhead

  private init(_ server: ServerHarness, _ provider: StandIn, _ heard: HeardLog, _ clock: ClockAhead) {
    self.server = server
    self.provider = provider
    self.heard = heard
    self.clock = clock
  }

  /// From now on the server's clock is so far ahead.
  func setAhead(seconds: Int64) { clock.set(seconds: seconds) }

  /// - Parameter policy: given what the provider has: its directory and the URL of its key set.
  static func run(
    options: [String: [String: String]] = [:],
    policy change: (inout TokenPolicy, _ directory: String, _ url: String) -> Void = { policy, directory, _ in
      policy.keySetFile = directory + "/keys.json"
    }, _ body: (IdentityRig) async throws -> Void
  ) async throws {
    let provider = try await StandIn.start("identity_provider.py")
    defer { provider.stop() }
    let heard = HeardLog()
    let clock = ClockAhead()
    var policy = TokenPolicy()
    policy.keySetPause = .milliseconds(1)
    change(&policy, provider.directory, "http://127.0.0.1:\(provider.port)/keys.json")
    try await ServerHarness.run(
      options: options,
      configure: { [policy] edge in
        edge.identity = .token(policy)
        edge.now = { clock.now }
      }, logger: heard.logger
    ) { server in
      try await body(IdentityRig(server, provider, heard, clock))
    }
  }

  /// A token of the provider's.
  func token(
    _ claims: [String: any Sendable], key: String = "rsa", alg: String = "RS256", kid: String? = nil,
    header: [String: any Sendable] = [:]
  ) async throws -> String {
    var command: [String: any Sendable] = ["sign": claims, "key": key, "alg": alg, "header": header]
    command["kid"] = kid
    return try await provider.answer(to: command)["token"] as? String ?? ""
  }

  /// A good one.
  func token(of user: String) async throws -> String {
    try await token(["sub": user, "exp": "now+600", "iat": "now-1"], kid: "rsa")
  }

  func serve(_ keys: [String]) async throws { _ = try await provider.answer(to: ["serve": keys]) }

  /// What whoever asks for the key set gets; nothing: the key set.
  func answerKeySet(_ answer: [String: any Sendable]) async throws {
    _ = try await provider.answer(to: ["answer": answer])
  }

  /// `GET /devices/1`, which needs a user: status and body.
  func devices(_ headers: String) async throws -> RawClient.Response {
    let client = try await server.connect()
    try await client.get("/devices/1", headers: headers)
    let response = try await client.response()
    await client.close()
    return response
  }

  func devices(bearing token: String) async throws -> RawClient.Response {
    try await devices("Authorization: Bearer \(token)\r\n")
  }

  func lines(_ kind: String) -> [HeardLog.Line] { heard.lines.filter { $0.metadata["kind"] == kind } }
}

/// The time of day, as far ahead as a test wants it.
final class ClockAhead: Sendable {
  private let ahead = Mutex<Int64>(0)

  func set(seconds: Int64) { ahead.withLock { $0 = seconds } }
  func advance(seconds: Int64) { ahead.withLock { $0 += seconds } }

  var now: Timestamp { Timestamp(milliseconds: SystemTime().now.milliseconds + ahead.withLock { $0 } * 1_000) }
}

extension StandIn {
  /// It did not answer.
  private struct Silence: Error {}

  /// What an identity provider says to a command.
  func answer(to command: [String: any Sendable]) async throws -> [String: any Sendable] {
    try send(command)
    while true {
      guard let line = await next() else { throw Silence() }
      // What others have asked it for comes in between.
      if line["asked"] == nil { return line }
    }
  }
}
