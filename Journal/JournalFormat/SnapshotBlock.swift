internal import LZ4

/// The head of one block of a snapshot (`FORMAT.md`, "Snapshots").
public struct SnapshotBlock: Sendable, Equatable {
  /// What a block holds: its magic.
  public enum Kind: UInt32, Sendable {
    /// `CSs1`: states, one after the other.
    case states = 0x3173_5343
    /// `CSi1`: entries of the index.
    case index = 0x3169_5343
    /// `CSt1`: the offsets of all index blocks, in order.
    case table = 0x3174_5343

    var plainByteCountMaximum: Int {
      switch self {
      case .states, .table: SnapshotLimits.stateByteCountMaximum
      case .index: SnapshotLimits.blockByteCount * 2
      }
    }
  }

  public let bodyByteCount: Int
  public let plainByteCount: Int
  let isCompressed: Bool

  /// Header and body.
  public var byteCount: Int { SnapshotLimits.blockHeaderByteCount + bodyByteCount }

  /// Reads the head at the beginning of `bytes`; nothing of the body is looked at.
  ///
  /// - Returns: nil if none of this kind stands there, or a length is beyond its bound.
  public init?(_ bytes: UnsafeRawBufferPointer, kind: Kind) {
    guard bytes.count >= SnapshotLimits.blockHeaderByteCount, bytes.little(0, as: UInt32.self) == kind.rawValue else {
      return nil
    }
    bodyByteCount = Int(bytes.little(8, as: UInt32.self))
    plainByteCount = Int(bytes.little(12, as: UInt32.self))
    let codec = bytes.little(16, as: UInt32.self)
    isCompressed = codec == 1
    guard codec <= 1, plainByteCount <= kind.plainByteCountMaximum,
      isCompressed
        ? bodyByteCount < plainByteCount && plainByteCount <= bodyByteCount * SnapshotLimits.expansionMaximum
        : bodyByteCount == plainByteCount
    else { return nil }
  }

  /// Whether the checksum of the block at the beginning of `bytes` is right; see `unpack`.
  public func isWhole(_ bytes: UnsafeRawBufferPointer, seed: UInt32) -> Bool {
    bytes.count >= byteCount && bytes.slice(8..<byteCount).checksum(seed: seed) == bytes.little(4, as: UInt32.self)
  }

  /// The plain bytes of the block at the beginning of `bytes`; the checksum is checked before anything is unpacked.
  ///
  /// - Parameters:
  ///   - bytes: header and body.
  ///   - seed: the checksum of the snapshot's header.
  /// - Returns: nil if the block is damaged.
  public func unpack(_ bytes: UnsafeRawBufferPointer, seed: UInt32) -> [UInt8]? {
    guard isWhole(bytes, seed: seed) else { return nil }
    let body = bytes.slice(SnapshotLimits.blockHeaderByteCount..<byteCount)
    guard isCompressed else { return Array(body) }
    var isWhole = false
    let plain = [UInt8](unsafeUninitializedCapacity: plainByteCount) { target, count in
      let written = LZ4Block.decompress(body, into: UnsafeMutableRawBufferPointer(target), dictionaryByteCount: 0)
      isWhole = written == plainByteCount
      count = isWhole ? plainByteCount : 0
    }
    return isWhole ? plain : nil
  }
}

/// Makes the blocks of a snapshot, one after the other, in a buffer that it reuses.
public struct SnapshotBlockEncoder: ~Copyable {
  private var compressor = LZ4LinkedCompressor()
  private var output = ByteStore(capacity: 2 * SnapshotLimits.blockByteCount)
  private let seed: UInt32

  /// - Parameter seed: the checksum of the snapshot's header.
  public init(seed: UInt32) { self.seed = seed }

  /// The last block, as it goes to the disk; valid until the next call of `encode`.
  public var encodedBytes: UnsafeRawBufferPointer { output.bytes }

  public mutating func encode(_ plain: UnsafeRawBufferPointer, kind: SnapshotBlock.Kind) {
    precondition(plain.count <= kind.plainByteCountMaximum, "a block is within its bound")
    let head = SnapshotLimits.blockHeaderByteCount
    let bodyMaximum = LZ4Block.maximumCompressedByteCount(plain.count)
    output.truncate(to: 0)
    let block = output.reserve(head + bodyMaximum)
    let body = UnsafeMutableRawBufferPointer(start: block + head, count: bodyMaximum)
    var bodyCount = plain.count
    if !plain.isEmpty {
      compressor.restart()
      bodyCount = compressor.compress(plain, into: body)
    }
    let isCompressed = bodyCount < plain.count
    if !isCompressed {
      body.copyMemory(from: plain)
      bodyCount = plain.count
    }
    let bytes = UnsafeMutableRawBufferPointer(start: block, count: head + bodyCount)
    bytes.store(kind.rawValue, little: 0)
    bytes.store(UInt32(bodyCount), little: 8)
    bytes.store(UInt32(plain.count), little: 12)
    bytes.store(UInt32(isCompressed ? 1 : 0), little: 16)
    bytes.store(UnsafeRawBufferPointer(rebasing: bytes[8...]).checksum(seed: seed), little: 4)
    output.advance(bytes.count)
  }
}
