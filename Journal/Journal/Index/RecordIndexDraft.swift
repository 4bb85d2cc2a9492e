internal import JournalFormat
internal import SystemPackage

/// The next part of the index of one segment, while it is made.
final class RecordIndexDraft {
  let number: UInt64
  private let path: FilePath
  private let header: RecordIndexHeader
  private var image = SegmentImage()
  private var decoder = FrameDecoder()
  private var scanner: SegmentScanner
  private var encoder: RecordIndexPartEncoder
  /// Frames before it are known; in a plain segment the first ones are read only because later ones refer to them.
  private let startOffset: Int
  private let startPosition: UInt64
  /// How far the segment is in memory.
  private let readEnd: Int
  private let isWhole: Bool

  /// - Parameter file: what there is already; nil for nothing.
  /// - Throws: what is wrong with the segment; `StorageError`.
  init(
    _ segment: any StorageFile, _ place: SegmentPlace, after file: RecordIndexFile?, key: RecordIndexKey
  ) throws {
    (number, path) = (place.number, place.path)
    let restart = file?.restartPoints.last
    let from = restart?.offset ?? FormatLimits.segmentHeaderByteCount
    switch place.form {
    case .packed:
      try image.loadPacked(segment, path: place.path, hashing: false)
      readEnd = image.bytes.count
    case .plain:
      try image.begin(segment, limit: FormatLimits.segmentReadByteCountMaximum)
      readEnd = min(image.bytes.count, from + Limits.indexPieceByteCount)
      guard try image.read(0..<min(FormatLimits.segmentHeaderByteCount, readEnd)),
        from <= readEnd, try image.read(from..<readEnd)
      else { throw JournalError.halfCopied(file: place.path, byteCount: image.bytes.count) }
    }
    isWhole = readEnd == image.bytes.count
    do throws(FormatError) {
      scanner = try SegmentScanner(image.bytes)
    } catch {
      throw JournalError(error, file: place.path, offset: 0)
    }
    if let restart { scanner.jump(to: restart.offset, position: restart.position) }
    header = RecordIndexHeader(
      segmentNumber: scanner.header.number, segmentID: scanner.header.id, firstPosition: scanner.header.firstPosition,
      keyCheck: key.check)
    let last = file?.parts.last?.part
    startOffset = last?.endOffset ?? 0
    startPosition = last?.endPosition ?? scanner.header.firstPosition
    encoder = RecordIndexPartEncoder(
      firstPosition: startPosition, starts: last?.starts ?? StartDetector(),
      isPacked: place.form == .packed)
  }

  var isFinal: Bool { encoder.part.isFinal }
  var lastPosition: UInt64 { encoder.part.endPosition - 1 }

  /// Takes as many records as a part may have.
  ///
  /// - Returns: false if there is nothing, or too little, to make a part of.
  /// - Throws: what is wrong with the segment.
  func read(_ work: borrowing RecordIndex.Work) throws -> Bool {
    var offset = scanner.offset
    do {
      while encoder.pairCount < work.pairsMaximum, !isFinal {
        guard isWhole || scanner.offset + FormatLimits.frameReadByteCountMaximum <= readEnd else {
          return encoder.recordCount > 0
        }
        guard let frame = try scanner.next(), frame.header.endPosition <= work.position + 1 else {
          return encoder.recordCount >= max(work.recordsMinimum, 1)
        }
        guard work.isWanted() else { return false }
        offset = frame.offset
        try take(frame, work)
      }
      return true
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: offset)
    }
  }

  private func take(_ frame: ScannedFrame, _ work: borrowing RecordIndex.Work) throws {
    guard frame.offset >= startOffset else { return try decoder.forEachRecord(of: frame, in: image.bytes) { _ in } }
    guard
      frame.header.endPosition > startPosition || (frame.header.isEmpty && frame.header.endPosition == startPosition)
    else { return }
    encoder.add(frame, segmentNumber: number)
    let (key, terms) = (work.key, work.terms)
    try decoder.forEachRecord(of: frame, in: image.bytes) { record in
      let position = record.position
      for term in terms(record, key) { encoder.add(term, of: position) }
    }
  }

  /// What is to be written: behind what there is already, or as a file of its own.
  func encoded(behind file: RecordIndexFile?) -> [UInt8] {
    if let file { return encoder.encoded(seed: file.checksum) }
    let (bytes, seed) = header.encoded()
    return bytes + encoder.encoded(seed: seed)
  }
}
