import EvidenceEdge
import EvidenceSamples
import Journal
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing
import Transparency

@Suite("A monitor that asks a log")
struct LogFollowerTests {
  private static let log = StandInLog(70_000)
  private static let fork = StandInLog(70_000, common: 1_000)
  private static let origin = StandInLog.signer.verifierKey.name
  private static let file = FilePath("/m").appending(MonitorRecord.fileName(of: origin))

  private static func follower(_ shown: ShownLog, _ disk: MemoryDisk) throws -> LogFollower {
    try LogFollower(
      LogMonitor(origin: origin, policy: StandInLog.policy()), shown, files: EvidenceFiles("/m", storage: disk))
  }

  @Test("follows a log across restarts, by few tiles and no more than it needs")
  func follows() async throws {
    let (shown, disk) = (ShownLog(Self.log, size: 1), MemoryDisk())
    var restarted = disk
    for size in [1, 300, 65_536, 65_537, 70_000] as [UInt64] {
      shown.show.withLock {
        $0.size = size
        $0.asked = []
      }
      var follower = try Self.follower(shown, restarted)
      #expect(try await follower.look(unixSeconds: StandInLog.now).isEmpty, "\(size)")
      #expect(follower.record?.head == (try Self.log.head(size)))
      #expect(shown.show.withLock { $0.asked.count } <= 8)
      restarted = restarted.crash()
    }
    #expect(try MonitorRecord(try #require(restarted.contents(of: Self.file))).head.size == 70_000)
  }

  @Test("a fork alarms, before and after a restart, and both halves are on the disk")
  func forks() async throws {
    let (shown, disk) = (ShownLog(Self.log, size: 40_000), MemoryDisk())
    var follower = try Self.follower(shown, disk)
    _ = try await follower.look(unixSeconds: StandInLog.now)
    shown.show.withLock { ($0.log, $0.size) = (Self.fork, 50_000) }
    let finding = MonitorFinding.inconsistent(from: 40_000, to: 50_000)
    #expect(try await follower.look(unixSeconds: StandInLog.now) == [finding])
    let next = disk.crash()
    var restarted = try Self.follower(shown, next)
    #expect(try await restarted.look(unixSeconds: StandInLog.now) == [finding])
    #expect(try MonitorRecord(try #require(next.contents(of: Self.file))).head == (try Self.log.head(40_000)))
    let kept = FilePath("/m").appending("\(Self.origin.fileStem).fork")
    let evidence = try SignedNote(try #require(next.contents(of: kept)))
    #expect(evidence == (try Self.fork.note(50_000, cosignedAt: StandInLog.now)))
  }

  @Test("a partial tile that has become a full one is taken from that")
  func fullTile() async throws {
    let shown = ShownLog(Self.log, size: 300)
    shown.show.withLock { $0.files["tile/0/001.p/44"] = .absent }
    var follower = try Self.follower(shown, MemoryDisk())
    #expect(try await follower.look(unixSeconds: StandInLog.now).isEmpty)
    #expect(shown.show.withLock { $0.asked.contains("tile/0/001") })
  }

  @Test("what is wrong with a log's files has each its own finding, and nothing is taken from it")
  func wrong() async throws {
    let foreign = try StandInLog(300, common: 0).hashes(of: #require(TileAddress(path: "tile/0/001.p/44")))
    let rows: [(String, LogFile, MonitorFinding.Kind)] = [
      ("checkpoint", .absent, .unreachable), ("checkpoint", .failed("it answers 500"), .unreachable),
      ("checkpoint", .content([]), .malformed),
      ("checkpoint", .content([UInt8](repeating: 0, count: EvidenceLimits.noteByteCountMaximum + 1)), .unreachable),
      ("checkpoint", .content(try Self.log.note(300).bytes), .quorumMissing),
      ("tile/0/001.p/44", .absent, .tileMissing), ("tile/0/001.p/44", .failed("it cannot be reached"), .unreachable),
      ("tile/0/001.p/44", .content(foreign), .foreignTiles), ("tile/0/001.p/44", .content([]), .tileCut),
      ("tile/0/001.p/44", .content(Array(foreign.dropLast())), .tileCut),
      ("tile/0/001.p/44", .content(foreign + [0]), .tileCut),
    ]
    for (path, file, kind) in rows {
      // It has no full tile in the place of the partial one.
      let shown = ShownLog(StandInLog(300), size: 300)
      shown.show.withLock { $0.files[path] = file }
      var follower = try Self.follower(shown, MemoryDisk())
      #expect(try await follower.look(unixSeconds: StandInLog.now).map(\.kind) == [kind], "\(path) \(kind)")
      #expect((follower.record == nil) == (kind != .quorumMissing))
    }
  }

  @Test("a record that was changed stops the start, and two monitors never share a directory")
  func damaged() async throws {
    let (shown, disk) = (ShownLog(Self.log, size: 300), MemoryDisk())
    var follower = try Self.follower(shown, disk)
    _ = try await follower.look(unixSeconds: StandInLog.now)
    #expect(throws: KeepingFailure.inUse("/m")) { _ = try Self.follower(shown, disk) }
    for bytes in [[], Array("carillon-monitor 1\nseen -1\n".utf8)] as [[UInt8]] {
      let copy = disk.crash()
      copy.setContents(of: Self.file, to: bytes)
      #expect(throws: KeepingFailure.self) { _ = try Self.follower(shown, copy) }
    }
    _ = consume follower
  }

  @Test("a disk that fails is told, and what was remembered stays", arguments: 1...12)
  func failingDisk(call: Int) async throws {
    let (shown, disk) = (ShownLog(Self.log, size: 300), MemoryDisk())
    var follower = try Self.follower(shown, disk)
    _ = try await follower.look(unixSeconds: StandInLog.now)
    shown.show.withLock { $0.size = 400 }
    disk.set(fault: DiskFault(.fail(.ioError), call: call, lasts: true))
    let isKept = (try? await follower.look(unixSeconds: StandInLog.now)) != nil
    for survivor in [disk.powerLoss(seed: UInt64(call)), disk.crash()] {
      let restarted = try Self.follower(shown, survivor)
      let size = restarted.record?.head.size
      #expect(size == 400 || (!isKept && size == 300))
    }
  }

  @Test("only a URL of HTTP with a host is one of a log")
  func urls() {
    for good in ["http://127.0.0.1:1/tlog", "https://example.com/tlog/", "https://example.com"] {
      #expect(HTTPLogReader(prefix: good) != nil)
    }
    for bad in [
      "", "example.com", "file:///etc", "https://", "https:///tlog", "http://a b", "http://a/?x", "http://a/#x",
    ] {
      #expect(HTTPLogReader(prefix: bad) == nil, "\(bad)")
    }
  }
}
