import Journal
import JournalFormat
import SimulatedDisk
import StandbyFollower
import StandbyWire
import Synchronization
import SystemPackage
import Testing

@Suite("A standby", .timeLimit(.minutes(2)))
struct FollowerTests {
  @Test("makes a whole copy, follows what comes, and says how far it is")
  func follows() async throws {
    let rig = try FollowerRig.make()
    try await rig.catchUp()
    try await rig.follow { _ in rig.primary.acknowledged?.position == 200 }
    #expect(rig.copied == rig.served)
    #expect(rig.copied.keys.count { $0.hasSuffix(".segment") } > 2)
    #expect(try rig.epoch() == JournalEpoch(role: .standby, own: 1, told: 1))
    let report = try JournalReader(directory: FollowerRig.journal, storage: rig.disk).verify()
    #expect(report.lastPosition == 200)
    let status = try #require(try FollowerStatus.read(in: FollowerRig.journal, storage: rig.disk))
    #expect(status.position == 200 && status.lagRecords == 0)
    #expect(status.problem == "stopped")
    #expect(rig.disk.paths.allSatisfy { !$0.string.contains("/copy/") && !$0.string.hasSuffix(".writing") })
  }

  /// A primary that waits for it writes nothing meanwhile that another one would tell of.
  @Test("says what it has until the primary has heard it, also if nothing more comes")
  func repeatsItself() async throws {
    let rig = try FollowerRig.make()
    rig.primary.acknowledgementsLost = 3
    try await rig.follow { _ in rig.primary.acknowledged?.position == 200 }
    #expect(rig.primary.acknowledgementsLost == 0)
  }

  @Test("goes on where it was, and fetches nothing twice")
  func resumes() async throws {
    let rig = try FollowerRig.make()
    try await rig.catchUp()
    try rig.primary.write(30)
    let before = rig.primary.fetchedFiles.count
    let again = FollowerRig(rig.primary, rig.disk.crash())
    try await again.catchUp()
    #expect(again.copied == again.served)
    // Of the segment in which it went on nobody knows whether its beginning was of the same file.
    let fetched = rig.primary.fetchedFiles.dropFirst(before)
    #expect(fetched.count <= 1 && fetched.allSatisfy { $0.hasSuffix(".segment") })
  }

  @Test("fetches no segment that has come over the stream, and each that was written anew since")
  func streamedSegments() async throws {
    let rig = try FollowerRig.make(10)
    try await rig.catchUp()
    // Several segments over one stream.
    let isWritten = Mutex(false)
    try await rig.follow { status in
      guard status.state == .following else { return false }
      let isFirst = isWritten.withLock { written in
        defer { written = true }
        return !written
      }
      if isFirst { try? rig.primary.write(400) }
      return status.position == 410 && rig.copied == rig.served
    }
    try await rig.catchUp()
    let segments = rig.served.keys.filter { $0.hasSuffix(".segment") }
    #expect(segments.count > 3)
    let fetched = rig.primary.fetchedFiles.filter { $0.hasSuffix(".segment") }
    #expect(Set(fetched).subtracting(["journal/000000000001.segment"]).isEmpty)
    let redaction = SegmentRedaction(directory: MemoryPrimary.journal, storage: rig.primary.disk)
    let report = try redaction.redact(upTo: 300) { $0.position == 150 }
    #expect(report.segments == 1)
    try await rig.follow { _ in rig.copied == rig.served }
    #expect(rig.copied == rig.served)
  }

  @Test("is a whole journal after a loss of power in the middle, and becomes the same again", arguments: UInt64(1)...6)
  func powerLoss(seed: UInt64) async throws {
    let rig = try FollowerRig.make(120)
    try await rig.catchUp()
    try rig.primary.write(120)
    try await rig.follow { $0.state == .following && $0.position > 130 }
    let after = FollowerRig(rig.primary, rig.disk.powerLoss(seed: seed))
    try await after.catchUp()
    #expect(after.copied == after.served)
  }

  @Test("fetches packed segments as files where the stream does not begin so early any more")
  func packed() async throws {
    let rig = try FollowerRig.make(60)
    try await rig.catchUp()
    try rig.primary.write(300)
    _ = try SegmentPacker(directory: MemoryPrimary.journal, storage: rig.primary.disk).pack()
    try await rig.catchUp()
    #expect(rig.primary.fetchedFiles.contains { $0.hasSuffix(".packed") })
    try await rig.follow { _ in rig.copied == rig.served }
    #expect(rig.copied == rig.served)
    #expect(try JournalReader(directory: FollowerRig.journal, storage: rig.disk).verify().lastPosition == 360)
  }

  @Test("makes a new copy where the primary keeps less than it needs, if it is told to, and sets the old one aside")
  func newCopy() async throws {
    var rig = try FollowerRig.make(60)
    try await rig.catchUp()
    let old = rig.copied.filter { $0.key.hasSuffix(".segment") }
    try rig.primary.write(400)
    let last = try #require(rig.served.keys.filter { $0.hasSuffix(".segment") }.max())
    for path in rig.served.keys where path.hasSuffix(".segment") && path != last {
      try rig.primary.disk.remove(MemoryPrimary.data.pushing(FilePath(path)))
    }
    await expect(.nothingInCommon, rig)
    rig.allowsNewCopy = true
    try await rig.catchUp()
    #expect(rig.copied == rig.served)
    let files = FollowerRig.files(rig.disk, FollowerRig.data)
    for (path, bytes) in old {
      let name = path.split(separator: "/").last ?? ""
      #expect(files.contains { $0.key.contains("aside-") && $0.key.hasSuffix(name) && $0.value == bytes })
    }
  }

  @Test("replaces what was redacted, fetches what is new, removes what is gone")
  func keeps() async throws {
    let rig = try FollowerRig.make()
    try await rig.catchUp()
    let redaction = SegmentRedaction(directory: MemoryPrimary.journal, storage: rig.primary.disk)
    _ = try redaction.redact(upTo: 200) { $0.position == 5 }
    try rig.primary.disk.remove(MemoryPrimary.data.pushing(FilePath(FollowerRig.blob)))
    try rig.primary.disk.remove(MemoryPrimary.data.pushing(FilePath(FollowerRig.snapshot)))
    rig.primary.put("journal/snapshots/00000000000000000150.snapshot", [1, 2, 3])
    rig.primary.put("tokens.json", Array("others".utf8))
    try await rig.follow { _ in rig.copied == rig.served }
    #expect(rig.copied == rig.served)
    #expect(try JournalReader(directory: FollowerRig.journal, storage: rig.disk).verify().redactedRecords == 1)
  }

  @Test("removes what the primary has not, also what it has no note of: a former primary's, or a killed copy's")
  func leftovers() async throws {
    let rig = try FollowerRig.make()
    try await rig.catchUp()
    let left = [
      "blobs/bb/" + String(repeating: "b", count: 64), "journal/snapshots/00000000000000000120.snapshot",
      "journal/snapshots/00000000000000000120.edge", "checkpoints/00000000000000000100.checkpoint",
      "provider-tokens/old", "journal/redaction.intent",
    ]
    let worthless = [
      FollowerRig.blob + ".writing", "journal/snapshots/00000000000000000130.snapshot.writing", "tokens.json.writing",
      "journal/archive/000000000001.packed.writing", "asleep/3.spill",
    ]
    let others = ["notes.writing", "asleep/README"]
    for path in left + worthless + others {
      let path = FollowerRig.data.pushing(FilePath(path))
      try rig.disk.createDirectory(path.removingLastComponent())
      rig.disk.setContents(of: path, to: Array("Ann's words".utf8))
    }
    // One of its own that was installed, and not written down, when it was killed.
    try rig.disk.remove(FollowerRig.journal.appending("FOLLOWED.json"))
    try await rig.follow { _ in rig.copied == rig.served }
    let files = FollowerRig.files(rig.disk, FollowerRig.data)
    #expect(worthless.filter { files[$0] != nil }.isEmpty)
    #expect(others.filter { files[$0] == nil }.isEmpty)
  }

  @Test("an erasure reaches what was set aside, by its intent or by what it has rewritten", arguments: [true, false])
  func erasedAside(isIntent: Bool) async throws {
    let rig = try FollowerRig.make()
    try await rig.catchUp()
    let aside = ["journal/aside-1/000000000009.segment", "journal/000000000003.segment.5000.cut"]
    for path in aside {
      let path = FollowerRig.data.pushing(FilePath(path))
      try rig.disk.createDirectory(path.removingLastComponent())
      rig.disk.setContents(of: path, to: Array("Ann's words".utf8))
    }
    try await rig.catchUp()
    #expect(aside.allSatisfy { FollowerRig.files(rig.disk, FollowerRig.data)[$0] != nil })
    if isIntent {
      rig.primary.put("journal/redaction.intent", [1])
    } else {
      let redaction = SegmentRedaction(directory: MemoryPrimary.journal, storage: rig.primary.disk)
      _ = try redaction.redact(upTo: 200) { $0.position == 5 }
    }
    try await rig.follow { _ in rig.copied == rig.served }
    #expect(aside.allSatisfy { FollowerRig.files(rig.disk, FollowerRig.data)[$0] == nil })
  }

  @Test("takes an announced snapshot once it has come as far, also during a first copy", arguments: [true, false])
  func announcedSnapshot(isFirstCopy: Bool) async throws {
    let rig = try FollowerRig.make()
    if !isFirstCopy { try await rig.catchUp() }
    let snapshot = "journal/snapshots/00000000000000000250.snapshot"
    let positions = Mutex<[UInt64]>([])
    // Behind the manifest, as a server makes one while a standby copies: announced before the bytes of what it knows.
    let begin: @Sendable () throws -> Void = {
      try rig.primary.write(50)
      rig.primary.put(snapshot, [2, 5, 0])
      rig.primary.announce(snapshot)
    }
    rig.primary.onFetch { path in
      if isFirstCopy, path == FollowerRig.blob { try begin() }
      guard path == snapshot else { return }
      let report = try? JournalReader(directory: FollowerRig.journal, storage: rig.disk).verify()
      positions.withLock { $0.append(report?.lastPosition ?? 0) }
    }
    if !isFirstCopy { try begin() }
    try await rig.follow { _ in rig.copied == rig.served }
    #expect(positions.withLock { $0 } == [250], "fetched once, with a journal that has all that it knows")
  }

  @Test("never writes what was changed on its way, and gives up if it is so each time")
  func damaged() async throws {
    let rig = try FollowerRig.make(60)
    try await rig.catchUp()
    let before = rig.copied
    try rig.primary.write(5)
    rig.primary.distort { bytes in
      var bytes = bytes
      bytes[bytes.count - 6] ^= 1
      return bytes
    }
    #expect(await rig.end() == .damaged("a message with a wrong checksum"))
    #expect(rig.copied == before)
    rig.primary.distort(nil)
    try await rig.catchUp()
    #expect(rig.copied == rig.served)
  }

  // MARK: Bad input

  /// Fails unless the standby ends so, with its journal as it was.
  private func expect(
    _ end: FollowerEnd, _ rig: FollowerRig, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let before = rig.copied
    #expect(await rig.end() == end, sourceLocation: sourceLocation)
    #expect(rig.copied == before, sourceLocation: sourceLocation)
  }

  @Test("does not follow the primary of another journal")
  func otherJournal() async throws {
    let rig = try FollowerRig.make(60)
    try await rig.catchUp()
    await expect(.otherJournal, FollowerRig(try FollowerRig.make(90).primary, rig.disk))
  }

  /// Its tokens and blobs would be the other's.
  @Test("does not take another journal whose beginning was deleted for its own")
  func otherLaterJournal() async throws {
    let rig = try FollowerRig.make(60)
    try await rig.catchUp()
    let other = try FollowerRig.make(400)
    other.primary.put("tokens.json", Array("the other's".utf8))
    let last = try #require(other.served.keys.filter { $0.hasSuffix(".segment") }.max())
    for path in other.served.keys where path.hasSuffix(".segment") && path != last {
      try other.primary.disk.remove(MemoryPrimary.data.pushing(FilePath(path)))
    }
    await expect(.nothingInCommon, FollowerRig(other.primary, rig.disk))
  }

  @Test("ends where the pages of a manifest have no end")
  func endlessManifest() async throws {
    let rig = try FollowerRig.make(60)
    rig.primary.repeatsPages = true
    await expect(.unknownWire(.document), rig)
  }

  @Test("does not follow a primary that has less, or another end")
  func aheadAndParted() async throws {
    let rig = try FollowerRig.make(60)
    let former = MemoryPrimary(rig.primary.disk.crash())
    try rig.primary.write(10)
    try await rig.catchUp()
    await expect(.ahead(position: 70, primary: 60), FollowerRig(former, rig.disk))
  }

  @Test("does not follow a primary of an earlier epoch than one that it knows of")
  func formerPrimary() async throws {
    let rig = try FollowerRig.make(60)
    rig.primary.epoch = 3
    try await rig.catchUp()
    #expect(try rig.epoch() == JournalEpoch(role: .standby, own: 3, told: 3))
    rig.primary.epoch = 2
    let former = FollowerEnd.formerPrimary(epoch: nil, known: 3)
    await expect(former, rig)
  }

  @Test("does not follow with a directory that was promoted, or that was never a standby's")
  func promoted() async throws {
    let rig = try FollowerRig.make(60)
    try await rig.catchUp()
    _ = try EpochStore(directory: FollowerRig.journal, storage: rig.disk).promote()
    let before = FollowerRig.files(rig.disk, FollowerRig.data)
    await expect(.isPrimary, rig)
    #expect(FollowerRig.files(rig.disk, FollowerRig.data) == before, "not even a status")
    try rig.disk.remove(FollowerRig.journal.appending("EPOCH"))
    await expect(.isPrimary, rig)
  }

  @Test("does not follow beside somebody who has the directory")
  func inUse() async throws {
    let rig = try FollowerRig.make(60)
    try await rig.catchUp()
    let lock = try rig.disk.lock(FollowerRig.journal.appending("LOCK"))
    defer { lock.release() }
    await expect(.journal(.locked(directory: FollowerRig.journal)), rig)
  }

  @Test("ends where its disk is full, with a copy that goes on once there is room")
  func diskFull() async throws {
    let rig = try FollowerRig.make(60)
    try await rig.catchUp()
    try rig.primary.write(300)
    rig.disk.capacity = rig.disk.usedByteCount + 10_000
    let end = await rig.end()
    #expect(end == .journal(.storageFull))
    rig.disk.capacity = .max
    try await rig.catchUp()
    #expect(rig.copied == rig.served)
  }
}
