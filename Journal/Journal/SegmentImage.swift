internal import JournalFormat
internal import SystemPackage

/// The bytes of one segment in memory; loaded again for the next.
package struct SegmentImage: ~Copyable {
  private var buffer = PageBuffer()
  /// A packed file as it is on the disk.
  private var packed = PageBuffer()
  /// Bytes of the file that was loaded, or of as much of it as was wanted.
  private(set) var fileByteCount = 0
  /// The file that is being loaded, where to, and how far that has come.
  private var source: (any StorageFile)?
  private var target = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var readByteCount = 0

  package init() {}

  /// Valid until the next `load`.
  package var bytes: UnsafeRawBufferPointer { buffer.bytes }

  /// - Parameter limit: bytes beyond it are not read.
  mutating func load(_ file: any StorageFile, limit: Int) throws(StorageError) {
    (source, readByteCount) = (nil, 0)
    try buffer.load(file, limit: limit)
    fileByteCount = buffer.bytes.count
  }

  /// Begins to load a file piece by piece, so that whoever scans it need not wait for all of it: `bytes` are as many as
  /// it has, and there as far as `read` has come.
  mutating func begin(_ file: any StorageFile, limit: Int) throws(StorageError) {
    fileByteCount = min(try file.size(), limit)
    target = buffer.prepare(fileByteCount)
    (source, readByteCount) = (file, 0)
  }

  /// Reads what is missing of the bytes before `end`, and a piece more.
  mutating func read(through end: Int) throws(StorageError) {
    guard end > readByteCount, let source else { return }
    let next = min(max(end, readByteCount + Limits.segmentPieceByteCount), fileByteCount)
    let piece = UnsafeMutableRawBufferPointer(rebasing: target[readByteCount..<next])
    let count = try source.readAll(into: piece, at: readByteCount)
    // It was longer a moment ago: as if nothing had been written there.
    for offset in count..<piece.count { piece[offset] = 0 }
    readByteCount = next
    if next == fileByteCount { self.source = nil }
  }

  /// Reads single stretches of the file that was begun; the rest of `bytes` is not to be looked at.
  /// - Returns: false if the file has not got all of it.
  mutating func read(_ range: Range<Int>) throws(StorageError) -> Bool {
    guard let source, range.upperBound <= target.count else { return false }
    let piece = UnsafeMutableRawBufferPointer(rebasing: target[range])
    return try source.readAll(into: piece, at: range.lowerBound) == piece.count
  }

  /// Loads one block of a packed file as a segment that holds nothing else.
  /// - Parameter seed: the checksum of the block before; of the header, for the first.
  /// - Throws: `FormatError`, `StorageError`.
  mutating func load(
    _ block: PackedBlockExtent, at offset: Int, of file: any StorageFile, _ header: PackedHeader, seed: UInt32
  ) throws {
    (source, readByteCount) = (nil, 0)
    let room = packed.prepare(block.byteCount)
    guard try file.readAll(into: room, at: offset) == room.count else { throw FormatError.blockDamaged }
    try PackedSegment.expand(
      block: packed.bytes, of: header, seed: seed, into: buffer.prepare(block.segmentByteCount))
  }

  /// Loads a packed segment and expands it; see `PackedSegment`.
  mutating func loadPacked(_ file: any StorageFile, path: FilePath, hashing: Bool) throws(JournalError) {
    (source, readByteCount) = (nil, 0)
    do throws(StorageError) {
      try packed.load(file, limit: FormatLimits.segmentReadByteCountMaximum)
    } catch {
      throw .storage(error)
    }
    fileByteCount = packed.bytes.count
    var offset = 0
    do throws(FormatError) {
      var segment = try PackedSegment(packed.bytes)
      defer { offset = segment.offset }
      try segment.expand(into: buffer.prepare(segment.header.expandedByteCount), hashing: hashing)
    } catch .headerIncomplete, .fileIncomplete {
      throw .halfCopied(file: path, byteCount: packed.bytes.count)
    } catch {
      throw JournalError(error, file: path, offset: offset)
    }
  }
}

/// Memory for a file, aligned to pages; grows, and is used again.
struct PageBuffer: ~Copyable {
  private var base = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 4096)
  private var capacity = 1
  private var count = 0

  init() {}

  deinit { base.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Room for exactly `size` bytes; what stood there is gone.
  mutating func prepare(_ size: Int) -> UnsafeMutableRawBufferPointer {
    if size > capacity {
      base.deallocate()
      base = .allocate(byteCount: size, alignment: 4096)
      capacity = size
    }
    count = size
    return UnsafeMutableRawBufferPointer(start: base, count: size)
  }

  mutating func load(_ file: any StorageFile, limit: Int) throws(StorageError) {
    let room = prepare(min(try file.size(), limit))
    count = 0
    count = try file.readAll(into: room, at: 0)
  }
}
