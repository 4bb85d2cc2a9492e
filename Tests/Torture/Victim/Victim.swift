import ChatDomain
import Engine
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import Logging
import PushDomain
import SimulatedDisk
import Synchronization
import SystemPackage

/// A whole engine below the edge in a process of its own, driven by lines, made to be killed.
///
/// A line in: `<number> <verb> <arguments…>`; a line out, once what was asked is durable: `<number> ok <result…>` or
/// `<number> error <text>`. Beside those: `ready <text>`, and `push <chat> <text>` for each push that goes out.
final class Victim: Sendable {
  let engine: Engine
  private let storage: CrashPointStorage
  private let clock: VictimClock
  private let phones = Mutex<[String: VictimPhone]>([:])

  /// Big enough for one append of everything that a short chat holds, small enough to roll all the time.
  private static let segmentByteCount = 64 * 1024

  init(directory: FilePath, crashPoint: CrashPoint?) {
    storage = CrashPointStorage(DiskStorage(), at: crashPoint)
    let clock = VictimClock()
    self.clock = clock
    var configuration = EngineConfiguration(dataDirectory: directory)
    configuration.journal.segmentByteCount = Self.segmentByteCount
    configuration.journal.idleInterval = .milliseconds(50)
    configuration.journal.clock = { clock.now.milliseconds }
    configuration.housekeeping.snapshotInterval = .seconds(1)
    configuration.housekeeping.snapshotRecordsMinimum = 20
    configuration.housekeeping.sleepAfter = .seconds(4)
    configuration.housekeeping.archiveInterval = .seconds(1)
    configuration.housekeeping.segmentBytesMaximum = 3 * Self.segmentByteCount
    configuration.options = Options(sections: [
      "service.at-once": ["_client_timeout_notification": "0"],
      "service.delayed": ["_client_timeout_notification": "2"],
      "push": ["pushEnabled": "comet,test"],
    ])
    var environment = EngineEnvironment()
    environment.storage = storage
    environment.time = clock
    engine = Engine(
      configuration: configuration, environment: environment,
      providers: { $0 == "test" ? VictimCourier() : nil },
      logger: Logger(label: "victim") { _ in SwiftLogNoOpLogHandler() },
      onFatal: { reason in
        Console.say("fatal \(reason)")
        exit(3)
      })
  }

  /// Serves until standard input ends, then stops gracefully.
  func run() async {
    let running = Task { [engine] in await engine.run() }
    do {
      Console.say("ready \(try await engine.recover())")
    } catch {
      Console.say("refused \(error)")
      exit(4)
    }
    await withDiscardingTaskGroup { group in
      for await line in Self.lines() {
        group.addTask { await self.obey(line) }
      }
    }
    await engine.stop(grace: .seconds(2))
    await running.value
    Console.say("stopped")
  }

  private func obey(_ line: String) async {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 2 else { return }
    do {
      Console.say("\(words[0]) ok \(try await perform(words[1], Array(words.dropFirst(2))))")
    } catch {
      Console.say("\(words[0]) error \(error)")
    }
  }

  private func perform(_ verb: String, _ arguments: [String]) async throws -> String {
    switch (verb, arguments.count) {
    case ("chat", 2):
      let service = try await engine.chats.create(service: arguments[0], data: [])
      let reply = try await engine.chats.start(
        service,
        ChatStartRequest(
          userKey: arguments[1], notifiesByComet: true, nickname: "Guest", subject: "Order",
          pushTarget: PushTarget(type: "test", deviceID: "device-\(arguments[1])")))
      return "\(service) \(reply.chatSessionID)"
    case ("say", 2): return "\(try await engine.chats.send(arguments[0], text: arguments[1], by: .house).position)"
    case ("join", 1):
      return "\(try await engine.agents.join(arguments[0], agentID: "k", nickname: "K", role: .agent) ?? 0)"
    case ("answer", 2):
      return "\(try await engine.agents.send(arguments[0], agentID: "k", text: arguments[1]) ?? 0)"
    case ("transcript", 1):
      let transcript = try await engine.agents.transcript(
        arguments[0], after: 0, for: AgentViewer(id: "overseer", isSupervisor: true))
      // Spaces separate, so texts here have none.
      return transcript.lines.map { line in
        "\(line.position.map(String.init) ?? "-")|\(line.content.text.replacingOccurrences(of: " ", with: "_"))"
      }.joined(separator: " ")
    case ("background", 1):
      let phone = VictimPhone(engine, user: arguments[0])
      phones.withLock { $0[arguments[0]] = phone }
      try await phone.goToBackground()
      return "away"
    case ("snapshot", 0): return "\(try await engine.snapshotNow().position)"
    case ("sleep", 0): return "\(await engine.putIdleToSleep(unusedFor: 0))"
    case ("tidy", 0):
      await engine.tidySegments()
      return "tidied"
    case ("redact", 1):
      return "\(try await engine.redactions.redact(subject: arguments[0], by: "operator", reason: "test").records)"
    case ("clock", 1):
      clock.set(arguments[0])
      return "\(clock.now.milliseconds)"
    case ("counts", 0):
      return storage.callCounts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    case ("ping", 0): return "pong"
    default: throw ScriptViolation("unknown command \(verb)")
    }
  }

  static func lines() -> AsyncStream<String> {
    AsyncStream { continuation in
      let thread = Thread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
      thread.start()
    }
  }
}

/// Says what it was given, and that it arrived.
private struct VictimCourier: PushProvider {
  var types: Set<String> { ["test"] }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let text = String(decoding: Array(delivery.message.content), as: UTF8.self)
    Console.say("push \(text.replacingOccurrences(of: " ", with: "_"))")
    return .delivered()
  }
}

/// The machine's clock, which somebody sets while it runs. The monotonic one is nobody's to set.
final class VictimClock: TimeSource {
  private enum Setting { case offset(Int64), frozen(Int64) }

  private let setting = Mutex(Setting.offset(0))
  private let system = SystemTime()

  var now: Timestamp {
    switch setting.withLock({ $0 }) {
    case .offset(let milliseconds): Timestamp(milliseconds: system.now.milliseconds + milliseconds)
    case .frozen(let milliseconds): Timestamp(milliseconds: milliseconds)
    }
  }

  var monotonicMilliseconds: Int64 { system.monotonicMilliseconds }

  /// `frozen`, `1970`, `right`, or an offset in milliseconds.
  func set(_ text: String) {
    let new: Setting =
      switch text {
      case "frozen": .frozen(now.milliseconds)
      case "1970": .offset(-system.now.milliseconds)
      case "right": .offset(0)
      default: .offset(Int64(text) ?? 0)
      }
    setting.withLock { $0 = new }
  }
}
