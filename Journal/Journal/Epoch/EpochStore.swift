public import JournalFormat
public import SystemPackage

/// The file that says who writes a journal, and in which epoch. Each take-over begins one, and whoever was told of a
/// higher one than its own writes no more: so at most one of two copies goes on.
///
/// ```
///   EPOCH.next ── sync ── rename ── sync directory ──> EPOCH
/// ```
/// Not to be changed by two threads at a time.
public struct EpochStore: Sendable {
  let directory: JournalDirectory

  /// - Parameters:
  ///   - directory: the journal's own.
  ///   - archive: where old segments are; `archive` below `directory` if nil.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.init(JournalDirectory(path: directory, archive: archive, storage: storage))
  }

  init(_ directory: JournalDirectory) { self.directory = directory }

  private var file: FilePath { directory.path.appending("EPOCH") }
  private var unfinished: FilePath { directory.path.appending("EPOCH.next") }

  /// What the file says; nil if there is none, as of a journal that never had to do with a standby.
  ///
  /// - Throws: `epochDamaged`, `newerVersion`, `storage`.
  public func read() throws(JournalError) -> JournalEpoch? {
    var buffer = PageBuffer()
    do throws(StorageError) {
      guard let file = try directory.storage.openIfThere(file) else { return nil }
      defer { file.close() }
      try buffer.load(file, limit: JournalEpoch.byteCount + 1)
    } catch {
      throw .storage(error)
    }
    do throws(FormatError) {
      return try JournalEpoch.decode(buffer.bytes)
    } catch {
      if case .newerVersion(let version) = error { throw .newerVersion(file: file, version: version) }
      throw .epochDamaged(file)
    }
  }

  /// Puts `epoch` in the place of what the file says; it is on the disk when this returns.
  ///
  /// - Throws: `storage`, `storageFull`: then it says what it said.
  public func write(_ epoch: JournalEpoch) throws(JournalError) {
    do throws(StorageError) {
      let side = try directory.storage.open(unfinished, .create)
      defer { side.close() }
      try side.writeArray(epoch.encoded(), at: 0)
      try side.synchronize()
      try directory.storage.rename(unfinished, to: file)
      try directory.storage.synchronizeDirectory(directory.path)
    } catch {
      throw JournalError(error)
    }
  }

  /// The epoch in which a writer goes on, as whoever holds `LOCK` asks; nil if nobody has ever said: in that of the
  /// journal's last segment.
  ///
  /// - Throws: `relieved`, `followsAnother`, `notRestored`; as `read`.
  public func epochToWrite() throws(JournalError) -> UInt32? {
    guard let epoch = try read() else { return nil }
    switch epoch.role {
    case .primary: break
    case .standby: throw .followsAnother(directory: directory.path)
    case .backup: throw .notRestored(directory: directory.path)
    }
    guard epoch.told <= epoch.own else {
      throw .relieved(directory: directory.path, epoch: epoch.own, by: epoch.told)
    }
    return epoch.own
  }

  /// Remembers that somebody knows of an epoch, if it is the highest so far. If it is higher than the directory's own,
  /// then another journal has taken its place, and no start writes this one any more.
  ///
  /// - Returns: what the file says now, or would say if there were one.
  /// - Throws: `configuration` if it is so high that nobody is to be believed; as `read` and `write`; what is wrong with the
  ///   journal's newest segment, if there is no file yet.
  @discardableResult
  public func heard(of epoch: UInt32) throws(JournalError) -> JournalEpoch {
    var known = try current()
    guard epoch > known.told else { return known }
    guard JournalEpoch.isCredible(epoch, above: known.own) else {
      throw .configuration(
        "epoch \(epoch) is more than \(JournalEpoch.leapMaximum) above \(known.own), that of \(directory.path): it is "
          + "not believed")
    }
    known.told = epoch
    try write(known)
    return known
  }

  /// Has the journal written from now on, in an epoch above every one that the directory knows of: it takes the place of
  /// what it is a copy of. A copy ends behind its last whole frame then: what a loss of power has torn behind that, also
  /// out of order, nobody was told of as long as it was a copy. Snapshots, and edges of the tree, that begin behind that end
  /// are set aside.
  ///
  /// - Parameter passingOver: chooses how many epochs are left out, so that a second copy that is promoted in the same
  ///   moment does not begin the same one.
  /// - Returns: what it was, and what it is now.
  /// - Throws: `locked` if somebody writes it or has it follow another; `missingSegment` if there is nothing to go on
  ///   with; what is wrong with the newest segment; as `read` and `write`. Nothing was changed then.
  public func promote(
    passingOver: (Range<UInt32>) -> UInt32 = { UInt32.random(in: $0) }
  ) throws(JournalError) -> (old: JournalEpoch, new: JournalEpoch) {
    // First: the lock makes its file, also where no journal is.
    // Before a new copy that is on its way is in its place, what is there need not be a journal.
    if try !directory.hasBegunExchange() {
      guard try newestHeader() != nil else { throw .missingSegment(directory.segment(1)) }
    }
    let lock = try directory.claim()
    defer { lock.release() }
    let old = try current()
    if old.role == .standby {
      let end = try directory.settleCopy()
      // No start is to meet what its journal has not come to.
      try JournalError.attempt { () throws(StorageError) in
        try directory.setSnapshotsAside(behind: end?.position ?? 0, label: "promotion")
      }
    }
    return (old, try begin(above: old.told, passingOver))
  }

  /// Has a journal that was restored from a backup be written from now on, in an epoch above every one that the directory
  /// knows of: whatever server it is a backup of is fenced once it is told.
  ///
  /// To be called when all of it is there and checked. It is on the disk when this returns.
  /// - Throws: `locked`; `configuration` unless the file says that it is a backup; what is wrong with the newest segment; as
  ///   `read` and `write`.
  public func finishRestore(
    passingOver: (Range<UInt32>) -> UInt32 = { UInt32.random(in: $0) }
  ) throws(JournalError) -> JournalEpoch {
    let lock = try directory.claim()
    defer { lock.release() }
    guard let old = try read(), old.role == .backup else {
      throw .configuration("\(directory.path) is not being restored")
    }
    return try begin(above: old.told, passingOver)
  }

  private func begin(
    above told: UInt32, _ passingOver: (Range<UInt32>) -> UInt32
  ) throws(JournalError) -> JournalEpoch {
    let highest = max(told, try newestHeader()?.epoch ?? 1)
    guard highest < .max else { throw .configuration("there is no epoch above \(highest)") }
    let room = min(JournalEpoch.passedOverMaximum, .max - highest)
    let next = highest + 1 + passingOver(0..<room)
    let new = JournalEpoch(role: .primary, own: next, told: next)
    try write(new)
    return new
  }

  /// What the file says; what it would say if there is none.
  ///
  /// - Throws: `notRestored`; as `read`.
  func current() throws(JournalError) -> JournalEpoch {
    if let epoch = try read() {
      guard epoch.role != .backup else { throw .notRestored(directory: directory.path) }
      return epoch
    }
    let epoch = max(try newestHeader()?.epoch ?? 1, 1)
    return JournalEpoch(role: .primary, own: epoch, told: epoch)
  }

  /// The header of the newest segment that has one; nil without any.
  func newestHeader() throws(JournalError) -> SegmentHeader? {
    guard let last = try directory.madeSegmentNumbers().last else { return nil }
    return try directory.header(of: last).header
  }
}
