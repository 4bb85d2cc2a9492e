import Foundation
import ProcessControl
import Synchronization

/// A server of somebody else's making, in a process of its own: a Python script of `Tests/StandIns`, run by the
/// interpreter of `make test-environment`.
///
/// The script prints `{"ready":PORT, …}` first and then one JSON object in a line for each request that it got; it takes
/// commands as JSON lines on its standard input, and ends when that closes.
public final class StandIn: Sendable {
  public struct Unavailable: Error, CustomStringConvertible {
    public let description: String
  }

  /// What the script said when it was ready: `ready` is its port, the rest is its own.
  public let hello: [String: any Sendable]
  public var port: Int { hello["ready"] as? Int ?? 0 }
  /// A directory of its own, for certificates and keys; removed by `stop`.
  public let directory: String

  private let process: ChildProcess
  private let input: FileHandle
  /// Held: whoever writes into a pipe that nobody reads is ended.
  private let output: FileHandle
  private let lines: LineBuffer

  /// The interpreter with the packages of `make test-environment`; nil if there is none.
  public static var python: String? {
    if let path = ProcessInfo.processInfo.environment["CARILLON_PYTHON"], !path.isEmpty { return path }
    let path = root.appending(path: ".venv/bin/python3").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  /// The top of the project, found from this file.
  private static var root: URL {
    URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  /// Runs a script that is handed over as a text, to its end.
  /// - Throws: `Unavailable` with what it said if it fails.
  public static func run(script: String, _ arguments: [String]) throws {
    guard let python else { throw Unavailable(description: "no interpreter: run `make test-environment` first") }
    let outcome = try ChildProcess.run(python, ["-c", script] + arguments)
    guard outcome.status == 0 else { throw Unavailable(description: String(decoding: outcome.errors, as: UTF8.self)) }
  }

  /// Starts `Tests/StandIns/<script>` and waits until it is ready.
  /// - Throws: `Unavailable` with what the script wrote if it ended or said nothing within 2 minutes.
  public static func start(_ script: String, _ arguments: [String] = []) async throws -> StandIn {
    guard let python else { throw Unavailable(description: "no interpreter: run `make test-environment` first") }
    let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let (input, output) = (try ChildPipe(), try ChildPipe())
    let (writing, reading) = (
      FileHandle(fileDescriptor: input.writeEnd, closeOnDealloc: true),
      FileHandle(fileDescriptor: output.readEnd, closeOnDealloc: true)
    )
    defer { for end in [input.readEnd, output.writeEnd] { closePipe(end) } }
    let process = try ChildProcess(
      python, ["-u", root.appending(path: "Tests/StandIns/\(script)").path, "--directory", directory] + arguments,
      input: .descriptor(input.readEnd), output: .descriptor(output.writeEnd))
    let lines = LineBuffer()
    reading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      lines.append(data)
    }
    guard let first = await lines.next(within: .seconds(120)), let hello = parse(first) else {
      process.endAtOnce()
      throw Unavailable(description: "\(script) did not become ready")
    }
    return StandIn(hello, directory, process, writing, reading, lines)
  }

  private init(
    _ hello: [String: any Sendable], _ directory: String, _ process: ChildProcess, _ input: FileHandle,
    _ output: FileHandle, _ lines: LineBuffer
  ) {
    self.hello = hello
    self.directory = directory
    self.process = process
    self.input = input
    self.output = output
    self.lines = lines
  }

  /// The next line that it printed, parsed; nil if none came in time.
  public func next(within limit: Duration = .seconds(60)) async -> [String: any Sendable]? {
    await lines.next(within: limit).flatMap(Self.parse)
  }

  /// Forgets the lines that nobody has asked for.
  public func forget() { lines.clear() }

  /// A command for the script.
  public func send(_ command: [String: any Sendable]) throws {
    var data = try JSONSerialization.data(withJSONObject: command)
    data.append(10)
    try input.write(contentsOf: data)
  }

  public func stop() {
    try? input.close()
    process.send(signal: SIGTERM)
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: directory)
  }

  private static func parse(_ line: String) -> [String: any Sendable]? {
    (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: any Sendable]
  }
}

/// Lines as they come, and the one who waits for the next.
private final class LineBuffer: Sendable {
  private struct State {
    var partial = Data()
    var lines: [String] = []
    var hasEnded = false
  }

  private let state = Mutex(State())

  func append(_ data: Data) {
    state.withLock { state in
      if data.isEmpty { state.hasEnded = true }
      state.partial.append(data)
      while let end = state.partial.firstIndex(of: 10) {
        state.lines.append(String(decoding: state.partial[state.partial.startIndex..<end], as: UTF8.self))
        state.partial = Data(state.partial[(end + 1)...])
      }
    }
  }

  func clear() { state.withLock { $0.lines.removeAll() } }

  func next(within limit: Duration) async -> String? {
    let deadline = ContinuousClock.now + limit
    while true {
      let (line, hasEnded) = state.withLock { state in
        (state.lines.isEmpty ? nil : state.lines.removeFirst(), state.hasEnded)
      }
      if let line { return line }
      if hasEnded || ContinuousClock.now > deadline { return nil }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }
}
