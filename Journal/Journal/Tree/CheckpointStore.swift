internal import JournalFormat
public import SystemPackage
internal import Transparency

/// Checkpoints of a journal's tree as they are kept: each a file of its own that is whole or not there, named by the size
/// of the tree. What stands in them is for others to judge.
///
/// ```
///   <size>.checkpoint.writing ── sync ── rename ── sync directory ──> <size>.checkpoint
/// ```
public struct CheckpointStore: Sendable {
  /// Below a data directory, beside its journal.
  public static let directoryName = "checkpoints"

  private let directory: FilePath
  private let storage: any JournalStorage

  public struct Kept: Sendable, Equatable {
    public let size: UInt64
    public let bytes: [UInt8]
  }

  static let suffix = ".checkpoint"
  /// Digits of the largest size.
  private static let digitCount = 20

  /// - Parameter directory: of its own; made with the first checkpoint.
  public init(directory: FilePath, storage: any JournalStorage = DiskStorage()) {
    self.directory = directory
    self.storage = storage
  }

  private static func name(_ size: UInt64) -> String {
    let digits = String(size)
    return String(repeating: "0", count: digitCount - digits.count) + digits + suffix
  }

  private static func size(ofName name: String) -> UInt64? {
    guard name.hasSuffix(suffix), let size = UInt64(name.dropLast(suffix.count)), self.name(size) == name else {
      return nil
    }
    return size
  }

  /// All of them, the smallest first; none if there never was one.
  ///
  /// - Throws: `storage`.
  public func all() throws(JournalError) -> [Kept] {
    do throws(StorageError) {
      var kept: [Kept] = []
      for size in try names().compactMap({ Self.size(ofName: $0) }).sorted() {
        var buffer = PageBuffer()
        let file = try storage.open(directory.appending(Self.name(size)), .read)
        defer { file.close() }
        try buffer.load(file, limit: EvidenceLimits.noteByteCountMaximum + 1)
        kept.append(Kept(size: size, bytes: Array(buffer.bytes)))
      }
      return kept
    } catch {
      throw .storage(error)
    }
  }

  /// Keeps one, in the place of an earlier one of that size; it is on the disk when this returns.
  ///
  /// - Throws: `storage`, `storageFull`: then the earlier one is still there.
  public func store(_ bytes: [UInt8], size: UInt64) throws(JournalError) {
    let path = directory.appending(Self.name(size))
    let unfinished = directory.appending(Self.name(size) + ".writing")
    do throws(StorageError) {
      try storage.createDirectory(directory)
      let file = try storage.open(unfinished, .create)
      defer { file.close() }
      try file.writeArray(bytes, at: 0)
      try file.synchronize()
      try storage.rename(unfinished, to: path)
      try storage.synchronizeDirectory(directory)
    } catch {
      throw JournalError(error)
    }
  }

  /// Lets some go; no error for one that is not there.
  ///
  /// - Throws: `storage`.
  public func remove(_ sizes: [UInt64]) throws(JournalError) {
    guard !sizes.isEmpty else { return }
    do throws(StorageError) {
      for size in sizes { try storage.remove(directory.appending(Self.name(size))) }
      try storage.synchronizeDirectory(directory)
    } catch {
      throw .storage(error)
    }
  }

  private func names() throws(StorageError) -> [String] {
    do {
      return try storage.list(directory)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return []
    }
  }
}
