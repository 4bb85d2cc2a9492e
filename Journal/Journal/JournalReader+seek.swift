internal import JournalFormat
internal import SystemPackage

/// The way to a record in the midst of a segment: what stands before it is neither read nor unpacked.
extension JournalReader {
  /// Hands on frames from that with the record at `position` on, as far as they are at hand when it is found.
  ///
  /// - Parameter chain: entered into if the segment was read to its end.
  /// - Returns: the position to go on from; nil if no more is wanted.
  /// - Throws: as `readFrames`; what is in the way of finding it is left to whoever reads all.
  func seek(
    _ position: UInt64, in numbers: [UInt64], _ image: inout SegmentImage, _ decoder: inout FrameDecoder,
    _ chain: inout SegmentWalk, _ frame: FrameTaker
  ) throws -> UInt64? {
    guard !numbers.isEmpty else { return position }
    let number = numbers[try startingPlace(of: position, in: numbers)]
    let (place, file): (SegmentPlace, any StorageFile)
    do {
      (place, file) = try directory.open(number)
    } catch .missingSegment {
      return position
    }
    defer { file.close() }
    var next = position
    /// - Returns: false if no more is wanted.
    func take(_ scanner: inout SegmentScanner, _ image: borrowing SegmentImage) throws -> Bool {
      decoder.beginSegment()
      let wantsMore = try read(&scanner, &decoder, image.bytes, place.path, position, frame)
      next = max(next, scanner.nextPosition)
      guard wantsMore, scanner.isSealed else { return wantsMore }
      chain.leave(scanner)
      // Behind its last segment a journal has nothing.
      return number != numbers.last
    }
    switch place.form {
    case .plain:
      guard var scanner = try image.seek(position, in: file) else { return position }
      return try take(&scanner, image) ? next : nil
    case .packed:
      do {
        var blocks = try PackedBlocks(file)
        while var scanner = try blocks.next(with: next, into: &image)?.scanner {
          guard try take(&scanner, image) else { return nil }
        }
      } catch is FormatError {}
      return next
    }
  }
}

extension SegmentImage {
  /// Reads of a plain segment a stretch that has the record at `position`, from a frame that refers to nothing before it.
  ///
  /// - Returns: a scanner at that frame which ends with the stretch; nil if the segment is as short as one, or none.
  fileprivate mutating func seek(
    _ position: UInt64, in file: any StorageFile
  ) throws(StorageError) -> SegmentScanner? {
    try begin(file, limit: FormatLimits.segmentReadByteCountMaximum)
    let count = bytes.count
    guard count > Limits.segmentPieceByteCount, try read(0..<FormatLimits.segmentHeaderByteCount),
      let segment = try? SegmentScanner(bytes), segment.header.firstPosition <= position
    else { return nil }
    var start = (offset: segment.offset, position: segment.nextPosition)
    var (low, high) = (start.offset, count)
    while high - low > Limits.seekPieceByteCount {
      let middle = (low + high) / 2
      var found: ScannedFrame?
      var byteCount = Limits.seekPieceByteCount
      // Frames may be long, and those between two that refer to nothing many.
      while found == nil, byteCount <= Limits.segmentPieceByteCount {
        let piece = middle..<min(middle + byteCount, count)
        guard try read(piece) else { return nil }
        found = segment.restartPoint(in: piece)
        byteCount *= 2
      }
      if let found, found.header.firstPosition <= position {
        start = (found.offset, found.header.firstPosition)
        low = found.offset
      } else {
        high = middle
      }
    }
    let stretch = start.offset..<min(start.offset + Limits.segmentPieceByteCount, count)
    guard try read(stretch),
      var scanner = try? SegmentScanner(UnsafeRawBufferPointer(rebasing: bytes[..<stretch.upperBound]))
    else { return nil }
    scanner.jump(to: start.offset, position: start.position)
    return scanner
  }
}
