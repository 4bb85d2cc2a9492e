internal import JournalFormat
public import SystemPackage

/// Ends a journal that nobody writes behind an earlier frame: what stands behind it is removed.
///
/// ```
///   segment n                        segment n + 1     snapshots and edges that may know more
///   ──────stays──────┤O── zeros      removed           removed
/// ```
/// Frames stay whole: what was written at once stays together. A crash in the middle leaves a journal that is no longer
/// what it was, and not yet what it is to be: its directory says meanwhile that nobody may write it.
public struct JournalCut: Sendable {
  /// The frame behind which a journal is to end.
  public struct Place: Sendable, Equatable {
    public let segment: UInt64
    /// The end of that frame, in bytes from the beginning of the segment in its plain form.
    public let offset: Int
    /// The last record that stays.
    public let position: UInt64
    /// The last record that there is.
    public let endPosition: UInt64
    /// Of records that stay, those that were erased.
    public let redactedCount: UInt64
  }

  private let directory: JournalDirectory

  /// - Parameter directory: the journal's own; its archive lies in it.
  public init(directory: FilePath, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, storage: storage)
  }

  /// The last frame before the first record that is not to stay.
  ///
  /// - Returns: nil if not even the first frame stays.
  /// - Throws: what is wrong with the journal.
  public func find(
    stays: (_ position: UInt64, _ timeMilliseconds: Int64) -> Bool
  ) throws -> Place? {
    var found: (segment: UInt64, offset: Int, position: UInt64)?
    var frame: FrameInfo?
    var (isOver, isFrameOver, redacted, redactedOfFrame) = (false, false, UInt64(0), UInt64(0))
    func close() {
      guard let info = frame, !isOver else { return }
      if isFrameOver {
        isOver = true
      } else {
        found = (info.segmentNumber, info.offset + info.header.byteCount, info.header.endPosition - 1)
        redacted += redactedOfFrame
      }
    }
    let report = try JournalReader(directory).walk(
      frame: {
        close()
        (frame, isFrameOver, redactedOfFrame) = ($0, false, 0)
      },
      record: {
        if !stays($0.position, $0.timeMilliseconds) { isFrameOver = true }
        if $0.isRedacted { redactedOfFrame += 1 }
      })
    close()
    guard let found, found.position >= report.firstPosition else { return nil }
    return Place(
      segment: found.segment, offset: found.offset, position: found.position, endPosition: report.lastPosition,
      redactedCount: redacted)
  }

  /// Whether a start has all that it needs once the journal ends at `place`: its beginning, or a snapshot that stays.
  ///
  /// - Throws: `storage`; what is wrong with the first segment.
  public func isStartable(at place: Place) throws(JournalError) -> Bool {
    guard let first = try directory.madeSegmentNumbers().first else { return false }
    let firstPosition = try directory.header(of: first).header.firstPosition
    return try JournalError.attempt { () throws(StorageError) in
      let due = try directory.snapshots(behind: place.position, hasParted: place.position < place.endPosition)
      let folder = directory.path.appending("snapshots")
      let kept = (try directory.namesIfThere(folder) ?? []).compactMap { SnapshotFile(name: $0, in: folder) }
        .filter { !due.contains($0.path) && $0.position + 1 >= firstPosition }
      return firstPosition <= 1 || !kept.isEmpty
    }
  }

  /// Has the journal end at `place`; durable when this returns.
  ///
  /// - Throws: `locked`; what is wrong with the segment; `storage`, `storageFull`.
  public func carryOut(_ place: Place) throws(JournalError) {
    guard place.position < place.endPosition else { return }
    let lock = try directory.claim()
    defer { lock.release() }
    var image = SegmentImage()
    let former = try directory.load(place.segment, into: &image, hashing: true)
    let byteCount: Int
    do throws(FormatError) {
      byteCount = try SegmentScanner(image.bytes).header.segmentByteCount
    } catch {
      throw JournalError(error, file: former.path, offset: 0)
    }
    let stays = UnsafeRawBufferPointer(rebasing: image.bytes[..<place.offset])
    try JournalError.attempt { () throws(StorageError) in
      try directory.remove(
        try directory.snapshots(behind: place.position, hasParted: true)
          + directory.places().filter { $0.number > place.segment }.reversed().map(\.path))
      let target = SegmentPlace(place.segment, .plain, in: directory.path, isArchived: false)
      let unfinished = FilePath(target.path.string + FileCopy.suffix)
      let file = try directory.storage.open(unfinished, .create)
      defer { file.close() }
      try file.writeAll(stays, at: 0, durably: false)
      // Syncs all of it.
      try file.writeZeros(place.offset..<max(byteCount, place.offset))
      try directory.storage.rename(unfinished, to: target.path)
      try directory.storage.synchronizeDirectory(directory.path)
      try directory.remove(try directory.places().filter { $0.number == place.segment && $0 != target }.map(\.path))
    }
  }
}
