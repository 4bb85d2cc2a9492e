internal import SystemPackage

/// The bytes of one segment file in memory; loaded again for the next.
struct SegmentImage: ~Copyable {
  private var base = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 4096)
  private var capacity = 1
  private var count = 0

  init() {}

  deinit { base.deallocate() }

  /// Valid until the next `load`.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// - Parameter limit: bytes beyond it are not read.
  mutating func load(_ file: any StorageFile, limit: Int) throws(StorageError) {
    let size = min(try file.size(), limit)
    if size > capacity {
      base.deallocate()
      base = .allocate(byteCount: size, alignment: 4096)
      capacity = size
    }
    count = 0
    count = try file.readAll(into: UnsafeMutableRawBufferPointer(start: base, count: size), at: 0)
  }
}
