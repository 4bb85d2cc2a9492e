import NIOCore
import NIOHTTP1

@testable import HTTPKit

/// How far a connection is when something happens to it.
enum MachineStage: CaseIterable, Sendable {
  /// No request has come yet.
  case fresh
  /// One has been answered.
  case idle
  case receiving
  case poll
  case shortRequest
  case routing
  case stream
  case eventStream
  case writing
  case draining
  case closed

  static let limits = HTTPConnectionLimits(EdgeLimits())
  /// Of its loop, when the head comes.
  static let now: Int64 = 1_000_000

  /// A connection that has come as far.
  var machine: HTTPConnectionMachine {
    var machine = HTTPConnectionMachine(limits: Self.limits)
    for input in inputs { _ = machine.received(input) }
    return machine
  }

  private var inputs: [HTTPConnectionInput] {
    let opened: [HTTPConnectionInput] = [.opened(isStopping: false)]
    let head = opened + [.part(.head(.post(length: 4))), .judged(.welcome)]
    let served = head + [.part(.body(ByteBuffer(string: "body"))), .part(.end(nil))]
    switch self {
    case .fresh: return opened
    case .idle: return served + [.routes, .answers, .written(success: true)]
    case .receiving: return head
    case .poll: return served + [.polls(mayWait: true)]
    case .shortRequest: return served + [.polls(mayWait: false)]
    case .routing: return served + [.routes]
    case .stream:
      return served + [.routes, .streams(hasLength: false, isEventStream: false), .partBegins, .partWritten]
    case .eventStream:
      return served + [.routes, .streams(hasLength: false, isEventStream: true), .partBegins, .partWritten]
    case .writing: return served + [.routes, .answers]
    case .draining: return head + [.refuses, .answers, .written(success: true)]
    case .closed: return opened + [.ended]
    }
  }
}

extension HTTPRequestHead {
  static func get(_ fields: [(String, String)] = [], version: HTTPVersion = .http1_1) -> HTTPRequestHead {
    HTTPRequestHead(version: version, method: .GET, uri: "/", headers: HTTPHeaders([("Host", "x")] + fields))
  }

  static func post(length: Int, _ fields: [(String, String)] = []) -> HTTPRequestHead {
    HTTPRequestHead(
      version: .http1_1, method: .POST, uri: "/",
      headers: HTTPHeaders([("Host", "x"), ("Content-Length", "\(length)")] + fields))
  }
}

extension HTTPHeadVerdict {
  static let welcome = HTTPHeadVerdict(bodyBytesMaximum: 1_000, now: MachineStage.now, bytesRead: 100)
  static let refused = HTTPHeadVerdict(
    bodyBytesMaximum: 1_000, isRefused: true, now: MachineStage.now, bytesRead: 100)
}

extension HTTPConnectionMachine {
  /// All turns that follow of what waits.
  mutating func rest() -> [HTTPConnectionTurn] {
    var turns: [HTTPConnectionTurn] = []
    while let turn = next() { turns.append(turn) }
    return turns
  }
}
