internal import JournalFormat
internal import SystemPackage

/// Reads a snapshot's file once from its beginning to its end, in pieces, and compares the checksums.
struct SnapshotCheck {
  let file: any StorageFile
  let path: FilePath

  func run() throws(SnapshotError) -> (SnapshotHeader, seed: UInt32, SnapshotFooter) {
    let size: Int
    do throws(StorageError) {
      size = try file.size()
    } catch {
      throw .storage(error)
    }
    let page = try read(min(size, SnapshotLimits.headerByteCount), at: 0)
    let (header, seed) = try formatted(size) { () throws(SnapshotFormatError) in try SnapshotHeader.decode(page.bytes) }
    let offset = size - SnapshotLimits.footerByteCount
    guard offset >= SnapshotLimits.headerByteCount else { throw .incomplete(file: path, byteCount: size) }
    let end = try read(SnapshotLimits.footerByteCount, at: offset)
    let footer = try formatted(size) { () throws(SnapshotFormatError) in
      try SnapshotFooter.decode(end.bytes, at: offset, seed: seed)
    }
    guard try checksum(upTo: offset) == footer.checksum else {
      // The header's own checksum is right: the damage is behind it, and the first bad block says where.
      throw .damaged(file: path, offset: try firstDamage(footer, seed))
    }
    return (header, seed, footer)
  }

  private func checksum(upTo end: Int) throws(SnapshotError) -> UInt32 {
    var checksum: UInt32 = 0
    var offset = 0
    var piece = PageBuffer()
    while offset < end {
      let count = min(Limits.snapshotCheckByteCount, end - offset)
      try read(into: &piece, count, at: offset)
      checksum = piece.bytes.checksum(seed: checksum)
      offset += count
    }
    return checksum
  }

  /// Walks over the blocks, which stand one behind the other.
  private func firstDamage(_ footer: SnapshotFooter, _ seed: UInt32) throws(SnapshotError) -> Int {
    var offset = SnapshotLimits.headerByteCount
    while offset < footer.offset {
      let head = try read(min(SnapshotLimits.blockHeaderByteCount, footer.offset - offset), at: offset)
      let kinds: [SnapshotBlock.Kind] = [.states, .index, .table]
      guard let block = kinds.lazy.compactMap({ SnapshotBlock(head.bytes, kind: $0) }).first,
        block.byteCount <= footer.offset - offset,
        block.isWhole(try read(block.byteCount, at: offset).bytes, seed: seed)
      else { return offset }
      offset += block.byteCount
    }
    return offset
  }

  private func read(_ count: Int, at offset: Int) throws(SnapshotError) -> Piece {
    let piece = Piece()
    try read(into: &piece.buffer, count, at: offset)
    return piece
  }

  private func read(into buffer: inout PageBuffer, _ count: Int, at offset: Int) throws(SnapshotError) {
    let target = buffer.prepare(count)
    let found: Int
    do throws(StorageError) {
      found = try file.readAll(into: target, at: offset)
    } catch {
      throw .storage(error)
    }
    guard found == count else { throw .incomplete(file: path, byteCount: offset + found) }
  }

  private func formatted<Value>(
    _ size: Int, _ body: () throws(SnapshotFormatError) -> Value
  ) throws(SnapshotError) -> Value {
    do throws(SnapshotFormatError) {
      return try body()
    } catch {
      throw SnapshotError(error, file: path, byteCount: size)
    }
  }

  private final class Piece {
    var buffer = PageBuffer()
    var bytes: UnsafeRawBufferPointer { buffer.bytes }
  }
}
