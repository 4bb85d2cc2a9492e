public import JournalFormat
internal import SystemPackage

extension JournalReader {
  /// Hands on records from `position` on, in order, until `record` has had enough. Begins with the segment that holds
  /// the position, and unpacks nothing of it that stands before: a long journal costs no more than a short one.
  ///
  /// Checks checksums, and the order of what it reads. What a writer has not finished yet is not there.
  /// - Parameters:
  ///   - frame: called for each frame that begins at `position` or behind it, before its records; once, also by a reader
  ///     that goes on where it stopped.
  ///   - record: returns false if it wants no more.
  /// - Throws: `JournalError`, or what a closure throws.
  public func read(
    from position: UInt64, frame: (FrameInfo) throws -> Void = { _ in }, record: (borrowing RecordView) throws -> Bool
  ) throws {
    try readFrames(from: position) { scanned, header, bytes, decoder in
      if scanned.header.firstPosition >= position {
        try frame(
          FrameInfo(
            segmentNumber: header.number, segmentID: header.id, offset: scanned.offset, header: scanned.header))
      }
      var wantsMore = true
      try decoder.forEachRecord(of: scanned, in: bytes) {
        if wantsMore, $0.position >= position { wantsMore = try record($0) }
      }
      return wantsMore
    }
  }

  /// Takes a frame that it unpacks itself, and says whether it wants more.
  typealias FrameTaker = (
    ScannedFrame, SegmentHeader, _ bytes: UnsafeRawBufferPointer, _ decoder: inout FrameDecoder
  ) throws -> Bool

  /// Hands on frames from that with the record at `position` on; see `read`.
  func readFrames(from position: UInt64, _ frame: FrameTaker) throws {
    do {
      var image = SegmentImage()
      var decoder = FrameDecoder()
      var chain = SegmentWalk()
      let numbers = try directory.segmentNumbers()
      var told: (segment: UInt64, offset: Int)?
      let sought = try seek(position, in: numbers, &image, &decoder, &chain) { scanned, header, bytes, decoder in
        told = (header.number, scanned.offset)
        return try frame(scanned, header, bytes, &decoder)
      }
      guard let position = sought else { return }
      var isFirst = true
      for number in try numbers[startingPlace(of: position, in: numbers)...] {
        let isLast = number == numbers.last
        // What retention deletes just now, from the beginning on, is not missed.
        guard let place = try load(number, into: &image, hashing: false, isLast: isLast, mayBeGone: !isLast && isFirst)
        else { continue }
        var scanner = try chain.enter(
          image.bytes, number: number, file: place.path, oldestNeeded: .max, isLast: isLast, directory: directory)
        isFirst = false
        decoder.beginSegment()
        let wantsMore = try read(&scanner, &decoder, image.bytes, place.path, position) {
          scanned, header, bytes, decoder in
          // Frames without records that stand at the position were told on the way to it.
          if let told, told.segment == header.number, scanned.offset <= told.offset { return true }
          return try frame(scanned, header, bytes, &decoder)
        }
        guard wantsMore else { return }
        _ = try chain.judgeEnd(scanner, file: place.path, byteCount: image.bytes.count, isLast: isLast)
        chain.leave(scanner)
      }
    } catch let error as StorageError {
      throw JournalError.storage(error)
    }
  }

  /// The last segment that begins at `position` or before it; the first one there is, if none does.
  func startingPlace(of position: UInt64, in numbers: [UInt64]) throws -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      let begins: UInt64
      do throws(JournalError) {
        begins = try directory.header(of: numbers[middle]).header.firstPosition
      } catch {
        // Deleted meanwhile, as the oldest ones are.
        guard case .missingSegment = error else { throw error }
        begins = 0
      }
      if begins <= position { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// - Returns: false if no more is wanted.
  func read(
    _ scanner: inout SegmentScanner, _ decoder: inout FrameDecoder, _ bytes: UnsafeRawBufferPointer, _ path: FilePath,
    _ position: UInt64, _ frame: FrameTaker
  ) throws -> Bool {
    /// Frames before the position that those behind it may refer to.
    var skipped: [ScannedFrame] = []
    var offset = scanner.offset
    do {
      while let scanned = try scanner.next() {
        offset = scanned.offset
        if scanned.header.flags.contains(.restart) { skipped.removeAll(keepingCapacity: true) }
        guard scanned.header.endPosition > position || scanned.header.firstPosition >= position else {
          skipped.append(scanned)
          continue
        }
        for earlier in skipped { try decoder.forEachRecord(of: earlier, in: bytes) { _ in } }
        skipped = []
        guard try frame(scanned, scanner.header, bytes, &decoder) else { return false }
      }
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: decoder.brokenFrameOffset ?? offset)
    }
    return true
  }
}
