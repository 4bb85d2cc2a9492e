import NIOHPACK
import StandInSupport
import Synchronization
import Testing

@testable import HTTP2Client

/// `h2_faults.py` and everything that it said so far.
final class FaultyServer: Sendable {
  struct Silent: Error {}

  let standIn: StandIn
  private let lines = Mutex<[Line]>([])

  struct Line: Sendable {
    let fields: [String: any Sendable]
    var event: String? { fields["event"] as? String }
    var request: String? { fields["request"] as? String }
    var connection: Int { fields["connection"] as? Int ?? 0 }
    var isProcessed: Bool { fields["processed"] as? Bool ?? false }
    func number(_ name: String) -> Int { fields[name] as? Int ?? -1 }
    func text(_ name: String) -> String? { fields[name] as? String }
  }

  init(_ more: [String] = [], mode: String = "h2", rules: String = "{}") async throws {
    standIn = try await StandIn.start("h2_faults.py", ["--mode", mode, "--rules", rules] + more)
  }

  deinit { standIn.stop() }

  var port: Int { standIn.port }
  func fact(_ name: String) -> Int? { standIn.hello[name] as? Int }
  func tell(_ command: [String: any Sendable]) throws { try standIn.send(command) }

  func file(_ name: String) -> String { standIn.hello[name] as? String ?? "" }

  /// Settings that reach this server and trust it, however busy the machine is.
  func settings(_ change: (inout HTTP2Settings) -> Void = { _ in }) throws -> HTTP2Settings {
    var settings = try HTTP2Settings(baseURL: "https://127.0.0.1:\(standIn.port)")
    settings.serverName = "localhost"
    settings.caFile = file("ca")
    settings.connectTimeout = .seconds(60)
    change(&settings)
    return settings
  }

  func origin(_ change: (inout HTTP2Settings) -> Void = { _ in }) throws -> HTTP2Origin {
    try HTTP2Origin(settings(change))
  }

  /// The first line, said already or within the limit, that is as asked.
  @discardableResult
  func line(_ what: String = "", within limit: Duration = .seconds(60), _ isIt: (Line) -> Bool) async throws -> Line {
    var seen = 0
    while true {
      if let found = lines.withLock({ lines in
        defer { seen = lines.count }
        return lines.dropFirst(seen).first(where: isIt)
      }) {
        return found
      }
      guard let next = await standIn.next(within: limit) else { throw Silent() }
      lines.withLock { $0.append(Line(fields: next)) }
    }
  }

  func requested(_ id: String) async throws -> Line { try await line { $0.request == id } }

  /// Waits until it has got so many requests in all.
  func requests(_ count: Int) async throws {
    var seen = 0
    try await line {
      if $0.request != nil { seen += 1 }
      return seen == count
    }
  }

  /// What it counted since the last report; everything it said before is in `all` then.
  func report() async throws -> Line {
    let number = Int.random(in: 1...Int(Int32.max))
    try standIn.send(["report": number])
    return try await line { $0.number("report") == number }
  }

  var all: [Line] { lines.withLock { $0 } }
  var connectionsMade: Int { all.count { $0.event == "connected" } }
}

extension HTTP2Request {
  /// - Parameter fault: what the stand-in is to do with it.
  static func push(_ id: String, _ fault: String = "", body: Int = 20) -> HTTP2Request {
    HTTP2Request(
      path: "/3/device/\(id)", headers: ["x-id": id, "x-fault": fault], body: [UInt8](repeating: 0x7B, count: body))
  }
}

extension HTTP2Outcome {
  /// One word and the reason, to compare with.
  var summary: String {
    switch self {
    case .answered(let response): "answered \(response.status)"
    case .unprocessed(let reason, let isTransport): "\(isTransport ? "transport" : "unprocessed"): \(reason)"
    case .unknown(let reason): "unknown: \(reason)"
    case .unusable(let reason): "unusable: \(reason)"
    case .calm(let reason): "calm: \(reason)"
    }
  }

  var response: HTTP2Response? {
    if case .answered(let response) = self { response } else { nil }
  }
}

/// Sends many at once and gives the outcomes in the order asked.
func sendAll(_ requests: [HTTP2Request], over origin: HTTP2Origin) async -> [HTTP2Outcome] {
  await withTaskGroup(of: (Int, HTTP2Outcome).self) { group in
    for (index, request) in requests.enumerated() { group.addTask { (index, await origin.send(request)) } }
    var outcomes: [Int: HTTP2Outcome] = [:]
    for await (index, outcome) in group { outcomes[index] = outcome }
    return requests.indices.compactMap { outcomes[$0] }
  }
}

func check(_ outcome: HTTP2Outcome, _ summary: String, at place: SourceLocation = #_sourceLocation) {
  #expect(outcome.summary == summary, sourceLocation: place)
}

/// Waits for what only the origin's own numbers show.
func until(_ isTrue: () -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while !isTrue() {
    guard ContinuousClock.now < deadline else { throw FaultyServer.Silent() }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// One at a time: they count streams and milliseconds on a machine that has other things to do.
@Suite("HTTP/2 client", .serialized) struct HTTP2Tests {}
