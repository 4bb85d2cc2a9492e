import BenchReport
import CarillonClient
import PeerFormats

/// What a browser asks for when an agent opens the console for the first time: the first page, all that it and its
/// modules name, the words of a language and the first screen; over six connections, as browsers do. Bytes and time
/// without any drawing.
struct FirstLoadRun {
  private static let bytesMaximum = 204_800
  private static let millisecondsMaximum = 300.0
  private static let rounds = 20
  /// Requests at a time, each over a connection of its own. Source: what Chromium and Firefox hold to one host.
  private static let connections = 6
  /// What the pages may name at most: more is no first load any more.
  private static let filesMaximum = 200
  private static let index = "/console/"
  /// What modules ask for while they run, one after the other: `core/i18n.js` the words, `shell/screens.js` the screen.
  private static let later = ["i18n/en.js", "agent/inbox.js"]

  func measure() async throws -> [Measurement] {
    let server = try await BenchServer.start()
    return try await server.measuring {
      var nanoseconds: [Int64] = []
      var loaded = Loaded()
      for _ in 0..<Self.rounds {
        // A browser that was never here has no connection, either.
        let pool = HTTPPool(server.address)
        defer { pool.shutDown() }
        let began = ContinuousClock.now
        loaded = try await Self.load(pool)
        nanoseconds.append((ContinuousClock.now - began).wholeNanoseconds)
      }
      let times = LatencyHistogram(nanoseconds)
      let settings = "\(loaded.known.count) files over \(Self.connections) new connections, \(Self.rounds) times"
      return [
        Measurement("console.load.p50", times[50], "ms", settings: settings),
        Measurement(
          "console.load.p99", times[99], "ms",
          settings: PushGoal.atMost(Self.millisecondsMaximum, times[99]) + ", the slowest of them"),
        Measurement(
          "console.load.bytes", Double(loaded.bytes), "bytes",
          settings: PushGoal.atMost(Double(Self.bytesMaximum), Double(loaded.bytes))
            + ", the bodies of \(loaded.known.count) files as they go over the wire"),
      ]
    }
  }

  private struct Loaded {
    var known: Set<String> = []
    var bytes = 0
  }

  private static func load(_ pool: HTTPPool) async throws -> Loaded {
    var loaded = Loaded()
    try await load([index], pool, &loaded)
    guard let app = loaded.known.first(where: { $0.hasSuffix("/app.js") }) else {
      throw BenchError("\(index) does not lead to app.js")
    }
    for name in later { try await load([PageReferences.path(of: name, in: app)], pool, &loaded) }
    return loaded
  }

  /// Files and all that they lead to, each as soon as it is known and a connection is free.
  private static func load(_ paths: [String], _ pool: HTTPPool, _ loaded: inout Loaded) async throws {
    var waiting = paths.filter { loaded.known.insert($0).inserted }
    try await withThrowingTaskGroup(of: (path: String, body: [UInt8]).self) { group in
      var running = 0
      while running > 0 || !waiting.isEmpty {
        while running < connections, !waiting.isEmpty {
          let path = waiting.removeFirst()
          group.addTask { (path, try await get(path, pool)) }
          running += 1
        }
        guard let (path, body) = try await group.next() else { return }
        running -= 1
        loaded.bytes += body.count
        for name in references(in: body, at: path) where loaded.known.insert(name).inserted { waiting.append(name) }
        guard loaded.known.count <= filesMaximum else {
          throw BenchError("the pages name more than \(filesMaximum) files")
        }
      }
    }
  }

  private static func get(_ path: String, _ pool: HTTPPool) async throws -> [UInt8] {
    let response = try await pool.response(to: HTTPRequest(.get, path), timeout: Limits.requestTimeout)
    guard response.status == 200 else { throw BenchError("\(path) was answered with \(response.status)") }
    return Array(response.bodyBytes)
  }

  private static func references(in body: [UInt8], at path: String) -> [String] {
    let text = String(decoding: body, as: UTF8.self)
    let names =
      if path.hasSuffix("/") { PageReferences.inPage(text) } else if path.hasSuffix(".js") {
        PageReferences.inModule(text)
      } else { [String]() }
    return names.map { PageReferences.path(of: $0, in: path) }
  }
}
