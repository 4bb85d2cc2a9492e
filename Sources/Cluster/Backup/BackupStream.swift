internal import Crypto
internal import Journal
internal import JournalFormat
internal import StandbyWire

/// A backup as one stream, which `tar` reads: the files under their paths, the manifest last. Of two files of one path the
/// later one counts.
public final class BackupStream: BackupTarget {
  private let write: (_ bytes: [UInt8]) throws -> Void

  /// - Parameter write: takes all of its bytes.
  /// - Throws: what `write` throws.
  public init(_ write: @escaping (_ bytes: [UInt8]) throws -> Void) throws {
    self.write = write
    // Unpacked by hand, it is a directory that no server starts on.
    let epoch = JournalEpoch(role: .backup, own: 1, told: 1).encoded()
    try begin("journal/EPOCH", epoch.count)
    try write(epoch)
    try pad(epoch.count)
  }

  var former: BackupManifest? { nil }

  func has(_: BackupManifest.File) throws -> Bool { false }

  func put(_ source: BackupSource, at path: String) throws -> Hash256 {
    var hash = SHA256()
    try begin(path, source.totalByteCount)
    func take(_ piece: [UInt8]) throws {
      hash.update(data: piece)
      try write(piece)
    }
    try source.forEachPiece(take)
    try source.forEachPieceOfZeros(take)
    try pad(source.totalByteCount)
    return Hash256(hash.finalize())
  }

  func finish(_ manifest: BackupManifest) throws {
    let bytes = Array(manifest.text.utf8)
    try begin(BackupManifest.fileName, bytes.count)
    try write(bytes)
    try pad(bytes.count)
    // As each such stream ends.
    try write([UInt8](repeating: 0, count: 2 * TarHeader.byteCount))
  }

  private func begin(_ name: String, _ byteCount: Int) throws {
    guard let header = TarHeader(name: name, byteCount: byteCount).encoded() else {
      throw BackupError.foreign("the name \(name), for which a stream has no room,")
    }
    try write(header)
  }

  private func pad(_ byteCount: Int) throws {
    try write([UInt8](repeating: 0, count: TarHeader(name: "", byteCount: byteCount).paddingByteCount))
  }
}
