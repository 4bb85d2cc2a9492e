/// One part of a file of the record index: which terms the records of a stretch of the segment have (`FORMAT.md`,
/// "Record index"). Its rows are in memory; its blocks, which hold the terms, are read one by one.
///
/// ```
///  head │ restart points │ silences │ fences │ blocks
///       each fence: the lowest term of a block, where it begins, and its checksum
/// ```
public struct RecordIndexPart: Sendable, Equatable {
  static let magic: UInt32 = 0x3178_4943  // "CIx1"
  public static let headByteCount = 128
  static let rowByteCount = 16
  static let silenceByteCount = 24

  /// A frame that refers to nothing before it.
  public struct RestartPoint: Sendable, Equatable {
    public let position: UInt64
    /// In the segment, as long as that is not packed.
    public let offset: Int

    public init(position: UInt64, offset: Int) {
      self.position = position
      self.offset = offset
    }
  }

  struct Fence: Sendable, Equatable {
    var lowest: UInt64
    /// From the first block on.
    var offset: Int
    var checksum: UInt32
  }

  public internal(set) var firstPosition: UInt64
  /// The position after the last record.
  public internal(set) var endPosition: UInt64
  /// Whether the seal of the segment is in it.
  public internal(set) var isFinal: Bool
  /// The segment was packed when it was read: there are no restart points, and no offsets.
  public internal(set) var isPacked: Bool
  /// Where its last frame begins in the segment, and where it ends.
  public internal(set) var lastFrameOffset: Int
  public internal(set) var endOffset: Int
  /// Of its last frame.
  public internal(set) var chainHash: Hash256
  /// What is known of starts of the server after its last frame.
  public internal(set) var starts: StartDetector
  public internal(set) var restartPoints: [RestartPoint]
  public internal(set) var silences: [StartDetector.Silence]
  var fences: [Fence]
  var blocksByteCount: Int

  /// Head and rows.
  public var rowsByteCount: Int {
    Self.headByteCount + (restartPoints.count + fences.count) * Self.rowByteCount
      + silences.count * Self.silenceByteCount
  }
  public var byteCount: Int { rowsByteCount + blocksByteCount }

  /// Whether these, the first 88 bytes of a frame, are those of its last one.
  public func ends(with head: UnsafeRawBufferPointer) -> Bool {
    head.count >= FrameHeader.byteCount && head.little(0, as: UInt32.self) == FrameHeader.magic
      && Hash256(head.slice(56..<FrameHeader.byteCount)) == chainHash
  }

  // MARK: Looking up

  /// The block in which a term is if it is anywhere: bytes from the beginning of the part; nil if there is none.
  public func block(of term: UInt64) -> Range<Int>? {
    guard let index = fenceIndex(of: term) else { return nil }
    let end = index + 1 < fences.count ? fences[index + 1].offset : blocksByteCount
    return (rowsByteCount + fences[index].offset)..<(rowsByteCount + end)
  }

  /// The positions of the records that have a term.
  /// - Parameter block: the bytes that `block` names.
  /// - Returns: nil if they are not what was written.
  public func positions(of term: UInt64, in block: UnsafeRawBufferPointer) -> [UInt64]? {
    guard let index = fenceIndex(of: term), let base = block.baseAddress,
      block.checksum(seed: 0) == fences[index].checksum
    else { return nil }
    var offset = 0
    while offset < block.count {
      guard block.count - offset > 8 else { return nil }
      let found = block.little(offset, as: UInt64.self)
      offset += 8
      guard let length = Varint.read(base, &offset, end: block.count), length <= UInt64(block.count - offset) else {
        return nil
      }
      let end = offset + Int(length)
      if found == term { return positions(base, offset, end) }
      if found > term { return [] }
      offset = end
    }
    return []
  }

  private func positions(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> [UInt64]? {
    var offset = start
    var found: [UInt64] = []
    var next = firstPosition
    while offset < end {
      guard let distance = Varint.read(base, &offset, end: end), distance < endPosition - next else { return nil }
      next += distance
      found.append(next)
      next += 1
    }
    return found
  }

  private func fenceIndex(of term: UInt64) -> Int? {
    var (low, high) = (0, fences.count)
    while low < high {
      let middle = (low + high) / 2
      if fences[middle].lowest <= term { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
