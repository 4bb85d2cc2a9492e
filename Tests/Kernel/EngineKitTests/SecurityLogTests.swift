import Logging
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("Security log")
struct SecurityLogTests {
  private static let first = SecurityLog.Kind("first", "somebody tried the first thing")
  private static let second = SecurityLog.Kind("second", "somebody tried the second thing")

  @Test("has one line a minute for each kind, which says how often it has happened since the one before")
  func throttled() {
    let heard = HeardLog()
    let clock = Mutex<Int64>(1_000)
    let log = SecurityLog(logger: heard.logger) { clock.withLock { $0 } }
    for _ in 1...2_000 { log.note(Self.first, from: "203.0.113.9") }
    log.note(Self.second, from: nil, reason: "expired")
    #expect(
      heard.lines == [
        HeardLog.Line(
          .warning, "security: somebody tried the first thing", ["kind": "first", "address": "203.0.113.9"]),
        HeardLog.Line(
          .warning, "security: somebody tried the second thing", ["kind": "second", "reason": "expired"]),
      ])
    clock.withLock { $0 += SecurityLog.intervalMilliseconds - 1 }
    log.note(Self.first, from: "203.0.113.9")
    #expect(heard.lines.count == 2)
    clock.withLock { $0 += 1 }
    log.note(Self.first, from: "203.0.113.10")
    #expect(heard.lines.count == 3)
    #expect(
      heard.lines.last?.metadata == ["kind": "first", "address": "203.0.113.10", "moreSinceLastLine": "2000"])
    clock.withLock { $0 += SecurityLog.intervalMilliseconds }
    log.note(Self.first, from: nil)
    #expect(heard.lines.last?.metadata == ["kind": "first"])
  }
}
