import EventSourcing
import Foundation
import HTTP2Client
import JWTKit
import PushDomain
import Synchronization
import Testing

@testable import PushProviders

@Suite("APNs provider, by its options")
struct APNsProviderTests {
  private let clients = ScriptedClients()
  private let key = ES256PrivateKey().pemRepresentation

  private func provider(lanesMaximum: Int = 8) -> APNsProvider {
    APNsProvider(tokenStore: nil, lanesMaximum: lanesMaximum, random: { 0.5 }) { [clients] _ in clients.make() }
  }

  private var options: [String: String] {
    ["apple.key": key, "apple.key_id": "KEY1234567", "apple.team_id": "TEAM123456", "apple.topic": "com.example.chat"]
  }

  private func changed(_ changes: [String: String]) -> PushOptions {
    PushOptions(options.merging(changes) { $1 }.filter { !$0.value.isEmpty })
  }

  @Test("options are read once for each set of them and each environment, and forgotten when there are too many sets")
  func readings() {
    let count = Mutex(0)
    let readings = OptionReadings { _, _ in
      count.withLock { count in
        count += 1
        return count
      }
    }
    let (production, debug) = (MobileSamples.ios(), MobileSamples.ios(debug: true))
    let set = PushOptions(options)
    let copy = set
    #expect(readings[production, set] == 1)
    #expect(readings[production, copy] == 1)
    #expect(readings[debug, set] == 2)
    #expect(readings[production, PushOptions(options)] == 3)
    for _ in 0..<OptionReadings<Int>.maximum { _ = readings[production, PushOptions()] }
    #expect(readings[production, set] == 4 + OptionReadings<Int>.maximum)
  }

  @Test("with all options set nothing is in the way")
  func complete() { #expect(provider().obstacle(MobileSamples.ios(), PushOptions(options)) == nil) }

  @Test(
    "an obstacle names the option",
    arguments: [
      (["apple.key": ""], "not set: apple.key_file, apple.keystore or apple.certificate_file"),
      (["apple.key_id": ""], "not set: apple.key_id"), (["apple.team_id": ""], "not set: apple.team_id"),
      (["apple.topic": ""], "not set: apple.topic"),
      (["apple.key_file": "/nowhere/x.p8"], "apple.key_file: file cannot be read"),
      (["apple.key": "-----BEGIN"], "apple.key: not a P-256 private key in PEM"),
      (["apple.ca_file": "/nowhere/ca.pem"], "apple.ca_file: file cannot be read"),
      (["apple.push_type": "x"], "apple.push_type: unknown value"),
      (["apple.interruption_level": "x"], "apple.interruption_level: unknown value"),
      (["apple.message_format": "x"], "apple.message_format: unknown value"),
      (["apple.key": "", "apple.keystore": "/nowhere/c.p12"], "apple.keystore: file cannot be read"),
      (["apple.key": "", "apple.certificate_file": "/nowhere/c.pem"], "not set: apple.certificate_key_file"),
      (
        ["apple.key": "", "apple.certificate_file": "/nowhere/c.pem", "apple.certificate_key_file": "/nowhere/k"],
        "apple.certificate_file: file cannot be read"
      ),
    ] as [([String: String], String)])
  func obstacles(changes: [String: String], expected: String) {
    #expect(provider().obstacle(MobileSamples.ios(), changed(changes)) == expected)
  }

  @Test(
    "the real client says which option is wrong",
    arguments: [
      "http://localhost:1", "https://", "nonsense", "https://user@host", "https://host/path",
    ])
  func badURL(url: String) async {
    let provider = APNsProvider(tokenStore: nil)
    let obstacle = provider.obstacle(MobileSamples.ios(), changed(["apple.base_url": url]))
    #expect(obstacle?.hasPrefix("apple.base_url: ") == true)
    await provider.shutdown()
  }

  @Test("what the obstacle was, deliver says as a broken lane")
  func brokenLane() async {
    let message = MobileSamples.message(MobileSamples.ios())
    #expect(
      await provider().deliver(MobileSamples.delivery(message)).isLaneBroken)
    #expect(
      await provider().deliver(
        MobileSamples.delivery(
          message,
          [
            "apple.key": "x", "apple.key_id": "x",
            "apple.team_id": "x", "apple.topic": "x",
          ])) == .laneBroken(reason: "apple.key: not a P-256 private key in PEM"))
  }

  @Test("a lane is a credential, an environment and a topic; its label tells no secret")
  func lanes() {
    let provider = provider()
    let lane = provider.lane(of: MobileSamples.ios(), PushOptions(options))
    #expect(lane.label == "apns:default:production")
    #expect(lane == provider.lane(of: MobileSamples.ios("cd"), changed(["apple.sound": "x"])))
    let others = [
      provider.lane(of: MobileSamples.ios(debug: true), PushOptions(options)),
      provider.lane(of: MobileSamples.ios(provider: "shop"), PushOptions(options)),
      provider.lane(of: MobileSamples.ios(), changed(["apple.topic": "com.example.other"])),
      provider.lane(of: MobileSamples.ios(), changed(["apple.key_id": "OTHER"])),
      provider.lane(of: MobileSamples.ios(), changed(["apple.base_url": "https://localhost"])),
    ]
    #expect(Set(others.map(\.id)).union([lane.id]).count == 6)
    #expect(others[0].label == "apns:default:debug")
    #expect(others[1].label == "apns:shop:production")
    #expect(!lane.id.contains("KEY"))
  }

  @Test("debug targets go to the sandbox, unless the options say where")
  func hosts() throws {
    func url(_ debug: Bool, _ changes: [String: String] = [:]) throws -> String {
      try APNsOptions(MobileSamples.ios(debug: debug), changed(changes)).place.baseURL
    }
    #expect(try url(false) == "https://api.push.apple.com")
    #expect(try url(true) == "https://api.sandbox.push.apple.com")
    #expect(try url(true, ["apple.base_url": "https://relay:9"]) == "https://relay:9")
  }

  @Test(
    "one stream at first with a token, not with a certificate; connections within bounds",
    arguments: [
      ("", 4), ("1", 1), ("16", 16), ("0", 4), ("17", 4), ("x", 4),
    ])
  func place(connections: String, expected: Int) throws {
    let token = try APNsOptions(MobileSamples.ios(), changed(["apple.connections": connections])).place
    #expect(token.startsWithOneStream)
    #expect(token.connectionsMaximum == expected)
    let certificate = try APNsOptions(MobileSamples.ios(), changed(["apple.key": "", "apple.keystore": "a.p12"])).place
    #expect(!certificate.startsWithOneStream)
    #expect(certificate.certificate == .pkcs12(path: "a.p12", password: ""))
  }

  @Test("a reload keeps the lane if the files say the same, and replaces it if not")
  func reload() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString).p8").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(key.utf8).write(to: URL(fileURLWithPath: path))
    let options = options.merging(["apple.key": "", "apple.key_file": path]) { $1 }
    let provider = provider()
    let delivery = MobileSamples.delivery(MobileSamples.message(MobileSamples.ios()), options)
    #expect(await provider.deliver(delivery).isDelivered)
    provider.reload()
    #expect(await provider.deliver(delivery).isDelivered)
    #expect(clients.all.count == 1)

    try Data(ES256PrivateKey().pemRepresentation.utf8).write(to: URL(fileURLWithPath: path))
    #expect(await provider.deliver(delivery).isDelivered, "not read again before the reload")
    #expect(clients.all.count == 1)
    provider.reload()
    #expect(await provider.deliver(delivery).isDelivered)
    #expect(clients.all.count == 2)

    try Data("rubbish".utf8).write(to: URL(fileURLWithPath: path))
    provider.reload()
    #expect(
      provider.obstacle(MobileSamples.ios(), PushOptions(options)) == "apple.key_file: not a P-256 private key in PEM")
    #expect(await provider.deliver(delivery).isLaneBroken)
    await provider.shutdown()
    #expect(clients.all.map(\.closings) == [1, 1])
  }

  @Test("lanes are bounded: the one used longest ago is closed, and made again when it is needed")
  func bounded() async {
    let provider = provider(lanesMaximum: 2)
    for topic in ["a", "b", "a", "c", "b"] {
      let options = options.merging(["apple.topic": topic]) { $1 }
      let delivery = MobileSamples.delivery(MobileSamples.message(MobileSamples.ios()), options)
      #expect(await provider.deliver(delivery).isDelivered)
    }
    #expect(clients.all.count == 4)
    #expect(provider.laneReports.count == 2)
    await provider.shutdown()
    #expect(clients.all.allSatisfy { $0.closings == 1 })
    #expect(provider.obstacle(MobileSamples.ios(), PushOptions(options)) == "shut down")
  }

  @Test("lanes of one team share the provider token")
  func sharedToken() async {
    let provider = provider()
    for topic in ["a", "b"] {
      let options = options.merging(["apple.topic": topic]) { $1 }
      _ = await provider.deliver(MobileSamples.delivery(MobileSamples.message(MobileSamples.ios()), options))
    }
    let tokens = clients.all.map { $0.requests.first?.headers.first { $0.name == "authorization" }?.value }
    #expect(tokens.count == 2)
    #expect(tokens[0] == tokens[1])
    #expect(provider.laneReports.allSatisfy { $0.tokenIssuedAt == mobileNow && $0.connections == 1 })
    await provider.shutdown()
  }

  @Test("a message that can never pass is refused before anything is sent")
  func refused() async {
    let provider = provider()
    let message = MobileSamples.message(MobileSamples.ios("not hex"))
    #expect(
      await provider.deliver(MobileSamples.delivery(message, options))
        == .refused(reason: "device token is not hexadecimal"))
    #expect(clients.all.isEmpty)
    await provider.shutdown()
  }
}

extension PushOutcome {
  var isDelivered: Bool { if case .delivered = self { true } else { false } }
  var isLaneBroken: Bool { if case .laneBroken = self { true } else { false } }
}
