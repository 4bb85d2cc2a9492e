import Journal
import JournalFormat
import StandbyWire
import Synchronization

/// Reads a journal's segments for one stream, from a place on, one after the other. Its calls block.
final class SegmentTail: Sendable {
  /// What was read of one segment.
  struct Piece: Sendable {
    let place: StandbyPlace
    let bytes: [UInt8]
    /// The file, if nothing follows in this segment: the one that was read, whatever has its name by now.
    let sealed: (byteCount: Int, version: String)?
  }

  private struct State {
    var place: StandbyPlace
    var file: ServedFile?
    var course: FrameCourse
  }

  private let directory: ServedDirectory
  private let state: Mutex<State>

  /// The end of what was read.
  var place: StandbyPlace { state.withLock { $0.place } }

  /// - Parameters:
  ///   - place: where a standby is to go on.
  ///   - chainHash: of the last frame before that place; nil, at a segment's beginning only, if nobody knows it.
  ///   - extent: how far the writer is.
  /// - Throws: `StandbyRefusal` if the two have no history in common up to there; `StorageError`, `FormatError`.
  init(_ directory: ServedDirectory, from place: StandbyPlace, chainHash: Hash256?, extent: StandbyExtent) throws {
    self.directory = directory
    guard place.segment <= extent.place.segment else { throw StandbyRefusal.ahead }
    let file = try Self.openPlain(place.segment, in: directory)
    let header = try file.read(at: 0, count: FormatLimits.segmentHeaderByteCount)
      .withUnsafeBytes { try SegmentHeader.decode($0).header }
    var isSealed = false
    let chainHash = chainHash ?? header.previousHash
    if place.offset == 0 || place.offset == FormatLimits.segmentHeaderByteCount {
      guard header.previousHash == chainHash else { throw StandbyRefusal.parted }
    } else {
      let isLive = place.segment == extent.place.segment
      guard !isLive || place.offset <= extent.place.offset else { throw StandbyRefusal.ahead }
      let end = isLive ? extent.place.offset : file.byteCount
      isSealed = try Self.find(place.offset, chainHash, in: file, of: header, before: end)
    }
    let course = FrameCourse(from: place.offset, chainHash: chainHash, isSealed: isSealed)
    state = Mutex(State(place: place, file: file, course: course))
  }

  /// The next bytes that are on the disk; nil if there are none before `extent`.
  ///
  /// - Throws: `StandbyRefusal.notKept` if the next segment lies there no more as it was; `StorageError`,
  ///   `FrameCourse.Damage`.
  func read(before extent: StandbyExtent, atMost count: Int) throws -> Piece? {
    try state.withLock { state in
      guard state.place < extent.place else { return nil }
      let isSealed = state.place.segment < extent.place.segment
      if state.course.isSealed, !isSealed { return nil }
      let file = try state.file ?? Self.openPlain(state.place.segment, in: directory)
      state.file = file
      let end = isSealed ? file.byteCount : extent.place.offset
      var bytes: [UInt8] = []
      if !state.course.isSealed {
        bytes = try file.read(at: state.place.offset, count: min(count, end - state.place.offset))
        guard !bytes.isEmpty else { throw FrameCourse.Damage(offset: state.place.offset) }
        try bytes.withUnsafeBytes { try state.course.take($0) }
        // Behind the seal there are zeros only.
        if state.course.isSealed { bytes.removeLast(state.place.offset + bytes.count - state.course.end) }
      }
      let place = state.place
      state.place.offset += bytes.count
      guard isSealed, state.course.isSealed else { return Piece(place: place, bytes: bytes, sealed: nil) }
      let next = FrameCourse(from: 0, chainHash: state.course.chainHash)
      state = State(place: StandbyPlace(segment: place.segment + 1, offset: 0), file: nil, course: next)
      return Piece(place: place, bytes: bytes, sealed: (file.byteCount, try file.currentVersion()))
    }
  }

  /// Makes sure that the standby's last frame ends here where it ends there.
  /// - Returns: whether it is the seal.
  private static func find(
    _ offset: Int, _ chainHash: Hash256, in file: ServedFile, of header: SegmentHeader, before end: Int
  ) throws -> Bool {
    var course = FrameCourse(from: 0, chainHash: header.previousHash)
    var read = 0
    var found: Int?
    while read < end, found == nil, !course.isSealed {
      let bytes = try file.read(at: read, count: min(StandbyLimits.pieceByteCountMaximum, end - read))
      guard !bytes.isEmpty else { break }
      read += bytes.count
      try bytes.withUnsafeBytes { try course.take($0) { if $1 == chainHash { found = $0 } } }
    }
    guard let found else { throw StandbyRefusal.parted }
    // The same history in other bytes: the segment was written anew.
    guard found == offset else { throw StandbyRefusal.notKept }
    return course.isSealed && course.end == found
  }

  private static func openPlain(_ number: UInt64, in directory: ServedDirectory) throws -> ServedFile {
    // In this order a segment that is moved meanwhile is found.
    for isArchived in [false, true] {
      if let file = try directory.openIfThere(.segment(number: number, isPacked: false, isArchived: isArchived)) {
        return file
      }
    }
    throw StandbyRefusal.notKept
  }
}
