import JSONEnvelope
import Testing

@testable import HTTPEdge

/// An agent's socket in the test's hands.
final class AgentSocketCaller {
  static let upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

  let client: RawClient
  /// Events that came before something else.
  private(set) var events: [JSONValue] = []

  /// - Parameter token: shown by the upgrade; nil for a page's.
  init(_ server: ServerHarness, token: String?, query: String = "") async throws {
    client = try await server.connect()
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    try await client.get("/agent/1/socket\(query)", headers: Self.upgrade + authorization)
    #expect(try await client.response(withoutBody: true).status == 101)
  }

  /// A client's frame.
  static func frame(_ opcode: UInt8, _ payload: [UInt8], isMasked: Bool = true) -> [UInt8] {
    let bit: UInt8 = isMasked ? 0x80 : 0
    let length: [UInt8] =
      switch payload.count {
      case ..<126: [bit | UInt8(payload.count)]
      case ..<65_536: [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
      default: [bit | 127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 255) }
      }
    let mask: [UInt8] = isMasked ? [1, 2, 3, 4] : []
    return [0x80 | opcode] + length + mask
      + (isMasked ? payload.enumerated().map { $1 ^ mask[$0 % 4] } : payload)
  }

  func say(_ text: String) async throws { try await client.write(Self.frame(1, Array(text.utf8))) }

  /// The server's next frame.
  func next() async throws -> (opcode: UInt8, payload: [UInt8]) {
    let start = try await client.bytes(count: 2)
    var length = Int(start[1])
    if length >= 126 {
      length = try await client.bytes(count: length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
    }
    return (start[0] & 15, length == 0 ? [] : try await client.bytes(count: length))
  }

  /// The next answer; events that come before it are kept.
  func answer() async throws -> JSONValue {
    while true {
      let (opcode, payload) = try await next()
      guard opcode != 8 else { throw RawClient.ClosedEarly() }
      guard opcode == 1 else { continue }
      let message = try JSONValue(parsing: payload)
      guard message["event"] != nil else { return message }
      events.append(message)
    }
  }

  func ask(_ text: String) async throws -> JSONValue {
    try await say(text)
    return try await answer()
  }

  /// The next event of a name, of those that have come and those that come.
  func event(_ name: String) async throws -> JSONValue {
    while true {
      while !events.isEmpty {
        let event = events.removeFirst()
        if event["event"]?.string == name { return event }
      }
      let (opcode, payload) = try await next()
      guard opcode != 8 else { throw RawClient.ClosedEarly() }
      if opcode == 1 { events.append(try JSONValue(parsing: payload)) }
    }
  }

  /// Why the server closes, whatever comes before.
  func closeCode() async throws -> Int {
    while true {
      let (opcode, payload) = try await next()
      if opcode == 8 { return Int(payload[0]) << 8 | Int(payload[1]) }
    }
  }
}
