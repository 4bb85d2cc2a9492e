internal import JournalFormat
internal import SystemPackage
internal import Transparency

/// Writes a tree's hashes, behind those that are there. Belongs to whoever has the turn; after an error it is not to be
/// used any more.
///
/// ```
///   leaves ──> rows, not synced ──store──> rows synced ──> STATE in the place of the one before
/// ```
/// What is behind the size in STATE is worth nothing after a crash, and written again: the journal has it.
final class TreeMaker {
  private let files: TreeFiles
  private var growth: TreeGrowth
  private(set) var point: JournalPoint?
  let beginning: TreeEdge
  /// The size that is on the disk.
  private var storedSize: UInt64
  private var open: [Int: any StorageFile] = [:]
  /// Rows with hashes that are not synced.
  private var unsynced: Set<Int> = []
  /// A file that an earlier maker has made may not have its name on the disk yet.
  private var hasNewFiles = true

  /// - Parameters:
  ///   - state: nil to begin anew.
  ///   - point: where the beginning ends; nil for the journal's own.
  init(_ files: TreeFiles, edge: TreeEdge, beginning: TreeEdge, point: JournalPoint?, isStored: Bool) {
    self.files = files
    growth = TreeGrowth(edge)
    self.beginning = beginning
    self.point = point
    storedSize = isStored ? edge.size : 0
  }

  deinit { for file in open.values { file.close() } }

  var edge: TreeEdge { growth.edge }
  var unstoredCount: UInt64 { edge.size - storedSize }

  /// Puts leaves into the tree.
  ///
  /// - Parameter entries: 32 bytes for each record behind the last one.
  func add(_ entries: [UInt8]) throws(StorageError) {
    entries.withUnsafeBytes { growth.append(entries: $0) }
    for (level, row) in growth.rows.enumerated() where !row.hashes.isEmpty {
      try write(level, row)
    }
    growth.clearRows()
  }

  /// All leaves up to there are in it.
  func reach(_ point: JournalPoint?) {
    precondition(point?.position ?? 0 == edge.size, "a tree has one leaf for each record")
    self.point = point
  }

  /// Makes durable what it has.
  func store() throws(StorageError) {
    guard let point, unstoredCount > 0 else { return }
    for level in unsynced.sorted() { try open[level]?.synchronize() }
    unsynced = []
    if hasNewFiles { try files.storage.synchronizeDirectory(files.directory) }
    hasNewFiles = false
    try files.store(
      TreeState(
        point: point, root: edge.root, edge: edge.hashes, beginning: beginning.size, beginningEdge: beginning.hashes))
    storedSize = edge.size
  }

  private func write(_ level: Int, _ row: TreeGrowth.Row) throws(StorageError) {
    let file = try file(level)
    let offset = TreeFiles.offset(level, row.firstIndex, beginning: beginning.size)
    unsynced.insert(level)
    let result = row.hashes.withUnsafeBytes { bytes in
      Result { () throws(StorageError) in try file.writeAll(bytes, at: offset, durably: false) }
    }
    try result.get()
  }

  private func file(_ level: Int) throws(StorageError) -> any StorageFile {
    if let known = open[level] { return known }
    let path = files.row(level)
    let file: any StorageFile
    do {
      file = try files.storage.open(path, .readWrite)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      file = try files.storage.open(path, .create)
      hasNewFiles = true
    }
    open[level] = file
    return file
  }
}
