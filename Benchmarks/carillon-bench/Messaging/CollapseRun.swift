import BenchReport
import Engine
import EntityRuntime
import EventSourcing
import GCMProtocol

/// What is left of very many messages that replace each other: four, and what the journal keeps of the others.
struct CollapseRun {
  private static let keys = 4
  private static let atOnce = 64
  private static let warm = 20_000
  let messages: Int

  func measure() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    return try await BenchEngine(in: directory).during { engine in
      guard let device = try await BenchDevice.make(1, engine).first else { throw BenchError("no device") }
      Terminal.note("gcm: \(messages) messages collapse into \(Self.keys) keys")
      // What the engine and its journal need anyway.
      try await send(Self.warm, device, engine)
      let before = try ProcessSample(of: ownPID())
      let journal = Self.journalBytes(directory)
      let start = ContinuousClock.now
      try await send(messages, device, engine)
      let seconds = (ContinuousClock.now - start).inSeconds
      let after = try ProcessSample(of: ownPID())
      let growth = Self.journalBytes(directory) - journal
      let state = try await Self.stateBytes(of: device, engine)
      return [
        Measurement(
          "gcm.collapse.state", Double(state), "bytes",
          settings: "the queue after \(messages) messages in \(Self.keys) collapse keys for one device"),
        Measurement(
          "gcm.collapse.memory", Double(max(0, after.residentBytes - before.residentBytes)), "bytes",
          settings: "growth of resident memory meanwhile; none if what was measured before gives more back"),
        Measurement(
          "gcm.collapse.journal", Double(growth) / Double(messages), "bytes/message", settings: "growth of the journal"),
        Measurement(
          "gcm.collapse.rate", Double(messages) / seconds, "messages/s",
          settings: "without HTTP, \(Self.atOnce) at once, all of them in one queue"),
        Measurement(
          "gcm.collapse.cpu", (after.cpuSeconds - before.cpuSeconds) / Double(messages) * 1e6, "µs/message"),
      ]
    }
  }

  private func send(_ count: Int, _ device: BenchDevice, _ engine: Engine) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<Self.atOnce {
        group.addTask {
          for number in stride(from: lane, to: count, by: Self.atOnce) {
            let body = BenchMessage.shared.body(number, to: device.token, collapseKey: "key-\(number % Self.keys)")
            let answer = try await engine.messaging.send(try DownstreamRequest(json: body), sender: BenchDevice.sender)
            guard case .targets(let results) = answer, case .accepted? = results.first else {
              throw BenchError("a message was not stored: \(answer)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func journalBytes(_ directory: WorkDirectory) -> Int {
    // Segments are made beforehand in their full size: what counts is what is written.
    directory.files(in: JournalRun.folder).reduce(0) { $0 + $1.bytes }
  }

  private static func stateBytes(of device: BenchDevice, _ engine: Engine) async throws -> Int {
    let states = try await engine.capturedStates()
    let queues = states.filter { $0.key.kind == .pushQueue }
    guard let queue = queues.first, queues.count == 1 else { throw BenchError("not one queue but \(queues.count)") }
    return queue.value.image.state.count
  }
}
