import Glibc
import PeerFormats

/// Redis that syncs its append-only file before it answers.
final class RedisServer: Sendable {
  let port: Int
  let process: PeerProcess

  /// Starts it and waits until it takes connections.
  static func start(in directory: WorkDirectory) async throws -> RedisServer {
    let server = try RedisServer(directory)
    try await server.process.waitUntilListening(server.port)
    return server
  }

  private init(_ directory: WorkDirectory) throws {
    port = try BenchServer.freePort()
    process = try PeerProcess(
      try Programs.require("redis-server", package: "redis-server"),
      [
        "--port", "\(port)", "--bind", "127.0.0.1", "--dir", directory.path, "--appendonly", "yes", "--appendfsync",
        "always", "--save", "", "--auto-aof-rewrite-percentage", "0", "--daemonize", "no",
      ], name: "redis", in: directory, endedBy: SIGTERM)
  }

  /// Events a second that `redis-benchmark` adds to 1,000 streams.
  /// - Parameters:
  ///   - connections: clients at the same time.
  ///   - depth: events that each of them has on their way.
  func eventsPerSecond(
    connections: Int, depth: Int, for seconds: Int, in directory: WorkDirectory
  ) async throws -> Double {
    // It counts requests, not seconds: a short run says how many those are.
    let rate = try await added(100 * connections * depth, connections, depth, in: directory)
    return try await added(max(1, Int(rate * Double(seconds))), connections, depth, in: directory)
  }

  private func added(_ count: Int, _ connections: Int, _ depth: Int, in directory: WorkDirectory) async throws -> Double
  {
    let output = try await LoadTool.run(
      try Programs.require("redis-benchmark", package: "redis-tools"),
      [
        "-h", "127.0.0.1", "-p", "\(port)", "-n", "\(count)", "-c", "\(connections)", "-P", "\(depth)", "-r", "1000",
        "--csv", "XADD", "chat:__rand_int__", "*", "e", JournalPayload.text,
      ], in: directory, atMost: Limits.setUpTimeout)
    guard let rate = ToolOutput.redisBenchmark(output), rate > 0 else {
      throw BenchError("redis-benchmark is not understood:\n\(output.suffix(Limits.logTailBytes))")
    }
    return rate
  }
}
