import JournalFormat
import Testing
import Transparency

@Suite("A monitor of a log")
struct LogMonitorTests {
  private static let samples = SampleRecords(700, seed: 31)
  /// Another history of the same log.
  private static let fork = SampleRecords(700, seed: 32)
  private static let origin = EvidenceWorld.log.verifierKey.name
  private static let now = EvidenceWorld.now

  private static func monitor(
    _ policy: String = EvidenceWorld.strictPolicyText, stall: UInt64? = nil
  ) throws -> LogMonitor {
    LogMonitor(origin: origin, policy: try EvidenceWorld.policy(policy), stallSeconds: stall)
  }

  private static func note(
    _ size: Int, of samples: SampleRecords = samples, cosignedBy indices: [Int] = [0, 1, 2], at time: UInt64 = now
  ) throws -> SignedNote {
    try EvidenceWorld.note(samples.tree.head(size), cosignedBy: indices, at: time)
  }

  private static func tiles(_ addresses: [TileAddress], of samples: SampleRecords = samples) -> [TileAddress: [UInt8]] {
    Dictionary(
      addresses.map { address in
        guard case .hashes(let level) = address.row else { return (address, []) }
        return (address, samples.tree.tile(level: level, number: Int(address.index), width: address.width))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Shows a checkpoint, with the tiles that are asked for.
  @discardableResult
  private static func show(
    _ note: SignedNote, to monitor: inout LogMonitor, tilesOf samples: SampleRecords = samples, at time: UInt64 = now
  ) throws -> LogMonitor.Outcome {
    var step = monitor.received(checkpoint: note.bytes, unixSeconds: time)
    if case .fetch(let addresses) = step { step = monitor.received(tiles: tiles(addresses, of: samples)) }
    guard case .settled(let outcome) = step else {
      Issue.record("it asks for tiles twice")
      return LogMonitor.Outcome(record: nil, evidence: nil, findings: [])
    }
    return outcome
  }

  @Test("a log that grows is followed, each checkpoint from the one before, by few tiles")
  func grows() throws {
    var monitor = try Self.monitor()
    for size in [0, 1, 2, 255, 256, 257, 600, 700] {
      let note = try Self.note(size)
      if case .fetch(let addresses) = monitor.received(checkpoint: note.bytes, unixSeconds: Self.now) {
        #expect(addresses.count <= 6)
        #expect(Set(addresses).count == addresses.count)
      }
      let outcome = try Self.show(note, to: &monitor)
      #expect(outcome.findings.isEmpty, "\(size)")
      #expect(outcome.record?.head == Self.samples.tree.head(size))
      #expect(outcome.record?.note == note)
      #expect(monitor.record == outcome.record)
    }
    // The same once more is no news.
    let again = try Self.show(Self.note(700), to: &monitor)
    #expect(again == LogMonitor.Outcome(record: nil, evidence: nil, findings: []))
  }

  @Test("any tree is consistent with any later one of the same history")
  func allPairs() throws {
    for old in [0, 1, 3, 100, 256, 511, 512] {
      for new in [old + 1, old + 2, 513 + old % 7, 699] {
        var monitor = try Self.monitor()
        try Self.show(Self.note(old), to: &monitor)
        #expect(try Self.show(Self.note(new), to: &monitor).findings.isEmpty, "\(old) to \(new)")
      }
    }
  }

  struct Fork: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let size: Int
    let finding: MonitorFinding
  }

  @Test(
    "a fork is found whatever its size; what was signed first stays, what contradicts it is evidence",
    arguments: [
      Fork(testDescription: "the same size", size: 300, finding: .fork(size: 300)),
      Fork(testDescription: "smaller", size: 299, finding: .shrunk(from: 300, to: 299)),
      Fork(testDescription: "nothing", size: 0, finding: .shrunk(from: 300, to: 0)),
      Fork(testDescription: "one more", size: 301, finding: .inconsistent(from: 300, to: 301)),
      Fork(testDescription: "much larger", size: 700, finding: .inconsistent(from: 300, to: 700)),
    ])
  func forks(_ fork: Fork) throws {
    var monitor = try Self.monitor()
    let kept = try Self.show(Self.note(300), to: &monitor).record
    let note = try Self.note(fork.size, of: Self.fork)
    for _ in 0..<2 {
      let outcome = try Self.show(note, to: &monitor, tilesOf: Self.fork)
      #expect(outcome.findings == [fork.finding])
      #expect(outcome.evidence == note)
      #expect(outcome.record == nil)
      #expect(monitor.record == kept)
    }
    #expect(try Self.show(Self.note(400), to: &monitor).findings.isEmpty)
  }

  @Test("a smaller tree of the same history is an alarm too: the end of the journal is gone")
  func shrinks() throws {
    var monitor = try Self.monitor()
    try Self.show(Self.note(300), to: &monitor)
    #expect(try Self.show(Self.note(200), to: &monitor).findings == [.shrunk(from: 300, to: 200)])
  }

  @Test("tiles of another log, changed tiles, cut tiles and missing ones have each their own finding")
  func tiles() throws {
    var monitor = try Self.monitor()
    try Self.show(Self.note(300), to: &monitor)
    let note = try Self.note(600)
    #expect(
      try Self.show(note, to: &monitor, tilesOf: Self.fork).findings == [.foreignTiles(size: 600)])

    guard case .fetch(let addresses) = monitor.received(checkpoint: note.bytes, unixSeconds: Self.now) else {
      Issue.record("no tiles are asked for")
      return
    }
    for address in addresses {
      var changed = Self.tiles(addresses)
      changed[address]?[7] ^= 1
      _ = monitor.received(checkpoint: note.bytes, unixSeconds: Self.now)
      #expect(Self.findings(monitor.received(tiles: changed)) == [.foreignTiles(size: 600)], "\(address)")
      var cut = Self.tiles(addresses)
      cut[address]?.removeLast()
      _ = monitor.received(checkpoint: note.bytes, unixSeconds: Self.now)
      #expect(
        Self.findings(monitor.received(tiles: cut)) == [.tileCut(address, byteCount: address.width * 32 - 1)])
      var fewer = Self.tiles(addresses)
      fewer[address] = nil
      _ = monitor.received(checkpoint: note.bytes, unixSeconds: Self.now)
      #expect(Self.findings(monitor.received(tiles: fewer)).map(\.kind) == [.tileMissing])
    }
    #expect(monitor.record?.head.size == 300)
    #expect(try Self.show(note, to: &monitor).record?.head.size == 600)
  }

  private static func findings(_ step: LogMonitor.Step) -> [MonitorFinding] {
    guard case .settled(let outcome) = step else { return [] }
    return outcome.findings
  }

  @Test("no tile that was changed passes for a fork, whatever the sizes")
  func changedTiles() throws {
    for (old, new) in [(1, 2), (200, 300), (256, 700), (257, 513), (300, 600), (511, 512)] {
      let note = try Self.note(new)
      var monitor = try Self.monitor()
      try Self.show(Self.note(old), to: &monitor)
      guard case .fetch(let addresses) = monitor.received(checkpoint: note.bytes, unixSeconds: Self.now) else {
        Issue.record("no tiles are asked for")
        continue
      }
      for address in addresses {
        for place in stride(from: 0, to: address.width * 32, by: 32) {
          var changed = Self.tiles(addresses)
          changed[address]?[place] ^= 1
          _ = monitor.received(checkpoint: note.bytes, unixSeconds: Self.now)
          #expect(
            Self.findings(monitor.received(tiles: changed)) == [.foreignTiles(size: UInt64(new))],
            "\(old) to \(new): \(address), \(place)")
        }
      }
    }
  }

  @Test("a checkpoint that the policy does not trust moves nothing, and says why")
  func untrusted() throws {
    let other = try EvidenceWorld.note(Self.samples.tree.head(10), by: EvidenceWorld.otherLog)
    let impostor = NoteSigner(name: Self.origin, key: EvidenceWorld.key(3))
    var changed = try Self.note(10).bytes
    // 10 becomes 11.
    changed[Self.origin.description.utf8.count + 2] ^= 1
    let rows: [([UInt8], MonitorFinding.Kind)] = [
      ([], .malformed), (Array("<html>".utf8), .malformed),
      ([UInt8](repeating: 0x41, count: EvidenceLimits.noteByteCountMaximum + 1), .malformed),
      (try EvidenceWorld.log.sign(Array("text\n".utf8)).bytes, .malformed), (other.bytes, .otherLog),
      (try EvidenceWorld.note(Self.samples.tree.head(10), by: impostor).bytes, .unsigned), (changed, .wrongSignature),
    ]
    var monitor = try Self.monitor()
    for (bytes, kind) in rows {
      let step = monitor.received(checkpoint: bytes, unixSeconds: Self.now)
      #expect(Self.findings(step).map(\.kind) == [kind])
      #expect(monitor.record == nil)
    }
  }

  @Test("another log that the policy trusts as well is not the one that is followed")
  func otherLog() throws {
    let text = EvidenceWorld.strictPolicyText + "log \(EvidenceWorld.otherLog.verifierKey.text)\n"
    var monitor = try Self.monitor(text)
    let note = try EvidenceWorld.note(Self.samples.tree.head(10), by: EvidenceWorld.otherLog)
    #expect(try Self.show(note, to: &monitor).findings == [.otherLog(EvidenceWorld.otherLog.verifierKey.name)])
  }

  @Test("a witness that is missing is said, and the log is followed all the same")
  func witnessMissing() throws {
    var monitor = try Self.monitor()
    let outcome = try Self.show(Self.note(300, cosignedBy: [0, 2]), to: &monitor)
    #expect(outcome.findings == [.refused(.quorumMissing("everybody", cosigned: ["one", "three"]))])
    #expect(outcome.record?.head.size == 300)
    let fork = try Self.show(Self.note(300, of: Self.fork, cosignedBy: []), to: &monitor)
    #expect(fork.findings.map(\.kind) == [.fork, .quorumMissing])
  }

  @Test("a witness whose clock is far ahead is said")
  func clock() throws {
    var monitor = try Self.monitor()
    let limit = EvidenceLimits.witnessClockDifferenceSecondsMaximum
    let outcome = try Self.show(Self.note(300, cosignedBy: [0, 1, 2], at: Self.now + limit - 1), to: &monitor)
    #expect(outcome.findings == [.witnessClock(witness: "three", secondsAhead: limit + 1)])
    #expect(outcome.record?.seenUnixSeconds == Self.now)
  }

  @Test("silence is a stall after the time that was set, and a larger tree or a later cosignature ends it")
  func stalls() throws {
    var monitor = try Self.monitor(stall: 100)
    try Self.show(Self.note(300, at: Self.now - 2), to: &monitor)
    #expect(try Self.show(Self.note(300, at: Self.now - 2), to: &monitor, at: Self.now + 99).findings.isEmpty)
    let late = try Self.show(Self.note(300, at: Self.now - 2), to: &monitor, at: Self.now + 100)
    #expect(late.findings == [.stalled(seconds: 100, size: 300)])
    let unreachable = monitor.received(.unreachable("gone"), unixSeconds: Self.now + 150)
    #expect(Self.findings(unreachable) == [.unreachable("gone"), .stalled(seconds: 150, size: 300)])
    let cosignedAgain = try Self.show(Self.note(300, at: Self.now + 150), to: &monitor, at: Self.now + 160)
    #expect(cosignedAgain.findings.isEmpty)
    #expect(cosignedAgain.record?.seenUnixSeconds == Self.now + 152)
    #expect(try Self.show(Self.note(301, at: Self.now + 300), to: &monitor, at: Self.now + 310).findings.isEmpty)
  }

  @Test("a log that was never reached is a stall as well")
  func neverReached() throws {
    var monitor = try Self.monitor(stall: 100)
    #expect(Self.findings(monitor.received(.unreachable("gone"), unixSeconds: Self.now)) == [.unreachable("gone")])
    #expect(
      Self.findings(monitor.received(.unreachable("gone"), unixSeconds: Self.now + 100)).map(\.kind)
        == [.unreachable, .stalled])
  }

  @Test("after a restart it goes on from its record, and every flipped byte of what is signed there is noticed")
  func restart() throws {
    var first = try Self.monitor()
    let record = try #require(try Self.show(Self.note(300), to: &first).record)
    #expect(try MonitorRecord(record.bytes) == record)
    var monitor = try Self.monitor()
    try monitor.restore(MonitorRecord(record.bytes))
    #expect(
      try Self.show(Self.note(300, of: Self.fork), to: &monitor, tilesOf: Self.fork).findings == [.fork(size: 300)])
    let signed = record.bytes.count - record.note.bytes.count
    for (index, changed) in flips(record.bytes) where index >= signed && index < signed + record.note.text.count {
      #expect(throws: MonitorRecordFlaw.self, "byte \(index)") { try monitor.restore(MonitorRecord(changed)) }
    }
    var other = LogMonitor(
      origin: EvidenceWorld.otherLog.verifierKey.name,
      policy: try EvidenceWorld.policy(
        EvidenceWorld.strictPolicyText + "log \(EvidenceWorld.otherLog.verifierKey.text)\n"))
    #expect(throws: MonitorRecordFlaw.otherLog(Self.origin)) { try other.restore(record) }
    #expect(throws: MonitorRecordFlaw.notARecord) { try MonitorRecord([]) }
    #expect(throws: MonitorRecordFlaw.notARecord) { try MonitorRecord(record.note.bytes) }
  }
}

@Suite("A monitor's alarms")
struct AlarmBoardTests {
  @Test("each is told when it comes, once an hour while it lasts, and when it is over")
  func told() {
    var board = AlarmBoard()
    let fork = MonitorFinding.fork(size: 3)
    #expect(board.received([], unixSeconds: 0).isEmpty)
    #expect(board.received([fork], unixSeconds: 10) == [.raised(fork)])
    #expect(board.received([fork], unixSeconds: 20).isEmpty)
    #expect(board.received([fork, .stalled(seconds: 9, size: 3)], unixSeconds: 30).count == 1)
    #expect(board.received([fork], unixSeconds: 3_610) == [.raised(fork)])
    #expect(board.received([], unixSeconds: 3_620) == [.over(.fork), .over(.stalled)])
    #expect(board.received([fork], unixSeconds: 3_630) == [.raised(fork)])
  }

  @Test("a log that cannot be asked has not mended its fork")
  func hidden() {
    var board = AlarmBoard()
    _ = board.received([.fork(size: 3)], unixSeconds: 0)
    let gone = MonitorFinding.unreachable("gone")
    #expect(board.received([gone], unixSeconds: 10) == [.raised(gone)])
    #expect(board.received([], unixSeconds: 20) == [.over(.unreachable), .over(.fork)])
  }
}
