public import JournalFormat
internal import SystemPackage

/// A whole snapshot, open for reading: its checksum was right when it was opened.
///
/// Any number of threads may read; calls block for the time of a read from the disk.
public final class Snapshot: Sendable {
  public let info: SnapshotInfo
  let footer: SnapshotFooter
  private let seed: UInt32
  private let file: any StorageFile
  /// A file is used by one thread at a time.
  private let lock = ThreadLock()

  /// - Throws: `SnapshotError`.
  init(_ path: FilePath, storage: any JournalStorage) throws(SnapshotError) {
    let file: any StorageFile
    do throws(StorageError) {
      file = try storage.open(path, .read)
    } catch {
      throw .storage(error)
    }
    do throws(SnapshotError) {
      let (header, seed, footer) = try SnapshotCheck(file: file, path: path).run()
      self.file = file
      self.seed = seed
      self.footer = footer
      info = SnapshotInfo(file: path, header: header, footer: footer)
    } catch {
      file.close()
      throw error
    }
  }

  deinit { file.close() }

  /// Lets the file go before the last reference does; nothing is read afterwards.
  func close() { file.close() }

  /// Hands on all entries, in the order in which they were added; no state is read.
  ///
  /// - Throws: `SnapshotError`, or what `body` throws.
  public func forEachEntry(_ body: (SnapshotEntry) throws -> Void) throws {
    for offset in try indexOffsets() {
      let plain = try block(at: offset, kind: .index)
      try plain.withUnsafeBytes { bytes in
        var cursor = SnapshotIndexCursor(bytes, at: offset)
        while let entry = try next(&cursor) { try body(entry) }
      }
    }
  }

  /// Reads one state: one read from the disk for most, and nothing is kept.
  ///
  /// - Parameter place: of an entry of this snapshot that is not finished.
  /// - Throws: `storage`; `damaged` if the disk has changed it since it was opened, or the place is of another file.
  public func state(at place: SnapshotPlace) throws(SnapshotError) -> [UInt8] {
    var cursor = SnapshotCursor(self)
    return try cursor.state(at: place)
  }

  /// The plain bytes of the block at `offset`.
  func block(at offset: Int, kind: SnapshotBlock.Kind) throws(SnapshotError) -> [UInt8] {
    let end = kind == .table ? footer.offset : footer.tableOffset
    guard offset >= SnapshotLimits.headerByteCount, offset < end else { throw damaged(offset) }
    // As much as most blocks have, so that one read does for them.
    let first = min(Limits.snapshotReadByteCount, end - offset)
    var bytes = try read(first, at: offset)
    guard let head = bytes.withUnsafeBytes({ SnapshotBlock($0, kind: kind) }), head.byteCount <= end - offset else {
      throw damaged(offset)
    }
    if head.byteCount > bytes.count { bytes += try read(head.byteCount - bytes.count, at: offset + bytes.count) }
    guard let plain = bytes.withUnsafeBytes({ head.unpack($0, seed: seed) }) else { throw damaged(offset) }
    return plain
  }

  func damaged(_ offset: Int) -> SnapshotError { .damaged(file: info.file, offset: offset) }

  private func indexOffsets() throws(SnapshotError) -> [Int] {
    let table = try block(at: footer.tableOffset, kind: .table)
    guard table.count % 8 == 0 else { throw damaged(footer.tableOffset) }
    return table.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 8).map {
        // What is too large for a file is refused by `block`.
        Int(clamping: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)))
      }
    }
  }

  private func next(_ cursor: inout SnapshotIndexCursor) throws(SnapshotError) -> SnapshotEntry? {
    do throws(SnapshotFormatError) {
      return try cursor.next()
    } catch {
      throw SnapshotError(error, file: info.file, byteCount: info.fileByteCount)
    }
  }

  private func read(_ count: Int, at offset: Int) throws(SnapshotError) -> [UInt8] {
    var failure: StorageError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, initializedCount in
      lock.lock()
      defer { lock.unlock() }
      do throws(StorageError) {
        initializedCount = try file.readAll(into: UnsafeMutableRawBufferPointer(target), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw .storage(failure) }
    guard bytes.count == count else { throw .incomplete(file: info.file, byteCount: offset + bytes.count) }
    return bytes
  }
}
