import BenchReport
import CarillonClient

/// What a browser asks for when somebody opens the console for the first time: the first page, and all that it and its
/// modules name, over one connection after the other answer; bytes and time without any drawing.
struct FirstLoadRun {
  private static let bytesMaximum = 204_800
  private static let millisecondsMaximum = 300.0
  private static let rounds = 20
  /// What the pages may name at most: more is no first load any more.
  private static let filesMaximum = 200

  func measure() async throws -> [Measurement] {
    let server = try await BenchServer.start()
    defer { server.stop() }
    let pool = HTTPPool(server.address)
    defer { pool.shutDown() }
    var nanoseconds: [Int64] = []
    var (bytes, files) = (0, 0)
    for _ in 0..<Self.rounds {
      let began = ContinuousClock.now
      (bytes, files) = try await Self.load(pool)
      nanoseconds.append((ContinuousClock.now - began).wholeNanoseconds)
    }
    let times = LatencyHistogram(nanoseconds)
    return [
      Measurement(
        "console.load.p99", times[99], "ms",
        settings: PushGoal.atMost(Self.millisecondsMaximum, times[99])
          + ", \(files) files one after the other, the slowest of \(Self.rounds)"),
      Measurement(
        "console.load.bytes", Double(bytes), "bytes",
        settings: PushGoal.atMost(Double(Self.bytesMaximum), Double(bytes)) + ", as they go over the wire"),
    ]
  }

  private static func load(_ pool: HTTPPool) async throws -> (bytes: Int, files: Int) {
    var waiting = ["/console/"]
    var known = Set(waiting)
    var bytes = 0
    while let path = waiting.popLast() {
      let response = try await pool.response(to: HTTPRequest(.get, path), timeout: Limits.requestTimeout)
      guard response.status == 200 else { throw BenchError("\(path) was answered with \(response.status)") }
      let body = response.bodyBytes
      bytes += body.count
      for name in named(in: String(decoding: body, as: UTF8.self)) {
        let target = resolved(name, from: path)
        if known.insert(target).inserted { waiting.append(target) }
      }
      guard known.count <= filesMaximum else { throw BenchError("the pages name more than \(filesMaximum) files") }
    }
    return (bytes, known.count)
  }

  /// Relative references: modules' imports, and the page's scripts and style sheets.
  private static func named(in text: String) -> [String] {
    var found: [String] = []
    for (begin, end) in [("from '", "'"), ("from \"", "\""), ("src=\"", "\""), ("href=\"", "\"")] {
      var rest = text[...]
      while let start = rest.firstRange(of: begin) {
        rest = rest[start.upperBound...]
        guard let stop = rest.firstRange(of: end) else { break }
        let name = String(rest[..<stop.lowerBound])
        if name.hasSuffix(".js") || name.hasSuffix(".css") { found.append(name) }
      }
    }
    return found
  }

  private static func resolved(_ name: String, from path: String) -> String {
    guard !name.hasPrefix("/") else { return name }
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    if !path.hasSuffix("/") { parts.removeLast() }
    for part in name.split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }
}
