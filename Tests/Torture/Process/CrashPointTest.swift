import Foundation
import Journal
import JournalFormat
import SimulatedDisk
import SystemPackage
import TestSupport

/// Each named crash point, before, in the middle and after: twice, three times in the long form.
///
/// The names are those that runs of the same story meet: first starts, starts on a torn journal, and life after them.
struct CrashPointTest: TortureTest {
  static let name = "crashpoints"
  static let purpose = "the process dies before, in the middle of and after each kind of disk operation"
  private static let commandCount = 150
  private static let attemptsMaximum = 4

  /// The directory that a victim with a crash point starts on.
  private enum Past: Int, CaseIterable { case none, killed, torn }

  private let plan: Plan
  private let timesForEachPoint: Int
  private let points: [(name: String, moment: CrashPoint.Moment)]

  init(_ plan: Plan) async throws {
    self.plan = plan
    timesForEachPoint = plan.isLong ? 3 : 2
    var names: Set<String> = []
    for past in Past.allCases {
      let place = try Workplace()
      let story = Story(seed: plan.seed ^ UInt64(past.rawValue))
      try await Self.live(through: past, in: place, story)
      let victim = try VictimProcess(directory: place.path)
      try await victim.untilReady()
      await story.play(with: victim, commandCount: Self.commandCount)
      guard case .ok(let counts) = await victim.ask("counts") else { throw ScriptViolation("a victim died by itself") }
      await victim.stop()
      names.formUnion(counts.split(separator: " ").map { String($0.prefix { $0 != "=" }) })
    }
    points = names.sorted().flatMap { name in CrashPoint.Moment.allCases.map { (name, $0) } }
  }

  var caseCount: Int { plan.count(points.count * timesForEachPoint) }

  /// Counts only a run that met its point: what a story does, and how often, depends on the threads.
  func run(_ number: Int) async throws -> CaseResult {
    var result = CaseResult(count: 0)
    let (name, moment) = points[number / timesForEachPoint % points.count]
    for attempt in 0..<Self.attemptsMaximum where result.count == 0 && result.violations.isEmpty {
      let past = Past.allCases[(number + attempt) % Past.allCases.count]
      let point = CrashPoint(name, moment, occurrence: attempt == 0 ? 1 + number % timesForEachPoint : 1)
      let place = try Workplace()
      let story = Story(seed: plan.seed(of: number) ^ UInt64(attempt))
      try await Self.live(through: past, in: place, story)
      let victim = try VictimProcess(directory: place.path, crashPoint: point)
      // It may die in its very start, as it was told.
      try? await victim.untilReady()
      await story.play(with: victim, commandCount: Self.commandCount)
      await victim.stop()
      if victim.wasKilled { result.count += 1 }
      let findings = try await KillTest.findings(in: place, story)
      let wrong = findings + (await story.violations)
      result.violations += wrong.map { "\(point.argument), \(past): \($0)" }
    }
    return result
  }

  private static func live(through past: Past, in place: Workplace, _ story: Story) async throws {
    guard past != .none else { return }
    let victim = try VictimProcess(directory: place.path)
    try await victim.untilReady()
    await story.play(with: victim, commandCount: 30)
    victim.send(signal: SIGKILL)
    await victim.untilGone()
    if past == .torn { try tear(place) }
  }

  /// Noise behind the log, as a write leaves it that was under way.
  private static func tear(_ place: Workplace) throws {
    var end: (segment: UInt64, offset: Int) = (0, 0)
    try JournalReader(directory: place.journal).forEachFrame { frame in
      end = (frame.segmentNumber, frame.offset + frame.header.byteCount)
    }
    let digits = String(end.segment)
    let name = String(repeating: "0", count: 12 - digits.count) + digits + ".segment"
    let file = try DiskStorage().open(place.journal.appending(name), .readWrite)
    defer { file.close() }
    let noise = [UInt8](repeating: 0xA5, count: 700)
    _ = try noise.withUnsafeBytes { try file.write($0, at: end.offset, durably: true) }
  }
}
