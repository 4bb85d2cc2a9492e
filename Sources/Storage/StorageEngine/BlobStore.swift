import Crypto
import EngineKit
import Journal
import Logging
import Synchronization
import SystemPackage
import TextEncoding

/// The files of stored data, each once, under the hash of its content: `blobs/3f/3f0e21…`.
///
/// ```
///   put: pin ─> write aside, sync, rename, sync the directory ─> the event that names it is durable: hold ─> unpin
///   hold without it, durable ─> garbage ─> nobody holds or pins it: removed
/// ```
/// A file is on the disk before an event names it, and goes only after the event that names it last is durable. A crash
/// in between leaves a file that nobody names; the next start removes it.
final class BlobStore: Sendable {
  typealias Digest = [UInt8]

  enum Failure: Error, Equatable {
    /// All blobs together have reached their bound, or the disk is full.
    case full
    /// Nobody holds it (any more).
    case unknown
    /// It is not what its name says, or not there.
    case damaged
    /// The disk failed otherwise.
    case unavailable
  }

  private struct Entry {
    let byteCount: Int
    /// Records that name it.
    var holders = 0
    /// Uploads and reads that are under way.
    var pins = 0
    var isWritten = false

    var isGarbage: Bool { holders == 0 && pins == 0 }
  }

  private struct State {
    var entries: [Digest: Entry] = [:]
    var held: [String: [Digest]] = [:]
    /// Those that have lost their last holder or pin; some may have found another since.
    var garbage: Set<Digest> = []
    var byteCount = 0

    mutating func change(_ digest: Digest, _ body: (inout Entry) -> Void) {
      guard var entry = entries[digest] else { return }
      body(&entry)
      entries[digest] = entry
      if entry.isGarbage { garbage.insert(digest) }
    }

    /// The file is not there.
    mutating func forget(_ digest: Digest) {
      guard let entry = entries[digest], entry.isGarbage else { return }
      entries[digest] = nil
      garbage.remove(digest)
      byteCount -= entry.byteCount
    }
  }

  private let directory: FilePath
  private let storage: any JournalStorage
  private let journal: JournalHolder
  private let byteCountMaximum: Int
  private let observer: BlobObserver
  private let logger: Logger
  private let state = Mutex(State())
  /// Writing and removing one file keep out of each other's way; different files seldom meet.
  private let stripes = (0..<16).map { _ in Housekeeper() }

  /// - Parameters:
  ///   - byteCountMaximum: of all blobs together.
  ///   - observer: hears of each before a record can name it, and when some are gone.
  init(
    directory: FilePath, storage: any JournalStorage, journal: JournalHolder, byteCountMaximum: Int,
    observer: BlobObserver, logger: Logger
  ) {
    self.directory = directory
    self.storage = storage
    self.journal = journal
    self.byteCountMaximum = byteCountMaximum
    self.observer = observer
    self.logger = logger
  }

  var byteCount: Int { state.withLock { $0.byteCount } }
  var count: Int { state.withLock { $0.entries.count } }

  static func digest(of bytes: [UInt8]) -> Digest { Array(SHA256.hash(data: bytes)) }

  // MARK: Writing

  /// Puts a file on the disk, if it is not there, and pins it: `unpin` has to follow.
  /// - Throws: `.full`, `.unavailable`; nothing is pinned then.
  func put(_ bytes: [UInt8], _ digest: Digest) async throws(Failure) {
    try await stripe(digest).alone { () async throws(Failure) in
      let isWritten = try state.withLock { state throws(Failure) in
        var entry = state.entries[digest] ?? Entry(byteCount: bytes.count)
        if state.entries[digest] == nil {
          guard state.byteCount + bytes.count <= byteCountMaximum else { throw .full }
          state.byteCount += bytes.count
        }
        entry.pins += 1
        state.entries[digest] = entry
        return entry.isWritten
      }
      if isWritten { return }
      let (storage, file) = (storage, file(digest))
      do throws(StorageError) {
        try await journal.onThread { [observer] in
          Result { () throws(StorageError) in
            try Self.write(bytes, to: file, storage)
            observer.stored(file)
          }
        }.get()
      } catch {
        logger.error(
          "a stored file cannot be written", metadata: ["reason": "\(error.operation.rawValue): \(error.errno)"])
        state.withLock { state in
          state.change(digest) { $0.pins -= 1 }
          state.forget(digest)
        }
        throw error.isDiskFull ? .full : .unavailable
      }
      state.withLock { $0.entries[digest]?.isWritten = true }
    }
  }

  func unpin(_ digest: Digest) { state.withLock { $0.change(digest) { $0.pins -= 1 } } }

  private static func write(
    _ bytes: [UInt8], to path: FilePath, _ storage: any JournalStorage
  ) throws(StorageError) {
    let directory = path.removingLastComponent()
    try storage.createDirectory(directory)
    let aside = FilePath(path.string + asideSuffix)
    let file = try storage.open(aside, .create)
    defer { file.close() }
    var done = 0
    while done < bytes.count {
      let result = bytes.withUnsafeBytes { buffer in
        Result { () throws(StorageError) in
          try file.write(UnsafeRawBufferPointer(rebasing: buffer[done...]), at: done, durably: false)
        }
      }
      let count = try result.get()
      // A disk that takes nothing and reports nothing would be written to for ever.
      guard count > 0 else { throw StorageError(.ioError, .write, aside) }
      done += count
    }
    try file.synchronize()
    try storage.rename(aside, to: path)
    try storage.synchronizeDirectory(directory)
  }

  // MARK: Who needs which

  /// A record that is durable names these files, and no others any more.
  func hold(_ digests: [Digest], by key: String) {
    state.withLock { state in
      let former = state.held[key] ?? []
      state.held[key] = digests.isEmpty ? nil : digests
      for digest in digests { state.change(digest) { $0.holders += 1 } }
      for digest in former { state.change(digest) { $0.holders -= 1 } }
    }
  }

  /// True if `collect` has something to do.
  var hasGarbage: Bool { state.withLock { !$0.garbage.isEmpty } }

  /// Removes what nobody needs any more, durably. What the disk does not let go of stays, and is tried again at the next
  /// time.
  func collect() async {
    let garbage = state.withLock { state in
      defer { state.garbage = [] }
      return state.garbage
    }
    for digest in garbage {
      await stripe(digest).alone {
        guard state.withLock({ $0.entries[digest]?.isGarbage == true }) else { return }
        let (storage, file) = (storage, file(digest))
        let result = await journal.onThread {
          Result { () throws(StorageError) in
            try storage.remove(file)
            try storage.synchronizeDirectory(file.removingLastComponent())
          }
        }
        switch result {
        case .success:
          state.withLock { $0.forget(digest) }
          observer.removed()
        case .failure(let error):
          state.withLock { _ = $0.garbage.insert(digest) }
          logger.error("a stored file cannot be removed", metadata: ["reason": "\(error.errno)"])
        }
      }
    }
  }

  // MARK: Reading

  /// The content of a file, after a look at its hash. - Throws: `.unknown`, `.damaged`, `.unavailable`.
  func read(_ digest: Digest) async throws(Failure) -> [UInt8] {
    let byteCount = try state.withLock { state throws(Failure) in
      guard var entry = state.entries[digest], !entry.isGarbage else { throw .unknown }
      // Also if its last record goes meanwhile.
      entry.pins += 1
      state.entries[digest] = entry
      return entry.byteCount
    }
    defer { unpin(digest) }
    let (storage, file) = (storage, file(digest))
    let result = await journal.onThread {
      Result { () throws(StorageError) in try Self.read(file, byteCount, storage) }
    }
    switch result {
    case .success(let bytes?) where Self.digest(of: bytes) == digest: return bytes
    case .success: break
    case .failure(let error):
      if error.errno != .noSuchFileOrDirectory {
        logger.error(
          "a stored file cannot be read", metadata: ["reason": "\(error.operation.rawValue): \(error.errno)"])
        throw .unavailable
      }
    }
    // Whoever stores the same content again makes it whole.
    state.withLock { $0.change(digest) { $0.isWritten = false } }
    logger.critical(
      "a stored file is missing or damaged", metadata: ["blob": "\(Self.name(digest).prefix(8))…"])
    throw .damaged
  }

  /// Nil if the file has not this many bytes.
  private static func read(
    _ path: FilePath, _ byteCount: Int, _ storage: any JournalStorage
  ) throws(StorageError) -> [UInt8]? {
    let file = try storage.open(path, .read)
    defer { file.close() }
    guard try file.size() == byteCount else { return nil }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var done = 0
    while done < byteCount {
      let result = bytes.withUnsafeMutableBytes { buffer in
        Result { () throws(StorageError) in
          try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: done)
        }
      }
      let count = try result.get()
      guard count > 0 else { return nil }
      done += count
    }
    return bytes
  }

  // MARK: After a restart

  /// A record of the journal names these files. Before `sweep`.
  func restore(_ files: [StorageNote.File], of key: String) {
    state.withLock { state in
      state.held[key] = files.isEmpty ? nil : files.map(\.digest)
      for file in files {
        if state.entries[file.digest] == nil { state.byteCount += file.byteCount }
        state.entries[file.digest, default: Entry(byteCount: file.byteCount)].holders += 1
      }
    }
  }

  /// Removes the files that no record names, also those that a crash left half written, and finds out which are there.
  /// - Throws: `StorageError`.
  func sweep() async throws {
    try await journal.onThread { [self] in Result { try removeUnnamed() } }.get()
  }

  private func removeUnnamed() throws {
    let named = state.withLock { Set($0.entries.keys.map { Self.name($0) }) }
    var found: Set<String> = []
    for group in try names(in: directory) {
      let groupDirectory = directory.appending(group)
      for name in try names(in: groupDirectory) {
        if named.contains(name) {
          found.insert(name)
        } else {
          try storage.remove(groupDirectory.appending(name))
        }
      }
    }
    let missing = state.withLock { state in
      var missing = 0
      for digest in state.entries.keys {
        let isThere = found.contains(Self.name(digest))
        state.entries[digest]?.isWritten = isThere
        if !isThere { missing += 1 }
      }
      return missing
    }
    if missing > 0 { logger.critical("stored files are missing", metadata: ["count": "\(missing)"]) }
  }

  private func names(in directory: FilePath) throws(StorageError) -> [String] {
    do { return try storage.list(directory).sorted() } catch {
      // Nothing was ever stored.
      if error.errno == .noSuchFileOrDirectory { return [] }
      throw error
    }
  }

  // MARK: Parts

  private static let asideSuffix = ".writing"

  private func stripe(_ digest: Digest) -> Housekeeper { stripes[Int(digest[0]) % stripes.count] }

  private func file(_ digest: Digest) -> FilePath {
    let name = Self.name(digest)
    return directory.appending(String(name.prefix(2))).appending(name)
  }

  static func name(_ digest: Digest) -> String { Hexadecimal.encode(digest) }
}
