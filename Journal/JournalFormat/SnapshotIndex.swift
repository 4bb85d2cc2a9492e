/// The entries of one index block, as bytes.
public struct SnapshotIndexBlock: ~Copyable {
  private var store = ByteStore(capacity: SnapshotLimits.blockByteCount)
  private var lastBlockOffset: UInt64 = 0

  public init() {}

  public var byteCount: Int { store.count }
  public var bytes: UnsafeRawBufferPointer { store.bytes }

  public mutating func removeAll() {
    store.truncate(to: 0)
    lastBlockOffset = 0
  }

  /// Appends an entity with the place of its state; places come in order.
  public mutating func add(
    kind: UInt8, sequence: UInt64, key: String, brief: [UInt8], blockOffset: Int, start: Int, stateByteCount: Int
  ) {
    begin(kind: kind, flags: 0, sequence: sequence, key: key)
    put(UInt64(brief.count))
    brief.withUnsafeBytes { put($0) }
    put(UInt64(blockOffset) - lastBlockOffset)
    lastBlockOffset = UInt64(blockOffset)
    put(UInt64(start))
    put(UInt64(stateByteCount))
  }

  public mutating func addFinished(kind: UInt8, sequence: UInt64, key: String) {
    begin(kind: kind, flags: Self.finishedFlag, sequence: sequence, key: key)
  }

  static let finishedFlag: UInt8 = 1

  private mutating func begin(kind: UInt8, flags: UInt8, sequence: UInt64, key: String) {
    let place = store.reserve(2)
    place.storeBytes(of: kind, as: UInt8.self)
    place.storeBytes(of: flags, toByteOffset: 1, as: UInt8.self)
    store.advance(2)
    put(sequence)
    var key = key
    key.withUTF8 { text in
      put(UInt64(text.count))
      put(UnsafeRawBufferPointer(text))
    }
  }

  private mutating func put(_ value: UInt64) {
    let place = store.reserve(10)
    store.advance(Varint.write(value, to: place) - place)
  }

  private mutating func put(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    store.reserve(bytes.count).copyMemory(from: base, byteCount: bytes.count)
    store.advance(bytes.count)
  }
}

/// Reads the entries of an index block; every length is bounded before it is believed.
public struct SnapshotIndexCursor {
  private let bytes: UnsafeRawBufferPointer
  private let limit: UInt64
  private var offset = 0
  private var lastBlockOffset: UInt64 = 0

  /// - Parameters:
  ///   - bytes: the plain bytes of the block; they outlive the cursor.
  ///   - blockOffset: where the block stands in the file: the states of its entries stand before it.
  public init(_ bytes: UnsafeRawBufferPointer, at blockOffset: Int) {
    self.bytes = bytes
    limit = UInt64(blockOffset)
  }

  /// The next entry; nil at the end.
  ///
  /// - Throws: `damaged` with the offset of the block.
  public mutating func next() throws(SnapshotFormatError) -> SnapshotEntry? {
    guard offset < bytes.count else { return nil }
    guard let entry = read() else { throw .damaged(offset: Int(limit)) }
    return entry
  }

  private mutating func read() -> SnapshotEntry? {
    guard bytes.count - offset > 2 else { return nil }
    let kind = bytes[offset]
    let flags = bytes[offset + 1]
    offset += 2
    guard flags <= SnapshotIndexBlock.finishedFlag, let sequence = number(),
      let keyBytes = bytes(atMost: FormatLimits.keyByteCountMaximum),
      let key = String(validating: keyBytes, as: UTF8.self)
    else { return nil }
    guard flags != SnapshotIndexBlock.finishedFlag else {
      return SnapshotEntry(kind: kind, sequence: sequence, key: key, isFinished: true, brief: [], place: .none)
    }
    guard let brief = bytes(atMost: SnapshotLimits.briefByteCountMaximum), let delta = number(), let start = number(),
      let byteCount = number(), delta <= limit - lastBlockOffset
    else { return nil }
    let blockOffset = lastBlockOffset + delta
    let stateMaximum = UInt64(SnapshotLimits.stateByteCountMaximum)
    guard blockOffset >= UInt64(SnapshotLimits.headerByteCount), blockOffset < limit || byteCount == 0,
      start <= stateMaximum, byteCount <= stateMaximum
    else { return nil }
    lastBlockOffset = blockOffset
    return SnapshotEntry(
      kind: kind, sequence: sequence, key: key, isFinished: false, brief: Array(brief),
      place: SnapshotPlace(blockOffset: blockOffset, start: UInt32(start), byteCount: UInt32(byteCount)))
  }

  private mutating func number() -> UInt64? {
    guard let base = bytes.baseAddress else { return nil }
    return Varint.read(base, &offset, end: bytes.count)
  }

  private mutating func bytes(atMost maximum: Int) -> UnsafeRawBufferPointer? {
    guard let count = number(), count <= UInt64(min(maximum, bytes.count - offset)) else { return nil }
    defer { offset += Int(count) }
    return bytes.slice(offset..<(offset + Int(count)))
  }
}
