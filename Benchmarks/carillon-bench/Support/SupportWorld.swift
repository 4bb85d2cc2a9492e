import Engine
import PushProviders

/// An engine that takes support requests, on a real journal, with the real courier of webhooks behind it.
final class SupportWorld: Sendable {
  static let app = "bench"
  private static let atOnce = 512

  private let bench: BenchEngine
  private let courier: WebhookCourier
  var engine: Engine { bench.engine }

  /// Somebody who has signed in.
  struct User: Sendable {
    let actor: SupportActor
    let token: String
  }

  private init(_ directory: WorkDirectory, _ sections: [String: [String: String]]) {
    let courier = WebhookCourier()
    let table = ProviderTable([SupportWebhookProvider(courier: courier)])
    bench = BenchEngine(in: directory, sections, keepsHouse: false, providers: { table[$0] })
    self.courier = courier
  }

  /// Runs `work` in an engine on this directory, and stops it, however that ends.
  static func during<Result>(
    in directory: WorkDirectory, _ sections: [String: [String: String]],
    _ work: (SupportWorld) async throws -> Result
  ) async throws -> Result {
    let world = SupportWorld(directory, sections)
    do {
      let result = try await world.bench.during { _ in try await work(world) }
      await world.courier.shutdown()
      return result
    } catch {
      await world.courier.shutdown()
      throw error
    }
  }

  /// The options of the app: notifications go to `webhook`, signed; nil sends none.
  static func sections(webhook: String?) -> [String: [String: String]] {
    guard let webhook else { return ["support.app.\(app)": ["integration": "none"]] }
    return [
      "support.app.\(app)": ["integration": "webhook", "webhook_url": webhook, "test": "true"],
      "push.provider.\(app)": [
        "webhooks.allow_private": "127.0.0.1",
        "webhooks.secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr",
      ],
    ]
  }

  /// Does something for each number, many at a time: what waits for the disk waits together.
  func each<Result: Sendable>(
    _ numbers: Range<Int>, _ work: @escaping @Sendable (_ number: Int) async throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: [(Int, Result)].self) { group in
      for worker in 0..<min(numbers.count, Self.atOnce) {
        group.addTask {
          var results: [(Int, Result)] = []
          for number in stride(from: numbers.lowerBound + worker, to: numbers.upperBound, by: Self.atOnce) {
            results.append((number, try await work(number)))
          }
          return results
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  func signIn(_ count: Int) async throws -> [User] {
    try await each(0..<count) { [engine] number in
      let token = try await engine.support.signIn(
        anonymous: "guid-\(number)", name: "Customer \(number)", email: nil, app: Self.app)
      guard let actor = engine.support.endUser(bearing: token) else { throw BenchError("a token opens nothing") }
      return User(actor: actor, token: token)
    }
  }

  /// A request as an app makes it. - Returns: its number.
  func create(_ text: String, by user: SupportActor) async throws -> Int64 {
    var order = SupportRequestOrder()
    order.subject = "Order"
    order.comment.body = text
    return try await engine.support.create(order, by: user).number
  }

  func comment(_ text: String, on request: Int64, by actor: SupportActor) async throws {
    var comment = SupportCommentOrder()
    comment.body = text
    var update = SupportUpdate()
    update.comment = comment
    _ = try await engine.support.update(request, update, by: actor)
  }

  func register(_ token: String, _ type: String, of user: SupportActor) async throws {
    _ = try await engine.support.registerDevice(
      identifier: token, type: type, locale: "en-us", tokenType: nil, by: user)
  }
}
