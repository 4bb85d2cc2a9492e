import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("Snapshots on a disk that fails")
struct SnapshotFailureTests {
  private static func write(_ store: SnapshotStore, _ entities: [SampleEntity], position: UInt64) throws {
    var point = samplePoint
    point.position = position
    try store.write(entities, at: point)
  }

  @Test("a failure at any call leaves the old snapshots as they were, and nothing of its own")
  func everyCall() throws {
    var isDone = false
    var call = 0
    while !isDone {
      let storage = FaultyStorage()
      let store = SnapshotStore(storage)
      try Self.write(store, sampleEntities(10), position: 5)
      let before = storage.files
      // A call that fails alone: then the leftovers can be removed.
      storage.set {
        $0.failCallAfter = call
        $0.failsOneCallOnly = true
      }
      do {
        try Self.write(store, sampleEntities(600), position: 9)
        isDone = true
      } catch is SnapshotError {
      } catch is StorageError {}
      storage.set { $0.failCallAfter = nil }
      let files = storage.files
      for (name, bytes) in before { #expect(files[name] == bytes) }
      if isDone {
        #expect(try store.open(store.file(at: 9)).entities() == sampleEntities(600))
      } else {
        // The very last call makes the name durable: it is there, and whole.
        #expect(files.count == before.count || (try? store.open(store.file(at: 9)).entities()) == sampleEntities(600))
        #expect(!files.keys.contains { $0.hasSuffix(".writing") })
      }
      call += 1
      try #require(call < 500)
    }
    #expect(call > 12)
  }

  @Test("a full disk leaves the old snapshots, and the next one is written when there is room")
  func fullDisk() throws {
    let storage = FaultyStorage()
    let store = SnapshotStore(storage)
    try Self.write(store, sampleEntities(10), position: 5)
    storage.set { $0.capacity = 40 * 1024 }
    let writer = try store.begin(at: samplePoint, createdMilliseconds: 0)
    var failure: StorageError?
    for entity in sampleEntities(3000) {
      do { try writer.add(entity) } catch { failure = failure ?? error }
    }
    #expect(failure?.isDiskFull == true)
    #expect(throws: SnapshotError.storage(failure!)) { try writer.finish() }
    #expect(storage.files.count == 1)
    #expect(try store.open(store.file(at: 5)).entities() == sampleEntities(10))
    storage.set { $0.capacity = .max }
    try store.write(sampleEntities(3000))
    #expect(try store.openSample().entities() == sampleEntities(3000))
  }

  @Test("a bit that goes wrong on its way to the disk is noticed before the snapshot has a name")
  func silentCorruption() throws {
    let storage = FaultyStorage()
    let store = SnapshotStore(storage)
    let writer = try store.begin(at: samplePoint, createdMilliseconds: 0)
    for entity in sampleEntities(600) { try writer.add(entity) }
    storage.update("\(sampleName).writing") { $0[5000] ^= 1 }
    #expect(throws: SnapshotError.damaged(file: FilePath("\(samplePath).writing"), offset: 4096)) {
      try writer.finish()
    }
    #expect(storage.files.isEmpty)
  }
}
