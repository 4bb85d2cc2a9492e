internal import JournalFormat
internal import SystemPackage
internal import Transparency

/// The files of a journal's tree, and where in them a hash stands (`FORMAT.md`, "Tree").
struct TreeFiles: Sendable {
  let journal: JournalDirectory

  var storage: any JournalStorage { journal.storage }
  var directory: FilePath { journal.path.appending("tree") }
  var stateFile: FilePath { directory.appending("STATE") }
  private var unfinishedState: FilePath { directory.appending("STATE.writing") }

  func row(_ level: Int) -> FilePath { directory.appending("\(level).hashes") }

  /// The place in its row of the first hash that the file has room for: where a tile begins.
  static func firstIndex(_ level: Int, beginning: UInt64) -> UInt64 {
    let width = UInt64(TileAddress.widthMaximum)
    return TileAddress.count(.hashes(level: level), in: beginning) / width * width
  }

  /// Where a hash stands in the file of its row.
  static func offset(_ level: Int, _ index: UInt64, beginning: UInt64) -> Int {
    Int(index - firstIndex(level, beginning: beginning)) * 32
  }

  /// How long the file of a row is at least, in a tree of `size`; 0 if there need not be one.
  static func byteCount(_ level: Int, in size: UInt64, beginning: UInt64) -> Int {
    let row = TileAddress.Row.hashes(level: level)
    let (count, forgotten) = (TileAddress.count(row, in: size), TileAddress.count(row, in: beginning))
    return count > forgotten ? offset(level, count, beginning: beginning) : 0
  }

  /// - Returns: nil if there is none.
  /// - Throws: `stateDamaged`, `newerVersion`, `journal`.
  func state(_ path: FilePath? = nil) throws(TreeError) -> TreeState? {
    let path = path ?? stateFile
    var buffer = PageBuffer()
    do throws(StorageError) {
      let file: any StorageFile
      do {
        file = try storage.open(path, .read)
      } catch {
        guard error.errno == .noSuchFileOrDirectory else { throw error }
        return nil
      }
      defer { file.close() }
      try buffer.load(file, limit: TreeState.byteCountMaximum + 1)
    } catch {
      throw TreeError(error)
    }
    do throws(FormatError) {
      return try TreeState.decode(buffer.bytes)
    } catch {
      if case .newerVersion(let version) = error { throw .newerVersion(file: path, version: version) }
      throw .stateDamaged(path)
    }
  }

  /// Puts a state in the place of the one before, durably.
  func store(_ state: TreeState) throws(StorageError) {
    try write(state, to: stateFile, by: unfinishedState, in: directory)
  }

  func write(
    _ state: TreeState, to path: FilePath, by unfinished: FilePath, in directory: FilePath
  ) throws(StorageError) {
    let file = try storage.open(unfinished, .create)
    defer { file.close() }
    try file.writeArray(state.encoded(), at: 0)
    try file.synchronize()
    try storage.rename(unfinished, to: path)
    try storage.synchronizeDirectory(directory)
  }

  /// Removes all that is there, the state first: without it nobody believes the rest.
  func removeAll() throws(StorageError) {
    guard let names = try journal.namesIfThere(directory), !names.isEmpty else { return }
    if names.contains(where: { directory.appending($0) == stateFile }) { try journal.remove([stateFile]) }
    try journal.remove(names.map { directory.appending($0) })
  }

  func makeDirectory() throws(StorageError) {
    guard try journal.namesIfThere(directory) == nil else { return }
    try storage.createDirectory(directory)
    try storage.synchronizeDirectory(journal.path)
  }

  /// The edge of a tree and of its beginning as a state has them.
  /// - Returns: nil if they do not fit together.
  static func edges(of state: TreeState) -> (edge: TreeEdge, beginning: TreeEdge)? {
    guard let edge = TreeEdge(size: state.point.position, hashes: state.edge), edge.root == state.root,
      let beginning = TreeEdge(size: state.beginning, hashes: state.beginningEdge)
    else { return nil }
    return (edge, beginning)
  }
}

/// The tiles of a tree where they are stored; its files stay open as long as it is used.
final class StoredTiles: TileSource {
  private let files: TreeFiles
  private let beginning: UInt64
  private var open: [Int: any StorageFile] = [:]

  init(_ files: TreeFiles, beginning: UInt64) {
    self.files = files
    self.beginning = beginning
  }

  deinit { for file in open.values { file.close() } }

  /// Hashes from before the beginning are zeros.
  func hashes(of tile: TileAddress) throws -> [UInt8] {
    guard case .hashes(let level) = tile.row else { preconditionFailure("entries are in the journal") }
    return try read(level, tile.places)
  }

  /// - Returns: as many of these hashes as the file has.
  func read(_ level: Int, _ places: Range<UInt64>) throws(StorageError) -> [UInt8] {
    let file: any StorageFile
    do {
      file = try self.file(level)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return []
    }
    let offset = TreeFiles.offset(level, places.lowerBound, beginning: beginning)
    var failure: StorageError?
    let bytes = [UInt8](unsafeUninitializedCapacity: places.count * 32) { target, count in
      do throws(StorageError) {
        count = try file.readAll(into: UnsafeMutableRawBufferPointer(target), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  private func file(_ level: Int) throws(StorageError) -> any StorageFile {
    if let known = open[level] { return known }
    let file = try files.storage.open(files.row(level), .read)
    open[level] = file
    return file
  }
}
