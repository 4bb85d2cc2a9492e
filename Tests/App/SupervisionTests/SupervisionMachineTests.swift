import Testing

@testable import Supervision

@Suite("What a service manager is told, and when")
struct SupervisionMachineTests {
  private static let nowhere = StartProgress(segmentsRead: 0, segmentCount: 0, records: 0)
  private static let midway = StartProgress(segmentsRead: 2, segmentCount: 7, records: 1_200)

  private static func machine(isWatched: Bool = true) -> SupervisionMachine {
    SupervisionMachine(watchdog: isWatched ? WatchdogInterval(environment: ["WATCHDOG_USEC": "30000000"]) : nil)
  }

  private static func serving(isWatched: Bool = true) -> SupervisionMachine {
    var machine = machine(isWatched: isWatched)
    _ = machine.becameReady("serves")
    return machine
  }

  @Test("a start asks for more time with every step forward, and for none while it stands still")
  func starting() {
    var machine = Self.machine()
    let more = ServiceNotice.extendTimeout(SupervisionMachine.standstillMaximum)
    #expect(machine.tick(Self.nowhere, answers: true) == [.status("opening the journal"), more])
    #expect(machine.tick(Self.nowhere, answers: true) == [])
    #expect(
      machine.tick(Self.midway, answers: false)
        == [.status("reading the journal: segment 2 of 7, 1200 records"), more])
    #expect(machine.tick(Self.midway, answers: true) == [], "no sign of life is owed before the start is over")
  }

  @Test("once ready it gives a sign of life while the engine answers, and only then", arguments: [true, false])
  func signsOfLife(answers: Bool) {
    var machine = Self.machine()
    #expect(machine.becameReady("serves") == [.ready, .status("serves"), .watchdog])
    #expect(machine.tick(Self.midway, answers: answers) == (answers ? [.watchdog] : []))
  }

  @Test("who is not watched gives no signs of life")
  func unwatched() {
    var machine = Self.machine(isWatched: false)
    #expect(machine.becameReady("serves") == [.ready, .status("serves")])
    #expect(machine.tick(Self.midway, answers: true) == [])
    _ = machine.stops()
    #expect(machine.tick(Self.midway, answers: true) == [])
  }

  @Test("a reload ends with ready, and a refused configuration is said")
  func reload() {
    let machine = Self.serving()
    let begun = machine.reloads(atMonotonicMicroseconds: 17)
    #expect(begun.first == .reloading(monotonicMicroseconds: 17))
    #expect(machine.reloaded(refused: false) == [.ready, .status("serves")])
    let refused = machine.reloaded(refused: true)
    #expect(refused.first == .ready)
    #expect(refused.last?.description.contains("refused") == true)
  }

  @Test("a reload while it starts is not taken for the end of the start")
  func reloadDuringStart() {
    let machine = Self.machine()
    #expect(machine.reloads(atMonotonicMicroseconds: 17) == [])
    #expect(machine.reloaded(refused: false) == [])
  }

  @Test("a stop is said once; until its end there are signs of life, whether the engine answers or not")
  func stopping() {
    var machine = Self.serving()
    #expect(machine.stops().first == .stopping)
    #expect(machine.stops() == [])
    #expect(machine.tick(Self.midway, answers: false) == [.watchdog])
    #expect(machine.reloaded(refused: false) == [], "what ends is not ready again")
  }

  @Test("a start that is stopped never becomes ready")
  func stoppedStart() {
    var machine = Self.machine()
    #expect(machine.stops().first == .stopping)
    #expect(machine.becameReady("serves") == [])
    #expect(machine.phase == .stopping)
  }
}

@Suite("Who watches a process")
struct WatchdogIntervalTests {
  private struct Row: CustomTestStringConvertible {
    let environment: [String: String]
    let limit: Duration?

    var testDescription: String { "\(environment)" }
  }

  private static let rows = [
    Row(environment: [:], limit: nil),
    Row(environment: ["WATCHDOG_USEC": "30000000"], limit: .seconds(30)),
    Row(environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"], limit: .seconds(30)),
    Row(environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"], limit: nil),
    Row(environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "me"], limit: nil),
    Row(environment: ["WATCHDOG_USEC": "0"], limit: nil),
    Row(environment: ["WATCHDOG_USEC": "-5"], limit: nil),
    Row(environment: ["WATCHDOG_USEC": "soon"], limit: nil),
  ]

  @Test("is read from the environment, and a sign is due after half of the time", arguments: rows)
  private func limit(_ row: Row) {
    let interval = WatchdogInterval(environment: row.environment, process: 42)
    #expect(interval?.limit == row.limit)
    #expect(interval?.pulse == row.limit.map { $0 / 2 })
  }
}
