import JournalFormat
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal

@Suite("Snapshots")
struct SnapshotTests {
  @Test("what was added comes back: entries, states one by one and in sequence", arguments: [0, 1, 6, 3000])
  func roundTrip(count: Int) throws {
    let storage = FaultyStorage()
    let store = SnapshotStore(storage)
    let entities = sampleEntities(count)
    let info = try store.write(entities)
    let snapshot = try store.openSample()
    #expect(snapshot.info == info)
    #expect(info.file == samplePath)
    #expect(info.point == samplePoint)
    #expect(info.createdMilliseconds == 1_700_000_000_000)
    #expect(info.entryCount == UInt64(count))
    #expect(info.finishedCount == UInt64(entities.filter { $0.state == nil }.count))
    #expect(info.stateByteCount == UInt64(entities.reduce(0) { $0 + ($1.state?.count ?? 0) }))
    #expect(info.fileByteCount == storage.files[sampleName]?.count)
    #expect(try snapshot.entities() == entities)
    var inSequence: [[UInt8]] = []
    try snapshot.forEachState { entry, state in
      #expect(entry.isFinished == (entities[inSequence.count].state == nil))
      inSequence.append(state)
    }
    #expect(inSequence == entities.map { $0.state ?? [] })
    #expect(storage.files.keys.filter { $0.contains("snapshot") } == [sampleName])
  }

  @Test("places in any order read the same, and in their own order no block twice")
  func cursor() throws {
    let storage = FaultyStorage()
    let store = SnapshotStore(storage)
    let entities = sampleEntities(2000)
    try store.write(entities)
    let snapshot = try store.openSample()
    var places: [(place: SnapshotPlace, state: [UInt8])] = []
    try snapshot.forEachEntry {
      if !$0.isFinished { places.append(($0.place, entities[Int($0.key.dropFirst(6))!].state!)) }
    }
    var generator = SeededGenerator(seed: 3)
    places.shuffle(using: &generator)
    var cursor = SnapshotCursor(snapshot)
    for (place, state) in places { #expect(try cursor.state(at: place) == state) }
    let before = storage.state.withLock { $0.faults.callCount }
    for (place, state) in places.sorted(by: { $0.place < $1.place }) { #expect(try cursor.state(at: place) == state) }
    let reads = storage.state.withLock { $0.faults.callCount } - before
    #expect(reads < Int(snapshot.info.stateByteCount) / (32 * 1024))
  }

  @Test("a state larger than a block has its own, up to the bound, and one byte more is refused")
  func bigStates() throws {
    let store = SnapshotStore(FaultyStorage())
    let limit = SnapshotLimits.stateByteCountMaximum
    var entities = sampleEntities(8)
    for (index, size) in [(0, 64 * 1024), (1, 64 * 1024 + 1), (2, 700_001), (4, 64 * 1024 - 1)] {
      entities[index].state = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) }
    }
    try store.write(entities)
    #expect(try store.openSample().entities() == entities)
    var largest = samplePoint
    largest.position = 1
    try store.write(
      [SampleEntity(kind: 1, key: "k", sequence: 1, state: [UInt8](repeating: 7, count: limit))], at: largest)
    try store.open(store.file(at: 1)).forEachState { #expect($1.count == limit && $1.last == 7) }

    let writer = try store.begin(at: samplePoint, createdMilliseconds: 0)
    #expect(throws: StorageError.self) {
      try writer.add(kind: 1, key: "k", sequence: 1, brief: [], state: [UInt8](repeating: 0, count: limit + 1))
    }
    #expect(throws: SnapshotError.self) { try writer.finish() }
    #expect(try store.openSample().entities() == entities)
  }

  @Test("a key or a brief beyond its bound is refused")
  func bounds() throws {
    let store = SnapshotStore(FaultyStorage())
    let key = String(repeating: "k", count: FormatLimits.keyByteCountMaximum)
    let brief = [UInt8](repeating: 1, count: SnapshotLimits.briefByteCountMaximum)
    let whole = [SampleEntity(kind: 1, key: key, sequence: .max, brief: brief, state: [1])]
    try store.write(whole)
    #expect(try store.openSample().entities() == whole)
    for entity in [
      SampleEntity(kind: 1, key: key + "k", sequence: 1, state: []), SampleEntity(kind: 1, key: key + "k", sequence: 1),
      SampleEntity(kind: 1, key: "", sequence: 1, brief: brief + [1], state: []),
    ] {
      let writer = try store.begin(at: samplePoint, createdMilliseconds: 0)
      #expect(throws: StorageError(.fileTooLarge, .write, FilePath("\(samplePath).writing"))) { try writer.add(entity) }
    }
  }

  @Test("eight threads read states of one snapshot together")
  func threads() throws {
    let store = SnapshotStore(FaultyStorage())
    let entities = sampleEntities(800)
    try store.write(entities)
    let snapshot = try store.openSample()
    let mistakes = Mutex(0)
    let threads = try (0..<8).map { _ in
      try DedicatedThread {
        if (try? snapshot.entities()) != entities { mistakes.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(mistakes.withLock { $0 } == 0)
  }

  @Test("prune keeps the newest, removes older ones and leftovers, and an open snapshot stays readable")
  func prune() throws {
    let storage = FaultyStorage()
    let store = SnapshotStore(storage)
    #expect(try store.all() == [])
    try store.prune()
    for position in [40, 9, 100, 7] as [UInt64] {
      var point = samplePoint
      point.position = position
      try store.write(sampleEntities(3), at: point)
    }
    #expect(try store.all().map(\.position) == [100, 40, 9, 7])
    let old = try store.open(store.file(at: 7))
    storage.state.withLock {
      $0.files["snapshots/00000000000000000200.snapshot.writing"] = FaultyStorage.Contents([1])
      $0.files["snapshots/notes.txt"] = FaultyStorage.Contents([1])
    }
    try store.prune()
    #expect(try store.all().map(\.position) == [100, 40])
    #expect(storage.files.keys.filter { $0.hasSuffix(".writing") } == [])
    #expect(storage.files["snapshots/notes.txt"] != nil)
    #expect(try old.entities() == sampleEntities(3))
    try store.removeAll(except: store.file(at: 40))
    #expect(try store.all().map(\.position) == [40])
    try store.removeAll(except: nil)
    #expect(try store.all() == [])
  }

  @Test("a snapshot that is abandoned or let go leaves nothing, and one at the same position replaces the old")
  func abandoned() throws {
    let storage = FaultyStorage()
    let store = SnapshotStore(storage)
    try store.write(sampleEntities(3))
    let writer = try store.begin(at: samplePoint, createdMilliseconds: 0)
    try writer.add(sampleEntities(1)[0])
    writer.abandon()
    writer.abandon()
    _ = try store.begin(at: samplePoint, createdMilliseconds: 0)
    #expect(storage.files.keys.filter { $0.contains("snapshot") } == [sampleName])
    #expect(try store.openSample().entities() == sampleEntities(3))
    try store.write(sampleEntities(5))
    #expect(try store.openSample().entities() == sampleEntities(5))
  }

  @Test("a journal starts from the point of its snapshot, and says of a foreign one whose it is")
  func startingPoint() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage) { $0.isStepped = true }
    try journal.write(sampleRecords(20))
    let store = SnapshotStore(storage)
    let info = try store.write(sampleEntities(4), at: journal.writer.durablePoint)
    try journal.write(sampleRecords(5, from: 20))
    try journal.writer.close()
    let snapshot = try store.open(try #require(try store.all().first))
    #expect(snapshot.info == info)
    let again = try TestJournal(storage) { $0.startingPoint = snapshot.info.point }
    #expect(again.replayed == sampleRecords(5, from: 20))
    try again.writer.close()
    let other = try TestJournal(FaultyStorage()) { $0.randomBytes = predictableBytes(seed: 99) }
    try other.write(sampleRecords(30))
    let foreign = try #require(
      SnapshotError(JournalError.foreignStartingPoint(file: "/journal/x.segment"), snapshot: info.file))
    #expect(foreign == .foreignJournal(info.file))
    #expect(
      SnapshotError(.startingPointBeyondEnd(directory: "/journal", point: 20, end: 4), snapshot: info.file)
        == .journalShorter(file: info.file, position: 20, end: 4))
    #expect(SnapshotError(JournalError.storageFull, snapshot: info.file) == nil)
    try other.writer.close()
  }
}
