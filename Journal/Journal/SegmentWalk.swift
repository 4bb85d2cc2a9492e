internal import JournalFormat
internal import SystemPackage

/// Checks that segments follow each other: numbers, ids, positions, chain hashes, epochs.
struct SegmentWalk {
  private var previous: SegmentHeader?
  private var nextPosition: UInt64 = 0
  private var chainHash = Hash256.zero
  var lastFrameHasRecords = false

  /// A scanner over the next segment, whose header was checked against the one before.
  ///
  /// - Parameters:
  ///   - oldestNeeded: the first segment must not begin after this position.
  ///   - isLast: then it must have the length that it was made with: what a crash tears stays in a file of full length,
  ///     so a shorter one was cut, whatever stands at its end.
  mutating func enter(
    _ bytes: UnsafeRawBufferPointer, number: UInt64, file: FilePath, oldestNeeded: UInt64, isLast: Bool,
    directory: JournalDirectory
  ) throws(JournalError) -> SegmentScanner {
    let scanner: SegmentScanner
    do {
      scanner = try SegmentScanner(bytes)
    } catch {
      if isLast, error == .headerIncomplete { throw .cutShort(file: file, byteCount: bytes.count, whole: nil) }
      throw JournalError(error, file: file, offset: error == .headerIncomplete ? bytes.count : 0)
    }
    let header = scanner.header
    guard header.number == number else { throw .brokenSequence(file) }
    if let previous {
      guard number == previous.number + 1 else { throw .missingSegment(directory.segment(previous.number + 1)) }
      guard header.previousID == previous.id, header.firstPosition == nextPosition else { throw .brokenSequence(file) }
      guard header.previousHash == chainHash else { throw .historyChanged(file) }
      guard header.epoch >= previous.epoch else {
        throw .epochFell(file: file, from: previous.epoch, to: header.epoch)
      }
    } else if header.firstPosition > oldestNeeded {
      throw .missingSegment(directory.segment(number > 1 ? number - 1 : 1))
    }
    guard !isLast || bytes.count >= header.segmentByteCount else {
      throw .cutShort(file: file, byteCount: bytes.count, whole: header.segmentByteCount)
    }
    return scanner
  }

  mutating func leave(_ scanner: SegmentScanner) {
    previous = scanner.header
    nextPosition = scanner.nextPosition
    chainHash = scanner.chainHash
  }

  /// Whether a segment may end as it does.
  ///
  /// - Parameter byteCount: as many bytes as the file has.
  /// - Returns: bytes of a write in progress, or torn, after the last frame.
  /// - Throws: `damaged`, `halfCopied`.
  func judgeEnd(_ scanner: SegmentScanner, file: FilePath, byteCount: Int, isLast: Bool) throws(JournalError) -> Int {
    switch scanner.verdict() {
    case .clean where isLast || scanner.isSealed:
      return 0
    case .torn(let range) where isLast && !scanner.isSealed:
      return range.count
    case .clean, .torn, .damaged:
      guard scanner.isSealed || isLast || byteCount >= scanner.header.segmentByteCount else {
        throw .halfCopied(file: file, byteCount: byteCount)
      }
      throw .damaged(file: file, offset: scanner.offset, reason: .frameDamaged)
    }
  }
}
