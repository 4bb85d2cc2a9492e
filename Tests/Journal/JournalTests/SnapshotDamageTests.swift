import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal
@testable import JournalFormat

@Suite("Snapshots that are damaged, foreign or half there")
struct SnapshotDamageTests {
  private static func written(_ count: Int = 12) throws -> (SnapshotStore, FaultyStorage, [UInt8]) {
    let storage = FaultyStorage()
    let store = SnapshotStore(storage)
    try store.write(sampleEntities(count, stateByteCountMaximum: 60))
    return (store, storage, try #require(storage.files[sampleName]))
  }

  private static func set(_ storage: FaultyStorage, _ bytes: [UInt8]) { storage.update(sampleName) { $0 = bytes } }

  /// What `open` says; nil if it accepts.
  private static func refusal(_ store: SnapshotStore) throws -> SnapshotError? {
    do {
      _ = try store.openSample()
      return nil
    } catch {
      return error
    }
  }

  @Test("every flipped bit is refused: there is no byte that does not count")
  func everyBit() throws {
    let (store, storage, bytes) = try Self.written()
    try #require(bytes.count < 5500)
    for index in bytes.indices {
      // Of the header's page one bit of each byte does here; all of them are tried below.
      for bit in index < SnapshotLimits.headerByteCount ? index % 8..<index % 8 + 1 : 0..<8 {
        // Through the mutex, but without a copy of the file for each bit.
        storage.update(sampleName) { $0[index] ^= 1 << UInt8(bit) }
        let refusal = try Self.refusal(store)
        storage.update(sampleName) { $0[index] ^= 1 << UInt8(bit) }
        if index < 8, refusal == .foreignFile(samplePath) { continue }
        guard case .damaged(samplePath, let offset) = refusal else {
          Issue.record("bit \(bit) of byte \(index): \(String(describing: refusal))")
          return
        }
        // The offset names the page, the block or the footer that holds the bit.
        if offset > index { Issue.record("bit \(bit) of byte \(index) is said to be at \(offset)") }
      }
    }
    #expect(try Self.refusal(store) == nil)
    var header = Array(bytes[..<SnapshotLimits.headerByteCount])
    for index in header.indices {
      for bit in 0..<8 {
        header[index] ^= 1 << UInt8(bit)
        let isRefused = header.withUnsafeBytes { (try? SnapshotHeader.decode($0)) == nil }
        header[index] ^= 1 << UInt8(bit)
        if !isRefused { Issue.record("bit \(bit) of byte \(index) of the header is not noticed") }
      }
    }
  }

  @Test("every cut is refused as half copied, also with zeros behind it")
  func everyCut() throws {
    let (store, storage, bytes) = try Self.written()
    for length in 0..<bytes.count {
      Self.set(storage, Array(bytes[..<length]))
      let cut = try Self.refusal(store)
      if cut != .incomplete(file: samplePath, byteCount: length) {
        Issue.record("cut at \(length): \(String(describing: cut))")
        return
      }
      guard length >= SnapshotLimits.headerByteCount else { continue }
      Self.set(storage, Array(bytes[..<length]) + [UInt8](repeating: 0, count: bytes.count - length))
      let zeros = try Self.refusal(store)
      switch zeros {
      case .incomplete(samplePath, bytes.count), .damaged: continue
      default:
        Issue.record("zeros from \(length): \(String(describing: zeros))")
        return
      }
    }
  }

  @Test("bytes behind the end are refused")
  func longer() throws {
    let (store, storage, bytes) = try Self.written()
    for tail in [[0], [UInt8](repeating: 0, count: 5000), bytes] {
      Self.set(storage, bytes + tail)
      #expect(try Self.refusal(store) != nil)
    }
  }

  @Test("a foreign file, a newer format and a wrong name are told apart")
  func foreign() throws {
    let (store, storage, bytes) = try Self.written()
    Self.set(storage, Array("SQLite format 3\0".utf8) + [UInt8](repeating: 1, count: 9000))
    #expect(try Self.refusal(store) == .foreignFile(samplePath))
    Self.set(storage, Array("SQLite".utf8))
    #expect(try Self.refusal(store) == .foreignFile(samplePath))

    var newer = bytes
    newer[8] = 2
    newer.replaceSubrange(4092..<4096, with: newer.withUnsafeBytes { SegmentHeaderChecksum.compute($0) })
    Self.set(storage, newer)
    #expect(try Self.refusal(store) == .newerVersion(file: samplePath, version: 2))

    Self.set(storage, bytes)
    let name = "snapshots/00000000000000000012.snapshot"
    storage.state.withLock { $0.files[name] = FaultyStorage.Contents(bytes) }
    #expect(throws: SnapshotError.renamed(file: TestJournal.directory.appending(name), position: 4711)) {
      try store.open(store.file(at: 12))
    }
  }

  @Test("blocks of another snapshot never pass, nor does a place of another file")
  func mixed() throws {
    let (store, storage, bytes) = try Self.written()
    var point = samplePoint
    point.segmentID.low += 1
    try store.write(sampleEntities(12, stateByteCountMaximum: 60), at: point)
    let other = try #require(storage.files[sampleName])
    try #require(other.count == bytes.count)
    Self.set(storage, Array(bytes[..<4096]) + Array(other[4096...]))
    #expect(try Self.refusal(store) != nil)

    Self.set(storage, bytes)
    let snapshot = try store.openSample()
    for offset in [0, 1, 4096 + 1, bytes.count - 80, bytes.count, Int.max] {
      let place = SnapshotPlace(blockOffset: UInt64(offset), start: 0, byteCount: 1)
      #expect(throws: SnapshotError.self) { try snapshot.state(at: place) }
    }
    let beyond = SnapshotPlace(blockOffset: 4096, start: .max, byteCount: .max)
    #expect(throws: SnapshotError.damaged(file: samplePath, offset: 4096)) { try snapshot.state(at: beyond) }
  }

  @Test("hostile lengths with right checksums are refused without being believed", arguments: 1...300)
  func hostileIndex(seed: UInt64) throws {
    // An index block of random bytes, whole by every checksum.
    var generator = SeededGenerator(seed: seed)
    let (_, _, bytes) = try Self.written(6)
    let (header, checksum) = try bytes.withUnsafeBytes { try SnapshotHeader.decode($0) }
    var encoder = SnapshotBlockEncoder(seed: checksum)
    var file = header.encoded().page
    let index = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
      UInt8.random(in: 0...255, using: &generator) & (seed % 2 == 0 ? 0x0F : 0xFF)
    }
    index.withUnsafeBytes { encoder.encode($0, kind: .index) }
    file += encoder.encodedBytes
    let table = file.count
    withUnsafeBytes(of: UInt64(seed % 3 == 0 ? generator.next() >> 40 : 4096).littleEndian) {
      encoder.encode($0, kind: .table)
    }
    file += encoder.encodedBytes
    let footer = SnapshotFooter(
      offset: file.count, tableOffset: table, entryCount: 1, finishedCount: 0, stateByteCount: .max, indexByteCount: 1,
      checksum: file.withUnsafeBytes { $0.checksum(seed: 0) })
    let storage = FaultyStorage(files: [sampleName: file + footer.encoded(seed: checksum)])
    let snapshot = try SnapshotStore(storage).openSample()
    do {
      var entries = 0
      try snapshot.forEachEntry { entry in
        entries += 1
        #expect(entry.key.utf8.count <= 1024 && entry.brief.count <= index.count)
      }
      #expect(entries <= index.count)
    } catch is SnapshotError {}
    #expect(throws: SnapshotError.self) { try snapshot.verifyContents() }
  }

  @Test("each refusal is one line that names the file and what to do")
  func descriptions() {
    let errors: [SnapshotError] = [
      .foreignFile(samplePath), .newerVersion(file: samplePath, version: 2),
      .incomplete(file: samplePath, byteCount: 5), .damaged(file: samplePath, offset: 4096),
      .renamed(file: samplePath, position: 3), .foreignJournal(samplePath),
      .journalShorter(file: samplePath, position: 9, end: 4),
    ]
    for error in errors {
      #expect(error.description.contains(samplePath.string) && !error.description.contains("\n"))
    }
    #expect(SnapshotError.damaged(file: samplePath, offset: 4096).description.contains("offset 4096"))
  }
}
