import Journal
import JournalFormat
import StandbyFollower
import StandbyWire
import SystemPackage
import Testing

/// Given what has happened, when something comes, then exactly this is done.
@Suite("The plan of a standby")
struct FollowerPlanTests {
  private typealias Input = FollowerPlan.Input
  private typealias Action = FollowerPlan.Action

  // MARK: What there is

  private static func id(_ number: UInt64, journal: UInt64 = 1) -> SegmentID { SegmentID(high: journal, low: number) }

  private static func end(
    _ segment: UInt64, _ offset: Int = 5000, position: UInt64 = 10, of journal: UInt64 = 1, isSealed: Bool = false
  ) -> CopyEnd {
    CopyEnd(
      segment: segment, segmentID: id(segment, journal: journal), offset: offset, position: position, chainHash: .zero,
      epoch: 1, isSealed: isSealed)
  }

  private static func journal(
    _ numbers: ClosedRange<UInt64>, _ end: CopyEnd, of journal: UInt64 = 1, epoch: UInt32 = 1
  ) -> FollowedJournal {
    FollowedJournal(
      segments: numbers.map { SegmentName(number: $0, id: id($0, journal: journal)) }, end: end,
      epoch: JournalEpoch(role: .standby, own: epoch, told: epoch))
  }

  private static func file(_ path: StandbyPath) -> StandbyFile { StandbyFile(path, byteCount: 100, version: "1") }

  private static let blob = file(.blob(String(repeating: "a", count: 64)))
  private static let snapshot = file(.snapshot(position: 7))

  private static func segment(_ number: UInt64, _ isSealed: Bool, isPacked: Bool = false) -> StandbyManifest.Segment {
    StandbyManifest.Segment(
      id: id(number), file: file(.segment(number: number, isPacked: isPacked, isArchived: false)), isSealed: isSealed)
  }

  /// All segments of a range, the last of which grows.
  private static func manifest(
    _ numbers: ClosedRange<UInt64>, offset: Int = 9000, position: UInt64 = 100, epoch: UInt32 = 1
  ) -> StandbyManifest {
    StandbyManifest(
      identity: JournalIdentity(oldestSegment: numbers.lowerBound, oldestID: id(numbers.lowerBound)), epoch: epoch,
      place: StandbyPlace(segment: numbers.upperBound, offset: offset), position: position,
      segments: numbers.map { segment($0, $0 < numbers.upperBound) }, files: [blob, snapshot], next: nil)
  }

  private static func work(
    _ target: FollowerWork.Target, _ files: [StandbyFile] = [blob], _ segments: [StandbyManifest.Segment] = [],
    epoch: UInt32 = 1
  ) -> Action {
    .fetch(FollowerWork(target: target, epoch: epoch, files: files, segments: segments))
  }

  private static func stream(_ segment: UInt64, _ offset: Int, chain: Hash256? = .zero) -> Action {
    .stream(StandbyPlace(segment: segment, offset: offset), chain: chain)
  }

  private struct Row {
    let name: String
    let allowsNewCopy: Bool
    let given: [Input]
    let when: Input
    let then: Action

    init(_ name: String, allowsNewCopy: Bool = false, given: [Input] = [], when: Input, then: Action) {
      (self.name, self.allowsNewCopy, self.given, self.when, self.then) = (name, allowsNewCopy, given, when, then)
    }
  }

  private func check(_ rows: [Row]) {
    for row in rows {
      var plan = FollowerPlan(allowsNewCopy: row.allowsNewCopy)
      for input in row.given { _ = plan.received(input) }
      #expect(plan.received(row.when) == row.then, "\(row.name)")
    }
  }

  // MARK: Tables

  @Test("begins with a look at the primary, unless the directory is a primary's")
  func start() {
    let promoted = JournalEpoch(role: .primary, own: 2, told: 2)
    check([
      Row("an empty directory", when: .started(FollowedJournal()), then: .look),
      Row("a copy", when: .started(Self.journal(1...3, Self.end(3))), then: .look),
      Row("promoted", when: .started(FollowedJournal(epoch: promoted)), then: .end(.isPrimary)),
      Row(
        "a journal that nobody ever made a standby's",
        when: .started(FollowedJournal(segments: [SegmentName(number: 1, id: Self.id(1))])), then: .end(.isPrimary)),
      Row("in use", when: .failed(.locked(directory: "/d")), then: .end(.journal(.locked(directory: "/d")))),
      Row("a full disk", when: .failed(.storageFull), then: .end(.journal(.storageFull))),
    ])
  }

  @Test("says by the manifest what to fetch, and refuses what is not its journal")
  func manifests() {
    let copy = Input.started(Self.journal(3...5, Self.end(5)))
    let other = Input.started(Self.journal(3...5, Self.end(5), of: 2))
    var parted = Self.manifest(1...6)
    parted.segments[4] = StandbyManifest.Segment(
      id: Self.id(5, journal: 9), file: parted.segments[4].file, isSealed: true)
    check([
      Row(
        "nothing here yet", given: [.started(FollowedJournal())], when: .manifest(Self.manifest(1...3)),
        then: Self.work(
          .newCopy(isFresh: true), [Self.blob, Self.snapshot], [Self.segment(1, true), Self.segment(2, true)])),
      Row("goes on", given: [copy], when: .manifest(Self.manifest(1...6)), then: Self.work(.inPlace)),
      Row(
        "goes on, the primary has deleted some", given: [copy], when: .manifest(Self.manifest(5...6)),
        then: Self.work(.inPlace)),
      Row(
        "nothing shows that it is the same journal", given: [copy], when: .manifest(Self.manifest(6...7)),
        then: .end(.nothingInCommon)),
      Row(
        "the primary keeps less than is needed, and is said to be the same journal", allowsNewCopy: true,
        given: [copy], when: .manifest(Self.manifest(6...7)),
        then: Self.work(.newCopy(isFresh: true), [Self.blob, Self.snapshot], [Self.segment(6, true)])),
      Row(
        "another journal, whatever is said", allowsNewCopy: true, given: [other], when: .manifest(Self.manifest(1...6)),
        then: .end(.otherJournal)),
      Row(
        "a journal that ends before this one begins, whatever is said", allowsNewCopy: true, given: [copy],
        when: .manifest(Self.manifest(1...2)), then: .end(.otherJournal)),
      Row(
        "another journal while a copy is made",
        given: [
          .started(FollowedJournal()), .manifest(Self.manifest(1...3)), .fetched(Self.end(2, of: 2, isSealed: true)),
        ], when: .manifest(Self.manifest(1...3)), then: .end(.otherJournal)),
      Row("another journal", given: [other], when: .manifest(Self.manifest(1...6)), then: .end(.otherJournal)),
      Row(
        "a journal that ends before this one begins", given: [copy], when: .manifest(Self.manifest(1...2)),
        then: .end(.otherJournal)),
      Row("the same up to a place", given: [copy], when: .manifest(parted), then: .end(.parted)),
      Row(
        "ahead of its primary, by bytes", given: [copy], when: .manifest(Self.manifest(1...5, offset: 4999)),
        then: .end(.ahead(position: 10, primary: 100))),
      Row(
        "ahead of its primary, by records", given: [copy], when: .manifest(Self.manifest(1...6, position: 9)),
        then: .end(.ahead(position: 10, primary: 9))),
      Row(
        "a later epoch", given: [copy], when: .manifest(Self.manifest(1...6, epoch: 4)),
        then: Self.work(.inPlace, epoch: 4)),
      Row(
        "a primary of an earlier epoch", given: [.started(Self.journal(3...5, Self.end(5), epoch: 2))],
        when: .manifest(Self.manifest(1...6, epoch: 1)), then: .end(.formerPrimary(epoch: 1, known: 2))),
    ])
  }

  @Test("asks for the stream from where the copy ends")
  func streams() {
    let copy = Input.started(Self.journal(3...5, Self.end(5)))
    let look = Input.manifest(Self.manifest(3...6))
    check([
      Row(
        "within a segment", given: [copy, look], when: .fetched(Self.end(5)), then: Self.stream(5, 5000)),
      Row(
        "behind a segment", given: [copy, look], when: .fetched(Self.end(5, isSealed: true)), then: Self.stream(6, 0)),
      Row(
        "behind the last segment that the primary has", given: [copy, .manifest(Self.manifest(3...5))],
        when: .fetched(Self.end(5, isSealed: true)), then: Self.stream(5, 5000)),
      Row(
        "nothing here, one segment there", given: [.started(FollowedJournal()), .manifest(Self.manifest(1...1))],
        when: .fetched(nil), then: Self.stream(1, 0)),
      Row(
        "nothing here, one segment there whose beginning was deleted",
        given: [.started(FollowedJournal()), .manifest(Self.manifest(7...7))], when: .fetched(nil),
        then: Self.stream(7, 0, chain: nil)),
    ])
  }

  @Test("puts a new copy in its place once it has come as far as the primary was, and not before")
  func exchange() {
    let copying: [Input] = [
      .started(FollowedJournal()), .manifest(Self.manifest(1...3)), .fetched(Self.end(2, isSealed: true)),
    ]
    check([
      Row("not all of the bytes", given: copying, when: .synced(Self.end(3, 8999, position: 100)), then: .proceed),
      Row("not all of the records", given: copying, when: .synced(Self.end(3, 9000, position: 99)), then: .proceed),
      Row("all", given: copying, when: .synced(Self.end(3, 9000, position: 100)), then: .exchange),
      Row(
        "a copy that is in its place",
        given: [.started(Self.journal(1...3, Self.end(3))), .manifest(Self.manifest(1...3))],
        when: .synced(Self.end(3, 9000, position: 100)), then: .proceed),
      Row(
        "is looked at like any other", given: copying + [.synced(Self.end(3, 9000, position: 100))],
        when: .exchanged(Self.journal(1...3, Self.end(3, 9000, position: 100))), then: .look),
      Row(
        "goes on after the connection broke", given: copying + [.unreachable], when: .manifest(Self.manifest(1...4)),
        then: Self.work(.newCopy(isFresh: false), [Self.blob, Self.snapshot])),
      Row(
        "is begun anew where the primary has deleted what comes next", given: copying,
        when: .manifest(Self.manifest(5...6)),
        then: Self.work(.newCopy(isFresh: true), [Self.blob, Self.snapshot], [Self.segment(5, true)])),
    ])
  }

  @Test("fetches segments as files where the stream does not begin so early any more")
  func notKept() {
    let given: [Input] = [
      .started(Self.journal(3...4, Self.end(4))), .manifest(Self.manifest(3...6)), .fetched(Self.end(4)),
    ]
    let files = Self.work(.inPlace, [Self.blob], [Self.segment(4, true), Self.segment(5, true)])
    check([
      Row("looks", given: given, when: .refused(.notKept), then: .look),
      Row("fetches", given: given + [.refused(.notKept)], when: .manifest(Self.manifest(3...6)), then: files),
      Row(
        "takes the stream again behind them", given: given + [.refused(.notKept), .manifest(Self.manifest(3...6))],
        when: .fetched(Self.end(5, isSealed: true)), then: Self.stream(6, 0)),
      Row(
        "pauses if it comes to nothing",
        given: given + [.refused(.notKept), .manifest(Self.manifest(3...6)), .fetched(Self.end(4))],
        when: .refused(.notKept), then: .pause(.milliseconds(400))),
    ])
  }

  @Test("tells what another try mends from what none does")
  func refusals() {
    let given: [Input] = [
      .started(Self.journal(3...5, Self.end(5), epoch: 2)), .manifest(Self.manifest(3...6, epoch: 2)),
      .fetched(Self.end(5)),
    ]
    let first = Action.pause(.milliseconds(100))
    check([
      Row("parted", given: given, when: .refused(.parted), then: .end(.parted)),
      Row("ahead", given: given, when: .refused(.ahead), then: .end(.ahead(position: 10, primary: 100))),
      Row("relieved", given: given, when: .refused(.relieved), then: .end(.formerPrimary(epoch: nil, known: 2))),
      Row("several journals", given: given, when: .refused(.severalPartitions), then: .end(.severalPartitions)),
      Row("an epoch that falls", given: given, when: .epoch(1), then: .end(.formerPrimary(epoch: 1, known: 2))),
      Row("an epoch that rises", given: given, when: .epoch(3), then: .proceed),
      Row("no such file any more", given: given, when: .refused(.noFile), then: first),
      Row("another version of a file", given: given, when: .refused(.versionDiffers), then: first),
      Row("too many standbys", given: given, when: .refused(.tooMany), then: first),
      Row("not ready yet", given: given, when: .refused(.notReady), then: first),
      Row("nobody there", given: given, when: .unreachable, then: first),
      Row("a proxy that waits", given: given, when: .status(502), then: first),
      Row("too fast", given: given, when: .status(429), then: first),
      Row("no token", given: given, when: .status(401), then: .end(.tokenRefused(status: 401))),
      Row("a token of another kind", given: given, when: .status(403), then: .end(.tokenRefused(status: 403))),
      Row("another server", given: given, when: .status(404), then: .end(.noPrimary(status: 404))),
      Row("a redirect", given: given, when: .status(301), then: .end(.noPrimary(status: 301))),
      Row("another wire", given: given, when: .wire(.version(2)), then: .end(.unknownWire(.version(2)))),
      Row("a flipped bit on the way", given: given, when: .wire(.checksum), then: first),
      Row("a full disk", given: given, when: .failed(.storageFull), then: .end(.journal(.storageFull))),
      Row("after the pause", given: given + [.unreachable], when: .rested, then: .look),
    ])
  }

  @Test("pauses twice as long each time, never longer than the longest, and shortly again once something has come")
  func pauses() {
    var plan = FollowerPlan()
    _ = plan.received(.started(Self.journal(3...5, Self.end(5))))
    var found: [Duration] = []
    for _ in 0..<40 {
      guard case .pause(let duration) = plan.received(.unreachable) else { break }
      found.append(duration)
    }
    #expect(found.prefix(4) == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
    #expect(found.count == 40 && found.last == FollowerLimits.longestPause)
    _ = plan.received(.synced(Self.end(5)))
    #expect(plan.received(.unreachable) == .pause(FollowerLimits.firstPause))
  }

  @Test("gives up on wrong bytes after some tries at one place, not over a long life")
  func damage() {
    var plan = FollowerPlan()
    _ = plan.received(.started(Self.journal(3...5, Self.end(5))))
    for _ in 0..<10 {
      for _ in 1..<FollowerLimits.damageMaximum {
        guard case .pause = plan.received(.damaged("a frame")) else {
          Issue.record("it gave up too early")
          return
        }
      }
      #expect(plan.received(.synced(Self.end(5))) == .proceed)
    }
    for _ in 1..<FollowerLimits.damageMaximum { _ = plan.received(.damaged("a frame")) }
    #expect(plan.received(.damaged("a frame")) == .end(.damaged("a frame")))
  }
}
