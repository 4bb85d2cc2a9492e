internal import Journal
internal import JournalFormat
internal import StandbyEngine
internal import SystemPackage

/// The content of one file on its way into a backup: its first bytes, and zeros for the rest of a segment that is still
/// being written.
struct BackupSource {
  let file: ServedFile
  /// That are read.
  let byteCount: Int
  /// Zeros behind them.
  let zeroByteCount: Int

  init(_ file: ServedFile) {
    (self.file, byteCount, zeroByteCount) = (file, file.byteCount, 0)
  }

  /// - Parameter end: of what is read; the rest of the file is zeros.
  init(_ file: ServedFile, upTo end: Int) {
    (self.file, byteCount, zeroByteCount) = (file, end, file.byteCount - end)
  }

  var totalByteCount: Int { byteCount + zeroByteCount }

  /// - Throws: what `body` throws; `StorageError`, also if the file is shorter by now.
  func forEachPiece(_ body: (_ bytes: [UInt8]) throws -> Void) throws {
    var offset = 0
    while offset < byteCount {
      let count = min(BackupLimits.pieceByteCount, byteCount - offset)
      let piece = try file.read(at: offset, count: count)
      guard piece.count == count else { throw StorageError(.ioError, .read, file.path) }
      try body(piece)
      offset += count
    }
  }

  func forEachPieceOfZeros(_ body: (_ bytes: [UInt8]) throws -> Void) throws {
    let zeros = [UInt8](repeating: 0, count: min(BackupLimits.pieceByteCount, zeroByteCount))
    var rest = zeroByteCount
    while rest > 0 {
      try body(rest < zeros.count ? Array(zeros.prefix(rest)) : zeros)
      rest -= min(rest, zeros.count)
    }
  }
}

/// Where a backup goes.
protocol BackupTarget: AnyObject {
  /// The backup that is there already.
  var former: BackupManifest? { get }
  /// Whether this content is there already, and need not be put again.
  func has(_ file: BackupManifest.File) throws -> Bool
  /// Takes the content of a file; what was put under the same path before is worth nothing.
  ///
  /// - Returns: its SHA-256.
  func put(_ source: BackupSource, at path: String) throws -> Hash256
  /// All is there: durable when this returns.
  func finish(_ manifest: BackupManifest) throws
}
