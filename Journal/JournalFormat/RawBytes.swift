internal import CChecksum

extension UnsafeRawBufferPointer {
  /// A little-endian number; `offset` and its width must lie inside.
  func little<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Number.Type) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The bytes of `range`, which must lie inside.
  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

  package var isZero: Bool { count == 0 || carillon_is_zero(baseAddress, count) != 0 }

  /// The end of the last byte that is not zero; 0 if all are.
  package var endOfLastNonzero: Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if slice(middle..<high).isZero { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// CRC-32C, continued from `seed`.
  package func checksum(seed: UInt32) -> UInt32 { carillon_crc32c(seed, baseAddress, count) }

  /// The same as processors without an instruction for it compute it.
  func checksumByTable(seed: UInt32) -> UInt32 { carillon_crc32c_portable(seed, baseAddress, count) }

  /// Where the four bytes of `word`, little-endian, stand first at or after `offset`.
  func firstOffset(of word: UInt32, from offset: Int) -> Int? {
    guard offset < count, let base = baseAddress else { return nil }
    let found = withUnsafeBytes(of: word.littleEndian) {
      carillon_find4(base + offset, count - offset, $0.baseAddress)
    }
    return found < 0 ? nil : offset + found
  }
}

extension UnsafeMutableRawBufferPointer {
  func store<Number: FixedWidthInteger & BitwiseCopyable>(_ value: Number, little offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
  }
}

/// Bytes that grow and are used again; the room beyond `count` is not initialised.
struct ByteStore: ~Copyable {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 64)
    base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { base.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count, "truncation only shortens")
    count = newCount
  }

  /// Makes room for `more` bytes and returns where they go; `advance` then counts them.
  mutating func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if count + more > capacity {
      let wider = max(capacity * 2, count + more)
      let moved = UnsafeMutableRawPointer.allocate(byteCount: wider, alignment: 16)
      moved.copyMemory(from: base, byteCount: count)
      base.deallocate()
      base = moved
      capacity = wider
    }
    return base + count
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let from = bytes.baseAddress else { return }
    reserve(bytes.count).copyMemory(from: from, byteCount: bytes.count)
    advance(bytes.count)
  }

  mutating func advance(_ more: Int) {
    precondition(count + more <= capacity, "only reserved bytes are counted")
    count += more
  }
}
