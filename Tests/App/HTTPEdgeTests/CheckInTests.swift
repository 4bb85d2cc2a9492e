import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Check-in", .timeLimit(.minutes(5)))
struct CheckInTests {
  /// As Chromium sends it: version 3, a browser, no id.
  private static let firstTime: [UInt8] = [0x22, 0x02, 0x60, 0x03, 0x70, 0x03, 0xB0, 0x01, 0x00]

  private static func again(_ id: UInt64, _ token: UInt64) -> [UInt8] {
    [0x10] + varint(id) + [0x69] + withUnsafeBytes(of: token.littleEndian, Array.init) + firstTime
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
  }

  private static let settings = MessagingEdgeSettings(
    publicURL: "https://push.example.com/", deviceHost: "mtalk.example.com", devicePort: 5_229,
    checkInInterval: .seconds(60))

  private func run(
    settings: MessagingEdgeSettings = MessagingEdgeSettings(),
    _ body: (ServerHarness, _ checkIn: ([UInt8]) async throws -> Reply) async throws -> Void
  ) async throws {
    try await ServerHarness.run(messaging: settings) { server in
      let client = try await server.connect()
      try await body(server) { bytes in
        let head =
          "POST /checkin HTTP/1.1\r\nHost: push.test\r\nContent-Type: application/x-protobuf\r\n"
          + "Content-Length: \(bytes.count)\r\n\r\n"
        try await client.write(Array(head.utf8) + bytes)
        return try await Reply(client)
      }
    }
  }

  /// The answer's fields by their numbers: read without the code that wrote them.
  private struct Reply {
    let status: Int
    let type: String?
    var numbers: [Int: UInt64] = [:]
    var settings: [String: String] = [:]

    init(_ client: RawClient) async throws {
      let response = try await client.response(withoutBody: true)
      status = response.status
      type = response.header("Content-Type")
      var bytes = try await client.bytes(count: Int(response.header("Content-Length") ?? "") ?? 0)[...]
      guard status == 200 else { return }
      while !bytes.isEmpty {
        let (field, value, text) = try Self.field(&bytes)
        if let text {
          var rest = text
          var texts: [Int: String] = [:]
          while !rest.isEmpty {
            let (inner, _, name) = try Self.field(&rest)
            texts[inner] = name.map { String(decoding: $0, as: UTF8.self) }
          }
          if field == 5 { settings[texts[1] ?? ""] = texts[2] }
        } else {
          numbers[field] = value
        }
      }
    }

    private static func field(_ bytes: inout ArraySlice<UInt8>) throws -> (Int, UInt64, ArraySlice<UInt8>?) {
      let key = varint(&bytes)
      switch key & 7 {
      case 0: return (Int(key >> 3), varint(&bytes), nil)
      case 1:
        defer { bytes = bytes.dropFirst(8) }
        return (Int(key >> 3), bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }, nil)
      default:
        let length = Int(varint(&bytes))
        defer { bytes = bytes.dropFirst(length) }
        return (Int(key >> 3), 0, bytes.prefix(length))
      }
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while let byte = bytes.popFirst() {
        value |= UInt64(byte & 127) << shift
        shift += 7
        if byte < 128 { break }
      }
      return value
    }
  }

  @Test("a new device gets an identity, and the same one when it shows it")
  func identity() async throws {
    try await run { _, checkIn in
      let first = try await checkIn(Self.firstTime)
      #expect(first.status == 200 && first.type == "application/x-protobuf")
      #expect(first.numbers[1] == 1)
      let id = try #require(first.numbers[7])
      let token = try #require(first.numbers[8])
      #expect(id != 0 && token != 0)
      let second = try await checkIn(Self.again(id, token))
      #expect(second.status == 200 && second.numbers[7] == id && second.numbers[8] == token)
      let another = try await checkIn(Self.firstTime)
      #expect(another.numbers[7] != id)
    }
  }

  @Test("another's identity is not given away")
  func wrongToken() async throws {
    try await run { _, checkIn in
      let id = try #require(try await checkIn(Self.firstTime).numbers[7])
      #expect(try await checkIn(Self.again(id, 1)).status == 401)
      #expect(try await checkIn(Self.again(id, 0)).status == 401)
      #expect(try await checkIn(Self.again(12_345, 67_890)).status == 401)
    }
  }

  @Test("an id of zero is none")
  func zero() async throws {
    try await run { _, checkIn in
      let reply = try await checkIn(Self.again(0, 0))
      #expect(reply.status == 200 && reply.numbers[7] != 0)
    }
  }

  @Test("what is no check-in", arguments: [[0xFF], [0x22, 0x7F], [0x10], Array("id=1".utf8)] as [[UInt8]])
  func malformed(bytes: [UInt8]) async throws {
    try await run { _, checkIn in
      let reply = try await checkIn(bytes)
      #expect(reply.status == 400)
    }
  }

  @Test("a check-in that is too large")
  func tooLarge() async throws {
    try await run { _, checkIn in
      let cookie = [0x5A] + Self.varint(70_000) + [UInt8](repeating: 65, count: 70_000)
      let reply = try await checkIn(cookie)
      #expect(reply.status == 413)
    }
  }

  @Test("the settings steer the device to this server, and not more often than every 12 hours")
  func settings() async throws {
    try await run(settings: Self.settings) { _, checkIn in
      let reply = try await checkIn(Self.firstTime)
      #expect(reply.numbers[9] == 0)
      #expect(
        reply.settings == [
          "checkin_interval": "43200", "checkin_url": "https://push.example.com/checkin",
          "gcm_registration_url": "https://push.example.com/c2dm/register3", "gcm_hostname": "mtalk.example.com",
          "gcm_secure_port": "5229",
        ])
    }
  }

  @Test("without a name of its own the server is where the device has found it; without MCS none is named")
  func unnamed() async throws {
    try await run { _, checkIn in
      let settings = try await checkIn(Self.firstTime).settings
      #expect(settings["checkin_url"] == "http://push.test/checkin" && settings["gcm_hostname"] == nil)
    }
  }

  @Test("the JSON form: the same device, in texts")
  func jsonForm() async throws {
    try await ServerHarness.run(messaging: Self.settings) { server in
      let caller = MessagingCaller(client: try await server.connect())
      let first = try await caller.call("POST", "/device/1/checkin", "{}")
      #expect(first.status == 200)
      #expect(first.json["host"]?.string == "mtalk.example.com" && first.json["port"]?.integer == 5_229)
      let (id, token) = (first.json["id"]?.string ?? "", first.json["securityToken"]?.string ?? "")
      let again = try await caller.call(
        "POST", "/device/1/checkin", #"{"id":"\#(id)","securityToken":"\#(token)"}"#)
      #expect(again.status == 200 && again.json["id"]?.string == id)
      for (body, status) in [
        (#"{"id":"\#(id)","securityToken":"1"}"#, 401), (#"{"id":"\#(id)"}"#, 400), (#"{"id":"x"}"#, 400),
        (#"{"id":5}"#, 400), ("[]", 400),
      ] {
        #expect(try await caller.call("POST", "/device/1/checkin", body).status == status, "\(body)")
      }
    }
  }

  @Test("while the engine does not know its devices yet, nobody is told that it is unknown")
  func recovering() async throws {
    try await ServerHarness.run(recovers: false) { server in
      let caller = MessagingCaller(client: try await server.connect())
      for (method, path) in [
        ("POST", "/checkin"), ("POST", "/device/1/checkin"), ("POST", "/c2dm/register3"), ("POST", "/fcm/send/a:b"),
        ("GET", "/iid/info/a:b"), ("POST", "/v1/projects/p/registrations"), ("POST", "/gcm/notification"),
      ] {
        let answer = try await caller.call(method, path)
        #expect(answer.status == 503 && answer.raw.header("Retry-After") != nil, "\(path)")
      }
    }
  }
}
