public import JournalFormat

extension JournalReader {
  /// Where the journal ends now: behind the last whole frame that its writer has written, perhaps not yet synced. All
  /// that was acknowledged before this was called stands before it.
  ///
  /// - Returns: nil without a segment.
  /// - Throws: what is wrong with the last segment; `storage`.
  public func end() throws(JournalError) -> CopyEnd? {
    guard let number = try directory.madeSegmentNumbers().last else { return nil }
    var image = SegmentImage()
    guard let place = try load(number, into: &image, hashing: false, isLast: true, mayBeGone: false) else { return nil }
    do throws(FormatError) {
      var scanner = try SegmentScanner(image.bytes)
      while try scanner.next() != nil {}
      if case .damaged = scanner.verdict() { throw .frameDamaged }
      return CopyEnd(scanner)
    } catch {
      throw JournalError(error, file: place.path, offset: image.bytes.count)
    }
  }

  /// Whether this journal is the same as another up to a point of that one.
  ///
  /// - Throws: `missingSegment` if the point's segment is not there (any more); what is wrong with it.
  public func holds(_ point: JournalPoint) throws(JournalError) -> Bool {
    var image = SegmentImage()
    let place = try directory.load(point.segmentNumber, into: &image, hashing: true)
    do throws(FormatError) {
      var scanner = try SegmentScanner(image.bytes)
      guard scanner.header.id == point.segmentID else { return false }
      // Frames without records end where the one before does.
      var isFound = scanner.nextPosition == point.position + 1 && scanner.chainHash == point.chainHash
      while !isFound, let frame = try scanner.next() {
        isFound = frame.header.endPosition == point.position + 1 && frame.header.chainHash == point.chainHash
      }
      return isFound
    } catch {
      throw JournalError(error, file: place.path, offset: image.bytes.count)
    }
  }

  /// The id of segment `number`; nil if it is not there.
  ///
  /// - Throws: what is wrong with its header.
  public func segmentID(of number: UInt64) throws(JournalError) -> SegmentID? {
    try directory.headerIfThere(of: number)?.id
  }
}
