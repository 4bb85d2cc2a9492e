import Foundation
import Journal
import JournalFormat
import StoreConformance
import SystemPackage

/// Journals in the directories `0` and `1` of a disk.
struct FilesRig: StoreRig {
  let storage: any JournalStorage
  let faults: (any StoreFaults)?
  private let root: FilePath
  private let crash: @Sendable () throws -> FilesRig

  init(
    _ storage: any JournalStorage, root: FilePath, faults: (any StoreFaults)? = nil,
    crash: @escaping @Sendable () throws -> FilesRig
  ) {
    self.storage = storage
    self.root = root
    self.faults = faults
    self.crash = crash
  }

  /// On a disk in memory that fails when it is told to.
  static func faulty(_ storage: FaultyStorage = FaultyStorage()) -> FilesRig {
    FilesRig(storage, root: "/", faults: FaultyFiles(storage: storage), crash: { faulty(storage.crashed()) })
  }

  /// On the real disk, below `folder`.
  static func real(_ folder: URL) -> FilesRig {
    FilesRig(DiskStorage(), root: FilePath(folder.appending(path: "journals").path)) {
      let copy = folder.appending(path: "crash-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: folder.appending(path: "journals"), to: copy.appending(path: "journals"))
      return real(copy)
    }
  }

  var store: any JournalStore {
    FileJournalStore(
      [PartitionID.first, PartitionID(rawValue: 1)].reduce(into: [:]) { places, partition in
        places[partition] = FileJournalStore.Place(directory: directory(of: partition))
      }, storage: storage)
  }

  func crashed() throws -> any StoreRig { try crash() }

  func relieve(_ partition: PartitionID, by epoch: UInt32) throws { try epochs(of: partition).heard(of: epoch) }

  func takeOver(_ partition: PartitionID) throws -> UInt32 { try epochs(of: partition).promote().new.own }

  func damage(_ segment: SegmentInfo) throws {
    // Behind the header, in the first frames.
    try flip(segment.file, at: 5_000)
  }

  func damage(_ snapshot: SnapshotFile) throws {
    let file = try storage.open(snapshot.path, .read)
    defer { file.close() }
    try flip(snapshot.path, at: try file.size() / 2)
  }

  private func directory(of partition: PartitionID) -> FilePath { root.appending("\(partition)") }

  private func epochs(of partition: PartitionID) -> EpochStore {
    EpochStore(directory: directory(of: partition), storage: storage)
  }

  private func flip(_ path: FilePath, at offset: Int) throws {
    let file = try storage.open(path, .readWrite)
    defer { file.close() }
    var byte: UInt8 = 0
    let count = try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: offset) }
    byte ^= 1
    _ = try withUnsafeBytes(of: byte) { try file.write($0, at: offset, durably: true) }
    precondition(count == 1, "the file is longer")
  }
}

private struct FaultyFiles: StoreFaults {
  let storage: FaultyStorage

  func setRoom(_ byteCount: Int?) {
    let used = storage.files.values.reduce(0) { $0 + $1.count }
    storage.set { $0.capacity = byteCount.map { used + $0 } ?? .max }
  }

  func breakDown() { storage.set { $0.failDurableAfter = 0 } }

  func hold() -> (awaitWrite: @Sendable () -> Void, letGo: @Sendable () -> Void) {
    let gate = Gate()
    storage.set { $0.gate = gate }
    return (gate.awaitArrival, gate.open)
  }
}
