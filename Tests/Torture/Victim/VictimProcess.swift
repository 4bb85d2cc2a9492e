import Foundation
import ProcessControl
import SimulatedDisk
import Synchronization

/// A victim as its tormentor sees it: commands go in, answers come out, and at any moment it may be dead.
final class VictimProcess: Sendable {
  private struct State {
    var nextNumber = 1
    var waiters: [Int: CheckedContinuation<Answer, Never>] = [:]
    var isReady: Bool?
    var firstLine = ""
    var readyWaiters: [CheckedContinuation<Void, Never>] = []
    var pushes: [String] = []
    var isGone = false
    var exitWaiters: [CheckedContinuation<Void, Never>] = []
  }

  enum Answer: Sendable, Equatable {
    case ok(String)
    case error(String)
    /// It died first: whether it was done, nobody knows.
    case died
  }

  private let process: ChildProcess
  /// Written and closed under the lock: a descriptor that was closed may be another victim's by now. Nil once closed.
  private let input: Mutex<FileHandle?>
  private let state = Mutex(State())

  /// - Throws: if it cannot be started.
  init(directory: String, crashPoint: CrashPoint? = nil) throws {
    let (toVictim, fromVictim) = (try ChildPipe(), try ChildPipe())
    input = Mutex(FileHandle(fileDescriptor: toVictim.writeEnd, closeOnDealloc: true))
    let output = FileHandle(fileDescriptor: fromVictim.readEnd, closeOnDealloc: true)
    // Only the victim holds these two from now on: the end of either side is seen on the other.
    defer { for end in [toVictim.readEnd, fromVictim.writeEnd] { closePipe(end) } }
    process = try ChildProcess(
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path,
      ["victim", "--directory", directory] + (crashPoint.map { ["--crash-point", $0.argument] } ?? []),
      input: .descriptor(toVictim.readEnd), output: .descriptor(fromVictim.writeEnd))
    let thread = Thread { [self] in readAll(output) }
    thread.start()
  }

  var identifier: Int32 { process.pid }

  /// Waits until it has recovered. - Throws: what it said instead.
  func untilReady() async throws {
    await withCheckedContinuation { continuation in
      let isDecided = state.withLock { state in
        if state.isReady == nil { state.readyWaiters.append(continuation) }
        return state.isReady != nil
      }
      if isDecided { continuation.resume() }
    }
    let (isReady, line) = state.withLock { ($0.isReady ?? false, $0.firstLine) }
    if !isReady { throw ScriptViolation("the victim did not start: \(line)") }
  }

  func ask(_ command: String) async -> Answer {
    await withCheckedContinuation { continuation in
      let number = state.withLock { state -> Int? in
        guard !state.isGone else { return nil }
        defer { state.nextNumber += 1 }
        state.waiters[state.nextNumber] = continuation
        return state.nextNumber
      }
      guard let number else { return continuation.resume(returning: .died) }
      // A broken pipe is told by the end of its output.
      input.withLock { try? $0?.write(contentsOf: Data("\(number) \(command)\n".utf8)) }
    }
  }

  /// What went out as pushes so far.
  var pushes: [String] { state.withLock { $0.pushes } }

  /// Whether it ended by a signal; asked once it is gone.
  var wasKilled: Bool { (process.poll() ?? 0) < 0 }

  func send(signal: Int32) { process.send(signal: signal) }

  /// Closes its input, which makes it stop by itself, and waits for its end.
  func stop() async {
    closeInput()
    await untilGone()
  }

  private func closeInput() {
    input.withLock { input in
      try? input?.close()
      input = nil
    }
  }

  /// Waits for its end, and for all that it had said.
  func untilGone() async {
    await withCheckedContinuation { continuation in
      let isGone = state.withLock { state in
        if !state.isGone { state.exitWaiters.append(continuation) }
        return state.isGone
      }
      if isGone { continuation.resume() }
    }
  }

  private func readAll(_ output: FileHandle) {
    var rest = Data()
    while true {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = read(output.fileDescriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      // Nobody hears it any more: it might as well be dead.
      if count < 0 { send(signal: SIGKILL) }
      guard count > 0 else { break }
      let chunk = buffer[..<count]
      rest.append(contentsOf: chunk)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[rest.index(after: end)...])
      }
    }
    process.waitUntilExit()
    try? output.close()
    closeInput()
    end()
  }

  private func take(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    if let number = Int(words[0]), words.count >= 2 {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
      let text = words.count > 2 ? words[2] : ""
      waiter?.resume(returning: words[1] == "ok" ? .ok(text) : .error(text))
    } else if words[0] == "push" {
      state.withLock { $0.pushes.append(line) }
    } else if words[0] == "ready" || words[0] == "refused" || words[0] == "fatal" {
      decide(isReady: words[0] == "ready", line)
    }
  }

  private func decide(isReady: Bool, _ line: String) {
    let waiters = state.withLock { state in
      if state.isReady == nil {
        state.isReady = isReady
        state.firstLine = line
      }
      defer { state.readyWaiters = [] }
      return state.readyWaiters
    }
    for waiter in waiters { waiter.resume() }
  }

  private func end() {
    decide(isReady: false, "it ended with \(abs(process.waitUntilExit()))")
    let (waiters, exits) = state.withLock { state in
      state.isGone = true
      defer {
        state.waiters = [:]
        state.exitWaiters = []
      }
      return (Array(state.waiters.values), state.exitWaiters)
    }
    for waiter in waiters { waiter.resume(returning: .died) }
    for exit in exits { exit.resume() }
  }
}
