internal import JournalFormat
internal import SystemPackage

/// The bytes of one segment in memory; loaded again for the next.
struct SegmentImage: ~Copyable {
  private var buffer = PageBuffer()
  /// A packed file as it is on the disk.
  private var packed = PageBuffer()
  /// Bytes of the file that was loaded, or of as much of it as was wanted.
  private(set) var fileByteCount = 0

  init() {}

  /// Valid until the next `load`.
  var bytes: UnsafeRawBufferPointer { buffer.bytes }

  /// - Parameter limit: bytes beyond it are not read.
  mutating func load(_ file: any StorageFile, limit: Int) throws(StorageError) {
    try buffer.load(file, limit: limit)
    fileByteCount = buffer.bytes.count
  }

  /// Loads a packed segment and expands it; see `PackedSegment`.
  mutating func loadPacked(_ file: any StorageFile, path: FilePath, hashing: Bool) throws(JournalError) {
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
