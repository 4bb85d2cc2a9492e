internal import JournalFormat
internal import SystemPackage

extension JournalRejoin {
  /// Where two segments that began as one have parted.
  struct Parting: Equatable {
    let segmentByteCount: Int
    let firstPosition: UInt64
    /// Behind the last frame that both have, in this journal's segment.
    var offset: Int
    /// Of the last record that both have.
    var position: UInt64
    /// The last record of this journal's segment, as far as it can be read.
    var end: UInt64
  }

  /// Compares frame by frame. Packing and redaction leave chain hashes as they were, so the forms may differ.
  ///
  /// - Throws: what is wrong with a header; `historyChanged` if the segments do not follow the same end.
  static func parting(
    _ own: UnsafeRawBufferPointer, _ ownPath: FilePath, _ other: UnsafeRawBufferPointer, _ otherPath: FilePath
  ) throws(JournalError) -> Parting {
    var scanner = try Self.scanner(own, ownPath)
    var others = try Self.scanner(other, otherPath)
    guard scanner.header.id == others.header.id, scanner.header.previousHash == others.header.previousHash,
      scanner.header.firstPosition == others.header.firstPosition, scanner.header.epoch == others.header.epoch
    else { throw .historyChanged(ownPath) }
    var parting = Parting(
      segmentByteCount: scanner.header.segmentByteCount, firstPosition: scanner.header.firstPosition,
      offset: scanner.offset, position: scanner.nextPosition - 1, end: scanner.nextPosition - 1)
    // What cannot be read here is fetched again, what cannot be read there is found out when it is.
    while let frame = try? scanner.next(), let same = try? others.next(),
      frame.header.chainHash == same.header.chainHash, frame.header.endPosition == same.header.endPosition
    {
      parting.offset = frame.endOffset
      parting.position = frame.header.endPosition - 1
    }
    while (try? scanner.next()) != nil {}
    parting.end = scanner.nextPosition - 1
    return parting
  }

  private static func scanner(
    _ bytes: UnsafeRawBufferPointer, _ path: FilePath
  ) throws(JournalError) -> SegmentScanner {
    do throws(FormatError) {
      return try SegmentScanner(bytes)
    } catch {
      throw JournalError(error, file: path, offset: error == .headerIncomplete ? bytes.count : 0)
    }
  }
}
