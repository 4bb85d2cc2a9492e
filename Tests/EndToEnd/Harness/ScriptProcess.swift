import Foundation
import JSONEnvelope
import ProcessControl
import StandInSupport
import Synchronization

/// A client that others wrote, in a Python process of its own: a script of this folder. It is told what to do, and tells
/// what happens, by JSON lines. Whoever starts one ends it.
final class ScriptProcess: Sendable {
  let name: String
  private let process: ChildProcess
  private let input: FileHandle
  /// Kept: it is closed when nobody has it.
  private let output: FileHandle
  private let inbox = ScriptInbox()
  private let errorFile: String

  /// - Parameters:
  ///   - script: its path in Tests/EndToEnd.
  ///   - directory: where its standard error is kept.
  init(_ script: String, _ arguments: [String], directory: String) throws {
    name = URL(fileURLWithPath: script).deletingPathExtension().lastPathComponent
    errorFile = "\(directory)/\(name)-\(UUID().uuidString).txt"
    Self.ignoreBrokenPipes
    let (toScript, fromScript) = (try ChildPipe(), try ChildPipe())
    input = FileHandle(fileDescriptor: toScript.writeEnd, closeOnDealloc: true)
    output = FileHandle(fileDescriptor: fromScript.readEnd, closeOnDealloc: true)
    // Only the child holds these two from now on: the end of either side is seen on the other.
    defer { for end in [toScript.readEnd, fromScript.writeEnd] { closePipe(end) } }
    process = try ChildProcess(
      try Self.python(), ["-u", Self.path(script)] + arguments,
      environment: ChildProcess.environment(["NO_PROXY": "localhost,127.0.0.1"]),
      input: .descriptor(toScript.readEnd), output: .descriptor(fromScript.writeEnd), errors: .file(errorFile))
    output.readabilityHandler = { [inbox] handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      inbox.append(data)
    }
  }

  static func python() throws -> String {
    guard let python = StandIn.python else {
      throw EndToEndFailure("no interpreter: run `make test-environment` first")
    }
    return python
  }

  static func path(_ script: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent(script).path
  }

  /// A script that has died is told of by its end, not by a signal to whoever writes to it.
  private static let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  /// What it has written to its standard error.
  var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

  // MARK: Talk

  func send(_ command: JSONValue) throws { try input.write(contentsOf: Data(command.text + [UInt8(ascii: "\n")])) }

  /// The next thing that it tells; nil at its end.
  func nextOrEnd(within timeout: Duration = .seconds(30)) async throws -> JSONValue? {
    let deadline = ContinuousClock.now + timeout
    while true {
      let (event, hasEnded) = inbox.next()
      if let event { return event }
      if hasEnded { return nil }
      guard ContinuousClock.now < deadline else { throw failure("said nothing within \(timeout)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  func next(within timeout: Duration = .seconds(30)) async throws -> JSONValue {
    guard let event = try await nextOrEnd(within: timeout) else { throw failure("has ended") }
    if let text = event["failed"]?.string { throw failure("failed: \(text)") }
    return event
  }

  /// The first event from now on that `isWanted`; those before it are passed over.
  func first(
    within timeout: Duration = .seconds(30), where isWanted: (JSONValue) -> Bool
  ) async throws -> JSONValue {
    let deadline = ContinuousClock.now + timeout
    while true {
      let event = try await next(within: deadline - ContinuousClock.now)
      if isWanted(event) { return event }
    }
  }

  /// What the first event of this kind says.
  func event(_ kind: String, within timeout: Duration = .seconds(30)) async throws -> JSONValue {
    try await first(within: timeout) { $0[kind] != nil }[kind] ?? .null
  }

  /// The answer to a command, from a script that tells nothing else.
  func ask(_ command: JSONValue) async throws -> JSONValue {
    try send(command)
    return try await next()
  }

  // MARK: Ends

  /// Ends its input, which is the order to end.
  func finish() async throws {
    try input.close()
    let status = try await process.status()
    guard status == 0 else { throw failure("ended with \(status)") }
  }

  /// SIGKILL.
  func kill() async { await process.end() }

  /// In order if it can be done soon.
  func end() async {
    try? input.close()
    process.send(signal: SIGTERM)
    _ = try? await process.wait(atMost: .seconds(12))
  }

  private func failure(_ text: String) -> EndToEndFailure {
    EndToEndFailure(
      "\(name) \(text); last it told: \(inbox.last.map { String(decoding: $0.text, as: UTF8.self) } ?? "-")")
  }
}

/// Lines as they come.
private final class ScriptInbox: Sendable {
  private struct State {
    var partial: [UInt8] = []
    var events: [JSONValue] = []
    var taken = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  var last: JSONValue? { state.withLock { $0.events.last } }

  func append(_ data: Data) {
    state.withLock { state in
      state.hasEnded = data.isEmpty
      state.partial += data
      while let end = state.partial.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(state.partial[..<end])
        state.partial.removeFirst(end + 1)
        state.events.append((try? JSONValue(parsing: line)) ?? .string(String(decoding: line, as: UTF8.self)))
      }
    }
  }

  func next() -> (event: JSONValue?, hasEnded: Bool) {
    state.withLock { state in
      guard state.taken < state.events.count else { return (nil, state.hasEnded) }
      state.taken += 1
      return (state.events[state.taken - 1], false)
    }
  }
}
