internal import JournalFormat
public import SystemPackage

/// Ends a damaged journal where what is good of it ends, as its operator decides: a start never does that by itself.
///
/// ```
///   segment n                        segment n + 1         snapshot taken behind O
///   ──────good──────┤O── the rest    ─────────────         ─────────────
///        zeros from O on, at         set aside             set aside
///        full length; n.O.cut
/// ```
/// What cannot be cut inside (packed, archived, without a header) is set aside as a whole, and the journal goes on behind
/// the segment before. Records behind the end are given up, in the journal; all their bytes are kept.
public struct JournalRepair: Sendable {
  /// What is wrong, and what is done about it.
  public struct Finding: Sendable, Equatable {
    /// The first thing that is wrong.
    public let error: JournalError
    /// The last record that stays.
    public let lastPosition: UInt64
    /// Where a segment is cut; nil if nothing is cut inside one.
    public let cut: Cut?
    /// Segments and snapshots that are set aside as a whole.
    public let setAside: [FilePath]
  }

  public struct Cut: Sendable, Equatable {
    public let file: FilePath
    /// The end of the last good frame.
    public let offset: Int
    /// What the file is to be as long as again.
    public let segmentByteCount: Int
    /// Bytes from `offset` on that are not zeros, up to the last such byte.
    public let byteCount: Int
  }

  private let directory: JournalDirectory

  /// - Parameter archive: where old segments are; `archive` below `directory` if nil.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, archive: archive, storage: storage)
  }

  /// Looks for the first thing that is wrong; changes nothing. Beside a live writer it may take for wrong what is only
  /// being written.
  ///
  /// - Returns: nil if nothing is: what a crash tore is not damage, and the next start cuts it off.
  /// - Throws: what no cut mends: a foreign file, a newer format, a journal of which nothing would be left; `storage`.
  public func examine() throws(JournalError) -> Finding? {
    let numbers = try directory.madeSegmentNumbers()
    var survey = Survey(directory: directory)
    for number in numbers {
      do throws(JournalError) {
        try survey.read(number, isLast: number == numbers.last)
      } catch {
        return try finding(error, survey, number)
      }
    }
    return nil
  }

  /// Examines the journal and does what the finding says.
  ///
  /// - Returns: the finding, and under which names the rest is kept; nil if nothing is wrong.
  /// - Throws: as `examine`; `locked` if a server or somebody else works on the journal.
  public func truncate() throws(JournalError) -> (finding: Finding, kept: [FilePath])? {
    let lock = try directory.claim()
    defer { lock.release() }
    return try directory.maintain { () throws(JournalError) in
      guard let finding = try examine() else { return nil }
      do throws(StorageError) { return (finding, try carryOut(finding)) } catch { throw .storage(error) }
    }
  }

  private func finding(
    _ error: JournalError, _ survey: borrowing Survey, _ number: UInt64
  ) throws(JournalError) -> Finding {
    switch error {
    case .damaged, .halfCopied, .cutShort, .missingSegment, .brokenSequence, .historyChanged, .epochFell: break
    default: throw error
    }
    let places: [SegmentPlace]
    do throws(StorageError) { places = try directory.places() } catch { throw .storage(error) }
    let cut = survey.cut
    // Nothing would be left: a new journal is begun in a new directory.
    guard cut != nil || survey.endOfSegmentBefore != nil else { throw error }
    let lastPosition = (cut == nil ? survey.endOfSegmentBefore : survey.end) ?? 0
    let segments = places.filter { cut == nil ? $0.number >= number : $0.number > number }.map(\.path)
    let snapshots: [SnapshotFile]
    do throws(SnapshotError) {
      snapshots = try SnapshotStore(directory: directory.path, storage: directory.storage).all()
    } catch .storage(let error) {
      throw .storage(error)
    } catch {
      snapshots = []
    }
    return Finding(
      error: error, lastPosition: lastPosition, cut: cut,
      // From the end on: a crash in between leaves a journal without a gap.
      setAside: snapshots.filter { $0.position > lastPosition }.map(\.path) + segments.reversed())
  }

  private func carryOut(_ finding: Finding) throws(StorageError) -> [FilePath] {
    let storage = directory.storage
    var kept: [FilePath] = []
    let file = try finding.cut.map { cut throws(StorageError) in try storage.open(cut.file, .readWrite) }
    defer { file?.close() }
    if let file, let cut = finding.cut, cut.byteCount > 0 {
      var image = SegmentImage()
      try image.load(file, limit: FormatLimits.segmentReadByteCountMaximum)
      let side = try directory.unusedCut(cut.file, offset: cut.offset)
      try directory.keepAside(
        UnsafeRawBufferPointer(rebasing: image.bytes[cut.offset..<(cut.offset + cut.byteCount)]), in: side)
      kept.append(side)
    }
    for path in finding.setAside {
      // A snapshot goes to the journal's own directory, where an erasure looks for what was cut off.
      let isSegment = [directory.path, directory.archive].contains(path.removingLastComponent())
      let beside = isSegment ? path : directory.path.appending(path.lastComponent?.string ?? "snapshot")
      let side = try directory.unusedCut(beside, offset: 0)
      try storage.rename(path, to: side)
      try storage.synchronizeDirectory(side.removingLastComponent())
      if !isSegment { try storage.synchronizeDirectory(path.removingLastComponent()) }
      kept.append(side)
    }
    // Last: what is kept is on the disk.
    if let file, let cut = finding.cut { try file.writeZeros(cut.offset..<cut.segmentByteCount) }
    return kept
  }
}

/// Reads a journal segment by segment, up to where it is good.
private struct Survey: ~Copyable {
  let directory: JournalDirectory
  private var image = SegmentImage()
  private var decoder = FrameDecoder()
  private var walk = SegmentWalk()
  /// The last position of the segments before the one that was read last; nil before the second.
  private(set) var endOfSegmentBefore: UInt64?
  /// The last position of all that is good.
  private(set) var end: UInt64 = 0
  /// Where the segment that was read last may be cut; nil if it may not, and after one that is good.
  private(set) var cut: JournalRepair.Cut?
  private var hasSegment = false

  init(directory: JournalDirectory) { self.directory = directory }

  /// - Throws: what is wrong with it.
  mutating func read(_ number: UInt64, isLast: Bool) throws(JournalError) {
    if hasSegment { endOfSegmentBefore = end }
    let place = try directory.load(number, into: &image, hashing: true)
    let bytes = image.bytes
    // Its length is judged at the end: what is good of a segment that was cut off stays.
    var scanner = try walk.enter(
      bytes, number: number, file: place.path, oldestNeeded: .max,
      isLast: isLast && bytes.count < FormatLimits.segmentHeaderByteCount, directory: directory)
    let header = scanner.header
    end = header.firstPosition - 1
    var offset = scanner.offset
    var previousHash = scanner.chainHash
    decoder.beginSegment()
    do {
      while let frame = try scanner.next() {
        // Those of a packed segment were checked when it was expanded.
        try decoder.forEachRecord(of: frame, in: bytes, previousHash: place.form == .packed ? nil : previousHash) {
          _ in
        }
        previousHash = frame.header.chainHash
        offset = frame.endOffset
        end = frame.header.endPosition - 1
      }
      if isLast, bytes.count < header.segmentByteCount {
        throw JournalError.cutShort(file: place.path, byteCount: bytes.count, whole: header.segmentByteCount)
      }
      _ = try walk.judgeEnd(scanner, file: place.path, byteCount: bytes.count, isLast: isLast)
      walk.leave(scanner)
      hasSegment = true
    } catch let error as JournalError {
      cut = Self.cut(place, header, at: offset, bytes)
      throw error
    } catch let error as FormatError {
      cut = Self.cut(place, header, at: offset, bytes)
      throw JournalError(error, file: place.path, offset: offset)
    } catch {
      preconditionFailure("a segment in memory throws what is wrong with its format only")
    }
  }

  private static func cut(
    _ place: SegmentPlace, _ header: SegmentHeader, at offset: Int, _ bytes: UnsafeRawBufferPointer
  ) -> JournalRepair.Cut? {
    guard place.form == .plain, !place.isArchived else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    return JournalRepair.Cut(
      file: place.path, offset: offset, segmentByteCount: header.segmentByteCount, byteCount: rest.endOfLastNonzero)
  }
}
