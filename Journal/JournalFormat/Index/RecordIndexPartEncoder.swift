/// Makes one part of a record index: takes the frames of a stretch of a segment and the terms of its records, in order.
public struct RecordIndexPartEncoder: Sendable {
  private struct Pair {
    let term: UInt64
    let position: UInt64
  }

  private var pairs: [Pair] = []
  public private(set) var part: RecordIndexPart

  /// - Parameters:
  ///   - firstPosition: of the first record to come.
  ///   - starts: what is known of starts of the server from the frames before.
  ///   - isPacked: whether the segment is packed.
  public init(firstPosition: UInt64, starts: StartDetector, isPacked: Bool) {
    part = RecordIndexPart(
      firstPosition: firstPosition, endPosition: firstPosition, isFinal: false, isPacked: isPacked, lastFrameOffset: 0,
      endOffset: 0, chainHash: .zero, starts: starts, restartPoints: [], silences: [], fences: [], blocksByteCount: 0)
  }

  public var pairCount: Int { pairs.count }
  public var recordCount: UInt64 { part.endPosition - part.firstPosition }

  /// Takes the next frame; its records follow.
  public mutating func add(_ frame: ScannedFrame, segmentNumber: UInt64) {
    let header = frame.header
    if let silence = part.starts.frame(header, segmentNumber: segmentNumber) { part.silences.append(silence) }
    part.endPosition = header.endPosition
    part.isFinal = header.flags.contains(.seal)
    part.chainHash = header.chainHash
    guard !part.isPacked else { return }
    (part.lastFrameOffset, part.endOffset) = (frame.offset, frame.endOffset)
    if header.flags.contains(.restart) {
      part.restartPoints.append(
        RecordIndexPart.RestartPoint(position: header.firstPosition, offset: frame.offset))
    }
  }

  /// Takes a term of a record of the last frame; a term that comes twice counts once.
  public mutating func add(_ term: UInt64, of position: UInt64) { pairs.append(Pair(term: term, position: position)) }

  /// All of it.
  /// - Parameter seed: the checksum of the part before, of the file's header for the first.
  public mutating func encoded(seed: UInt32) -> [UInt8] {
    let blocks = encodeBlocks()
    let (rows, _) = part.encodedRows(seed: seed)
    return rows + blocks
  }

  private mutating func encodeBlocks() -> [UInt8] {
    pairs.sort { ($0.term, $0.position) < ($1.term, $1.position) }
    part.fences = []
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pairs.count * 6)
    var blockStart = 0
    var lowest: UInt64?
    var index = 0
    while index < pairs.count {
      let term = pairs[index].term
      if lowest == nil { lowest = term }
      let entry = encodeEntry(from: &index)
      withUnsafeBytes(of: term.littleEndian) { bytes.append(contentsOf: $0) }
      Varint.append(UInt64(entry.count), to: &bytes)
      bytes.append(contentsOf: entry)
      if bytes.count - blockStart >= RecordIndexLimits.blockByteCount || index == pairs.count {
        part.fences.append(
          RecordIndexPart.Fence(
            lowest: lowest ?? term, offset: blockStart,
            checksum: bytes[blockStart...].withUnsafeBytes { $0.checksum(seed: 0) }))
        (blockStart, lowest) = (bytes.count, nil)
      }
    }
    part.blocksByteCount = bytes.count
    return bytes
  }

  /// The positions of the term at `index`, each as the distance from the one before; moves behind its last pair.
  private func encodeEntry(from index: inout Int) -> [UInt8] {
    let term = pairs[index].term
    var entry: [UInt8] = []
    var next = part.firstPosition
    while index < pairs.count, pairs[index].term == term {
      let position = pairs[index].position
      index += 1
      // The same pair once more.
      guard position >= next else { continue }
      Varint.append(position - next, to: &entry)
      next = position + 1
    }
    return entry
  }
}
