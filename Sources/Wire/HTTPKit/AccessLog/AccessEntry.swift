import EventSourcing
import JSONEnvelope
import NetworkAddress

/// What is written down of one request: nothing that anybody has said, shown or asked for.
final class AccessEntry {
  /// The client has left before it was answered: what other servers' logs have for that.
  static let departedStatus = 499

  let id: String
  let method: String
  let version: String
  let route: RouteTable.Route
  let remote: IPAddress?
  /// Of the token that was shown; nil without a good one.
  let role: TokenRole?
  let begun: UInt64
  var status: Int?
  /// Of the answer, with its head.
  var bytes = 0

  /// - Parameter begun: nanoseconds of a clock that nobody sets.
  init(
    id: String, method: String, version: String, route: RouteTable.Route, remote: IPAddress?, role: TokenRole?,
    begun: UInt64
  ) {
    (self.id, self.method, self.version, self.route) = (id, method, version, route)
    (self.remote, self.role, self.begun) = (remote, role, begun)
  }

  /// One line of JSON, with its end.
  func line(_ names: [RouteTable.Name], at now: Timestamp, nanoseconds: UInt64) -> [UInt8] {
    JSONWriter.object(capacity: 256) { line in
      line.member("time", now.iso8601Milliseconds)
      line.member("request", id)
      line.member("method", method)
      line.member("route", names[Int(route.number)].template)
      line.member("status", status ?? Self.departedStatus)
      line.member("bytes", bytes)
      line.member("microseconds", Int(clamping: (nanoseconds - min(begun, nanoseconds)) / 1_000))
      line.member("remote", ifPresent: remote.map { "\($0)" })
      line.member("role", ifPresent: role?.rawValue)
      line.member("protocol", version)
    } + [UInt8(ascii: "\n")]
  }

  /// The methods that are told apart: the others may be anything.
  static func method(_ method: String) -> String { methods.contains(method) ? method : "other" }
  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]

  /// Whether an id that a proxy gives is one that logs can hold: up to 64 letters, digits, hyphens, dots, underscores.
  static func isPlain(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
      }
  }
}
