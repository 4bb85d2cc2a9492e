internal import Glibc
internal import JournalFormat
internal import SystemPackage

/// The segment that a copy grows in: its file, and its bytes in memory as far as they have come.
///
/// Belongs to one writer. What is behind `scanner.offset` was not checked yet, and is not in the file.
final class CopiedSegment {
  let path: FilePath
  let file: any StorageFile
  private let room: SegmentRoom
  private(set) var scanner: SegmentScanner
  private var decoder = FrameDecoder()
  /// Bytes that have come.
  private(set) var receivedByteCount: Int
  /// Bytes that are in the file.
  private var writtenByteCount: Int
  /// Something was written that was not synced.
  private(set) var isDirty = false

  /// - Parameters:
  ///   - room: the segment's, with as much of it as was received.
  ///   - scanner: over that room; it has read nothing yet.
  init(_ path: FilePath, _ file: any StorageFile, _ room: SegmentRoom, _ scanner: SegmentScanner, received: Int) {
    self.path = path
    self.file = file
    self.room = room
    self.scanner = scanner
    receivedByteCount = received
    writtenByteCount = scanner.offset
  }

  var end: CopyEnd { CopyEnd(scanner) }

  /// Takes what follows; nothing of it is written.
  ///
  /// - Throws: what is wrong with it; the segment is done with then.
  func receive(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
    guard bytes.count <= room.bytes.count - receivedByteCount else { throw damaged(.frameDamaged) }
    room.put(bytes, at: receivedByteCount)
    receivedByteCount += bytes.count
    try check()
    guard scanner.mayBeUnfinished(in: receivedByteCount) else { throw damaged(.frameDamaged) }
  }

  /// Checks every frame that is whole: checksum, order, epoch, leaves and chain.
  func check() throws(JournalError) {
    var offset = scanner.offset
    do throws(FormatError) {
      var previousHash = scanner.chainHash
      while let frame = try scanner.next() {
        _ = try decoder.check(frame, in: room.bytes, previousHash: previousHash)
        previousHash = frame.header.chainHash
        offset = frame.endOffset
      }
      try decoder.finishChecks()
    } catch {
      throw JournalError(error, file: path, offset: decoder.brokenFrameOffset ?? offset)
    }
  }

  /// Writes what was checked.
  func write() throws(StorageError) {
    guard scanner.offset > writtenByteCount else { return }
    isDirty = true
    try file.writeAll(
      UnsafeRawBufferPointer(rebasing: room.bytes[writtenByteCount..<scanner.offset]), at: writtenByteCount,
      durably: false)
    writtenByteCount = scanner.offset
  }

  func synchronize() throws(StorageError) {
    guard isDirty else { return }
    try file.synchronize()
    isDirty = false
  }

  /// Forgets what was not whole.
  func rewind() {
    room.clear(from: scanner.offset, byteCount: receivedByteCount - scanner.offset)
    receivedByteCount = scanner.offset
  }

  /// Makes the file end behind its last whole frame: what was on its way there when its writer was killed is fetched
  /// again. All that stays is on the disk when this returns.
  ///
  /// - Returns: bytes that were zeroed.
  func cut() throws(StorageError) -> Int {
    let rest = scanner.offset..<room.bytes.count
    let count = UnsafeRawBufferPointer(rebasing: room.bytes[rest]).endOfLastNonzero
    if count > 0 {
      try file.writeZeros(rest.lowerBound..<(rest.lowerBound + count))
      room.clear(from: rest.lowerBound, byteCount: count)
    }
    try file.synchronize()
    receivedByteCount = scanner.offset
    writtenByteCount = scanner.offset
    return count
  }

  private func damaged(_ reason: FormatError) -> JournalError {
    .damaged(file: path, offset: scanner.offset, reason: reason)
  }
}

/// Memory for a segment at one address; zeros cost none until something is put there.
final class SegmentRoom {
  private let base: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    guard let memory = calloc(byteCount, 1) else { preconditionFailure("there is no memory for a segment") }
    base = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
  }

  deinit { free(base.baseAddress) }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(base) }

  func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    UnsafeMutableRawBufferPointer(rebasing: base[offset..<(offset + bytes.count)]).copyMemory(from: bytes)
  }

  func clear(from offset: Int, byteCount: Int) {
    UnsafeMutableRawBufferPointer(rebasing: base[offset..<(offset + byteCount)]).initializeMemory(
      as: UInt8.self, repeating: 0)
  }

  /// Reads the whole of a file, or as much as there is room for.
  func load(_ file: any StorageFile) throws(StorageError) { _ = try file.readAll(into: base, at: 0) }
}
