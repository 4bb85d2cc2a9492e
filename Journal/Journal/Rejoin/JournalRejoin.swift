public import JournalFormat
public import SystemPackage

/// Makes the directory of a primary that was relieved, or of a standby that has gone further than the one that was
/// promoted, a copy of the journal that has taken its place: what only it has is set aside.
///
/// ```
///   this one    ──segment n───┤O── the rest ──   segment n + 1     snapshot taken behind O
///                             │ aside-…/n              aside-…           aside-…
///   the other   ──segment n───┴── seal │ segment n + 1 of the later epoch
/// ```
/// Segments with the same id are the same up to where their frames have the same chain hashes. What is set aside reads like
/// a journal. Holds the writer's lock until it is released.
public final class JournalRejoin: Sendable {
  /// Where the two have parted, and what is done about it.
  public struct Finding: Sendable, Equatable {
    /// Of the other journal.
    public let epoch: UInt32
    /// The last segment that both have.
    public let segment: UInt64
    /// The last record that both have; 0 if there is none.
    public let lastPosition: UInt64
    /// The last record that only this one has; nil if it has none.
    public let lastAside: UInt64?
    /// Where the segment is cut; nil if it stays as it is, or goes as a whole.
    public let cut: JournalRepair.Cut?
    /// Segments, snapshots and edges of the tree that are set aside as a whole.
    public let setAside: [FilePath]

    /// Whether there is nothing that only this one has.
    public var isCopy: Bool { cut == nil && setAside.isEmpty }
  }

  /// What the directory is so far.
  public let known: JournalEpoch
  private let directory: JournalDirectory
  private let lock: any StorageLock

  /// - Parameter archive: where old segments are; `archive` below `directory` if nil.
  /// - Throws: `locked` if a server or somebody else works on the journal; `missingSegment` if there is none.
  public init(
    directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()
  ) throws(JournalError) {
    let directory = JournalDirectory(path: directory, archive: archive, storage: storage)
    // First: the lock makes its file, also where no journal is.
    guard try !directory.madeSegmentNumbers().isEmpty else { throw .missingSegment(directory.segment(1)) }
    let lock = try directory.claim()
    do throws(JournalError) {
      // A new copy that is on its way to its place is the journal.
      if try directory.hasBegunExchange() { try directory.settleCopy() }
      known = try EpochStore(directory).current()
    } catch {
      lock.release()
      throw error
    }
    (self.directory, self.lock) = (directory, lock)
  }

  public func release() { lock.release() }

  /// The last segment that both journals have: the one in which, or at whose end, they have parted.
  ///
  /// - Throws: `RejoinError`.
  public func lastCommonSegment(with other: OtherJournal) throws(RejoinError) -> UInt64 {
    var common: UInt64?
    do throws(JournalError) {
      // From the end on: before the first that is the same, all are.
      for number in try directory.madeSegmentNumbers().reversed() where common == nil {
        guard let id = other.segments[number], try directory.header(of: number).header.id == id else { continue }
        common = number
      }
    } catch {
      throw .journal(error)
    }
    guard let common else { throw .otherJournal(directory: directory.path) }
    if other.epoch == known.own, try isWritten(behind: common, otherwise: other) {
      throw .sameEpoch(directory: directory.path, epoch: known.own)
    }
    guard other.epoch > known.own else {
      throw .notLater(directory: directory.path, epoch: known.own, other: other.epoch)
    }
    return common
  }

  /// Whether the two have different segments of one number, behind the last that is the same.
  private func isWritten(behind common: UInt64, otherwise other: OtherJournal) throws(RejoinError) -> Bool {
    do throws(JournalError) {
      return try directory.madeSegmentNumbers().contains { $0 > common && other.segments[$0] != nil }
    } catch {
      throw .journal(error)
    }
  }

  /// Compares the last common segment frame by frame; changes nothing.
  ///
  /// - Parameters:
  ///   - path: the directory in which the other journal's segment of that number lies, as a journal's does.
  ///   - archive: of that one; `archive` below it if nil.
  /// - Throws: what is wrong with one of the two segments; `historyChanged` if they do not even begin alike; `storage`.
  public func examine(
    _ segment: UInt64, of other: OtherJournal, in path: FilePath, archive: FilePath? = nil
  ) throws(JournalError) -> Finding {
    let otherDirectory = JournalDirectory(path: path, archive: archive, storage: directory.storage)
    var own = SegmentImage()
    var others = SegmentImage()
    let place = try directory.load(segment, into: &own, hashing: true)
    let otherPlace = try otherDirectory.load(segment, into: &others, hashing: true)
    let parting = try Self.parting(own.bytes, place.path, others.bytes, otherPlace.path)
    let rest = UnsafeRawBufferPointer(rebasing: own.bytes[parting.offset...]).endOfLastNonzero
    let canCut = place.form == .plain && !place.isArchived
    let cut =
      rest > 0 && canCut
      ? JournalRepair.Cut(
        file: place.path, offset: parting.offset, segmentByteCount: max(own.bytes.count, parting.segmentByteCount),
        byteCount: rest) : nil
    let goesWhole = rest > 0 && !canCut
    let lastPosition = goesWhole ? parting.firstPosition - 1 : parting.position
    let places: [SegmentPlace]
    do throws(StorageError) { places = try directory.places() } catch { throw .storage(error) }
    let aside = places.filter { $0.number > segment || (goesWhole && $0.number == segment) }
    let end = try lastRecord(of: aside) ?? parting.end
    return Finding(
      epoch: other.epoch, segment: segment, lastPosition: lastPosition, lastAside: end > lastPosition ? end : nil,
      cut: cut,
      // From the end on: a crash in between leaves a journal without a gap.
      setAside: try snapshots(behind: lastPosition, hasParted: end > lastPosition) + aside.reversed().map(\.path))
  }

  /// Sets aside what the finding says, and makes the directory a standby's. Once begun, no server starts on it any more; what
  /// was interrupted is begun again.
  ///
  /// - Parameter label: part of the name of the directory that takes what is set aside, such as the time.
  /// - Returns: that directory, and what was kept in an archive; none if there was nothing.
  /// - Throws: `locked` if somebody else works on segments; `storage`, `storageFull`.
  public func carryOut(_ finding: Finding, label: String) throws(JournalError) -> [FilePath] {
    let epochs = EpochStore(directory)
    var epoch = try epochs.heard(of: finding.epoch)
    let kept = try directory.maintain { () throws(JournalError) in
      do throws(StorageError) {
        return finding.isCopy ? [] : try setAside(finding, label)
      } catch {
        throw JournalError(error)
      }
    }
    epoch.role = .standby
    epoch.own = finding.epoch
    try epochs.write(epoch)
    return kept
  }

  /// What is made of the records knows of those that are set aside: the tree goes with them, its state first, so that no
  /// crash leaves a part for the whole; indexes are made anew.
  private func forgetDerived(_ finding: Finding, _ aside: FilePath) throws(StorageError) {
    let tree = TreeFiles(journal: directory).directory
    for name in (try directory.namesIfThere(tree) ?? []).sorted().reversed() {
      try directory.setAside(tree.appending(name), in: aside)
    }
    try directory.remove((try directory.indexNames() ?? []).sorted().map { directory.index.appending($0) })
  }

  private func setAside(_ finding: Finding, _ label: String) throws(StorageError) -> [FilePath] {
    let storage = directory.storage
    let aside = try directory.unusedAside(label)
    try storage.createDirectory(aside)
    var kept = [aside]
    try forgetDerived(finding, aside)
    if let cut = finding.cut {
      // The whole segment: what is set aside can then be read.
      let file = try storage.open(cut.file, .read)
      defer { file.close() }
      var image = SegmentImage()
      try image.load(file, limit: FormatLimits.segmentReadByteCountMaximum)
      try directory.keepAside(image.bytes, in: aside.appending(cut.file.lastComponent?.string ?? "segment"))
    }
    for path in finding.setAside {
      let folder = path.removingLastComponent()
      // An archive may be on another file system.
      let isArchived = folder == directory.archive
      guard isArchived else {
        try directory.setAside(path, in: aside)
        continue
      }
      let side = try directory.unusedCut(path, offset: 0)
      try storage.rename(path, to: side)
      try storage.synchronizeDirectory(folder)
      kept.append(side)
    }
    // Last: what is kept is on the disk.
    if let cut = finding.cut {
      let file = try storage.open(cut.file, .readWrite)
      defer { file.close() }
      try file.writeZeros(cut.offset..<cut.segmentByteCount)
    }
    return kept
  }

  private func snapshots(behind position: UInt64, hasParted: Bool) throws(JournalError) -> [FilePath] {
    try JournalError.attempt { () throws(StorageError) in
      try directory.snapshots(behind: position, hasParted: hasParted)
    }
  }

  /// The last record of the last of some segments that can be read; nil if none can.
  private func lastRecord(of places: [SegmentPlace]) throws(JournalError) -> UInt64? {
    var image = SegmentImage()
    for place in places.reversed() {
      do throws(JournalError) {
        _ = try directory.load(place.number, into: &image)
      } catch {
        if case .storage = error { throw error }
        continue
      }
      guard var scanner = try? SegmentScanner(image.bytes) else { continue }
      while (try? scanner.next()) != nil {}
      return scanner.nextPosition - 1
    }
    return nil
  }
}
