internal import JournalFormat
internal import SystemPackage

/// Reads the leaves of a journal's records out of its segments, wherever they lie and in whatever form: also those of
/// redacted records, which stay.
struct LeafReader {
  let journal: JournalDirectory
  /// Asked before each segment and now and then inside; once it says no, nothing more is read.
  var isWanted: @Sendable () -> Bool = { true }

  /// Adds 32 bytes for each record that follows the one before.
  typealias Taker = (_ entries: [UInt8]) throws -> Void

  /// Whether the journal has the point in its history, or goes on right behind it.
  ///
  /// - Throws: `JournalError`, but for a segment that is gone.
  func holds(_ point: JournalPoint) throws -> Bool {
    do {
      return try read(after: point, upTo: point.position) { _ in } != nil
    } catch JournalError.missingSegment {
      return false
    }
  }

  /// Hands on the leaves behind `point`, of one segment.
  ///
  /// - Parameters:
  ///   - point: nil for the beginning of the journal.
  ///   - position: of the last record that is wanted; records up to it are on the disk.
  /// - Returns: how far it has come; as far as before, if there is nothing yet. Nil if the point is none of this journal.
  /// - Throws: `JournalError`; `missingSegment` if what stands behind the point is gone. What `take` throws.
  func read(after point: JournalPoint?, upTo position: UInt64, _ take: Taker) throws -> JournalPoint? {
    var point = point
    // The segment of the point may have nothing more, and the next one may have been ended before it had a record.
    while true {
      guard let place = try place(after: point) else { return point }
      guard place.number > 0 else { return nil }
      var stretch = LeafStretch(journal: journal, point: point, position: position, isWanted: isWanted)
      let reached = try stretch.read(place.number, isLast: place.isLast, take)
      guard let reached, reached.position == point?.position ?? 0, stretch.isAtSeal, !place.isLast else {
        return reached
      }
      point = reached
    }
  }

  /// The segment in which the record behind a point stands, as far as that can be told; 0 if the point is none of this
  /// journal, nil if there are no segments.
  private func place(after point: JournalPoint?) throws -> (number: UInt64, isLast: Bool)? {
    let numbers = try journal.numbers()
    guard let first = numbers.first, let last = numbers.last else { return nil }
    guard let point else {
      guard try journal.header(of: first).header.firstPosition == 1 else {
        throw JournalError.missingSegment(journal.segment(first > 1 ? first - 1 : 1))
      }
      return (first, first == last)
    }
    let next = point.segmentNumber + 1
    if numbers.contains(next) {
      let header = try journal.header(of: next).header
      let follows = header.previousID == point.segmentID && header.firstPosition == point.position + 1
      if follows, header.previousHash == point.chainHash { return (next, next == last) }
    }
    guard numbers.contains(point.segmentNumber) else {
      if first > point.segmentNumber { throw JournalError.missingSegment(journal.segment(point.segmentNumber)) }
      return (0, false)
    }
    guard try journal.header(of: point.segmentNumber).header.id == point.segmentID else { return (0, false) }
    return (point.segmentNumber, point.segmentNumber == last)
  }
}

/// The leaves of one segment behind a point.
private struct LeafStretch: ~Copyable {
  private let journal: JournalDirectory
  private let point: JournalPoint?
  private let position: UInt64
  private let isWanted: @Sendable () -> Bool
  private(set) var isAtSeal = false
  /// The point has gone by.
  private var isFound = false
  /// Frames before the point since the last restart point: those behind it may refer to them.
  private var held: [ScannedFrame] = []
  private var decoder = FrameDecoder()
  private var entries: [UInt8] = []
  private var previousHash = Hash256.zero

  init(
    journal: JournalDirectory, point: JournalPoint?, position: UInt64, isWanted: @escaping @Sendable () -> Bool
  ) {
    self.journal = journal
    self.point = point
    self.position = position
    self.isWanted = isWanted
  }

  /// Of the last record before the leaves.
  private var start: UInt64 { point?.position ?? 0 }

  mutating func read(_ number: UInt64, isLast: Bool, _ take: LeafReader.Taker) throws -> JournalPoint? {
    let header = try journal.header(of: number).header
    isFound = header.firstPosition == start + 1 && header.previousHash == point?.chainHash ?? .zero
    var image = SegmentImage()
    // Inside a block of a packed segment a frame has its chain hash only if all are computed.
    let place = try journal.load(number, into: &image, hashing: !isFound)
    // Without them it is taken as a whole; all of it is on the disk.
    let isWhole = place.form == .packed && isFound
    var offset = 0
    do {
      var scanner = try SegmentScanner(image.bytes)
      previousHash = scanner.chainHash
      var reached = point
      while isWhole || isWanted() {
        offset = scanner.offset
        guard let frame = try scanner.next() else {
          if !isLast, !scanner.isSealed { throw FormatError.frameDamaged }
          break
        }
        offset = frame.offset
        guard isWhole || frame.header.endPosition <= position + 1 else { break }
        guard try add(frame, in: image.bytes, isWhole: isWhole) else { return nil }
        if isFound {
          reached = JournalPoint(
            position: frame.header.endPosition - 1, chainHash: frame.header.chainHash, segmentNumber: number,
            segmentID: header.id)
        }
        if entries.count >= Limits.leafPieceByteCount { try handOn(take) }
      }
      try decoder.finishChecks { $1.append(to: &entries) }
      guard isFound else { return nil }
      try handOn(take)
      isAtSeal = scanner.isSealed
      return reached
    } catch let error as FormatError {
      throw JournalError(error, file: place.path, offset: decoder.brokenFrameOffset ?? offset)
    }
  }

  /// - Returns: false if the point should have gone by, and has not.
  private mutating func add(_ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer, isWhole: Bool) throws -> Bool {
    let header = frame.header
    let hash = previousHash
    previousHash = header.chainHash
    if header.flags.contains(.restart) { held.removeAll(keepingCapacity: true) }
    if isFound, header.firstPosition > start {
      for earlier in held { try decoder.forEachRecord(of: earlier, in: bytes) { _ in } }
      held.removeAll(keepingCapacity: true)
      _ = try decoder.check(frame, in: bytes, previousHash: isWhole ? nil : hash) { $1.append(to: &entries) }
      return true
    }
    guard header.endPosition <= start + 1 else { return false }
    if !header.isEmpty { held.append(frame) }
    if header.endPosition == start + 1, header.chainHash == point?.chainHash { isFound = true }
    return true
  }

  private mutating func handOn(_ take: LeafReader.Taker) throws {
    guard !entries.isEmpty else { return }
    try take(entries)
    entries.removeAll(keepingCapacity: true)
  }
}
