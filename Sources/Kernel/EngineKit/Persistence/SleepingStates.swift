import EntityRuntime
import Journal
import Synchronization
import SystemPackage

/// The spill file in use; made when the first entity falls asleep, replaced after each snapshot.
final class SleepingStates: Sendable {
  private struct State {
    var current: SpillFile?
    var number = 0
  }

  private let directory: FilePath
  private let storage: any JournalStorage
  private let state = Mutex(State())

  init(directory: FilePath, storage: any JournalStorage) {
    self.directory = directory
    self.storage = storage
  }

  /// Removes what a process before this one left. - Throws: `StorageError`.
  func clear() throws(StorageError) {
    try storage.createDirectory(directory)
    for name in try storage.list(directory) where name.hasSuffix(".spill") {
      try storage.remove(directory.appending(name))
    }
  }

  /// Blocks for one write. - Throws: `StorageError`.
  func put(_ images: [EntityImage]) throws -> [StatePlace] {
    let file = try state.withLock { state throws(StorageError) -> SpillFile in
      if let current = state.current { return current }
      state.number += 1
      let file = try SpillFile(path: directory.appending("\(state.number).spill"), storage: storage)
      state.current = file
      return file
    }
    return try file.put(images)
  }

  /// The next image goes to a new file; the present one stays as long as anybody sleeps in it.
  func renew() { state.withLock { $0.current = nil } }

  var byteCount: Int { state.withLock { $0.current?.byteCount ?? 0 } }
}
