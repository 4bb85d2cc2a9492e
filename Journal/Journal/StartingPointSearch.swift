internal import JournalFormat
internal import SystemPackage

/// Finds the point where a replay begins, and proves on the way that this journal holds it.
///
/// ```
///   searching ──a frame, or a segment, that ends or begins there with that chain hash──> found
///       │
///       └── a frame reaches beyond, or the segment ends: refused
/// ```
struct StartingPointSearch {
  private let point: JournalPoint?
  private let directory: JournalDirectory
  /// Until then chain hashes are needed.
  private(set) var isFound: Bool
  /// Frames before the point since the last restart point: those behind it may refer to their plain bytes.
  private var held: [ScannedFrame] = []

  init(_ point: JournalPoint?, directory: JournalDirectory) {
    self.point = point
    self.directory = directory
    isFound = point == nil
  }

  /// The position that the first segment must not begin after.
  var oldestNeeded: UInt64 { point.map { $0.position + 1 } ?? 1 }

  /// The segments that have to be read: from that of the point on, or from the next, whose header may show the point.
  func segments(of numbers: [UInt64]) throws(JournalError) -> ArraySlice<UInt64> {
    guard let point else { return numbers[...] }
    guard let last = numbers.last, last >= point.segmentNumber else {
      throw .startingPointBeyondEnd(directory: directory.path, point: point.position, end: 0)
    }
    guard let first = numbers.firstIndex(where: { $0 >= point.segmentNumber }),
      numbers[first] <= point.segmentNumber + 1
    else { throw .missingSegment(directory.segment(point.segmentNumber)) }
    return numbers[first...]
  }

  mutating func enter(_ scanner: SegmentScanner, file: FilePath) throws(JournalError) {
    held = []
    guard let point, !isFound else { return }
    let header = scanner.header
    let beginsHere = header.firstPosition == point.position + 1 && header.previousHash == point.chainHash
    if header.number == point.segmentNumber {
      guard header.id == point.segmentID, header.firstPosition <= point.position + 1 else {
        throw .foreignStartingPoint(file: file)
      }
    } else {
      // Only the header of the next segment is left of the point's own.
      guard header.previousID == point.segmentID else { throw .foreignStartingPoint(file: file) }
      guard beginsHere else { throw .missingSegment(directory.segment(point.segmentNumber)) }
    }
    isFound = beginsHere
  }

  /// Whether the records of `frame` are not to be replayed.
  ///
  /// - Throws: `foreignStartingPoint` if it reaches beyond a point that was not there.
  mutating func isBefore(_ frame: ScannedFrame, file: FilePath) throws(JournalError) -> Bool {
    guard let point, frame.header.endPosition <= point.position + 1 else {
      guard isFound else { throw .foreignStartingPoint(file: file) }
      return false
    }
    if frame.header.endPosition == point.position + 1, frame.header.chainHash == point.chainHash { isFound = true }
    if frame.header.flags.contains(.restart) { held.removeAll(keepingCapacity: true) }
    if !frame.header.isEmpty { held.append(frame) }
    return true
  }

  /// The frames that the first one behind the point may refer to; none at the second call.
  mutating func takeHeld() -> [ScannedFrame] {
    defer { held = [] }
    return held
  }

  /// A segment has ended: the point was in it.
  func leave(file: FilePath) throws(JournalError) {
    guard isFound else { throw .foreignStartingPoint(file: file) }
  }

  /// - Parameter end: the last position of the journal.
  func requireReached(end: UInt64) throws(JournalError) {
    guard let point, !isFound, end < point.position else { return }
    throw .startingPointBeyondEnd(directory: directory.path, point: point.position, end: end)
  }
}
