import Engine
import GCMProtocol

/// A device that has checked in and registered one app for one sender.
struct BenchDevice: Sendable {
  let credentials: InstallationCredentials
  /// What it is sent to by.
  let token: String

  static let app = "com.example.shop"
  static let sender = "123456789012"
  /// Registrations on their way at a time: each waits for the disk.
  private static let atOnce = 512

  /// Makes devices without a server, in the journal of one that is started later.
  /// - Parameters:
  ///   - topic: they subscribe to it; nil for none.
  ///   - stored: so many messages wait for each of them.
  static func make(
    _ count: Int, in directory: WorkDirectory, topic: String? = nil, stored: Int = 0
  ) async throws -> [BenchDevice] {
    Terminal.note("gcm: registering \(count) devices" + (stored > 0 ? " with \(stored) messages each" : ""))
    return try await BenchEngine(in: directory).during { try await make(count, $0, topic: topic, stored: stored) }
  }

  /// The same, in an engine that runs.
  static func make(
    _ count: Int, _ engine: Engine, topic: String? = nil, stored: Int = 0
  ) async throws -> [BenchDevice] {
    try await withThrowingTaskGroup(of: [BenchDevice].self) { group in
      for lane in 0..<min(count, atOnce) {
        group.addTask {
          var made: [BenchDevice] = []
          for index in stride(from: lane, to: count, by: atOnce) {
            let device = try await make(engine, topic: topic)
            for number in 0..<stored { try await device.store(index * stored + number, engine) }
            made.append(device)
          }
          return made
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private static func make(_ engine: Engine, topic: String?) async throws -> BenchDevice {
    let credentials = try await engine.installations.checkIn(nil)
    let form = RegistrationForm(app: app, senders: [sender], platform: "ANDROID")
    let token = try await engine.installations.register(form, credentials)
    if let topic { _ = try await engine.installations.setTopic(topic, of: token, sender: sender, on: true) }
    return BenchDevice(credentials: credentials, token: token)
  }

  private func store(_ number: Int, _ engine: Engine) async throws {
    let request = try DownstreamRequest(json: BenchMessage.shared.body(number, to: token))
    let answer = try await engine.messaging.send(request, sender: Self.sender)
    guard case .targets(let results) = answer, case .accepted? = results.first else {
      throw BenchError("a message was not stored: \(answer)")
    }
  }
}
