public import JournalFormat
public import SystemPackage

/// Puts sealed segments that were copied as files into a copy of a journal, and takes out what its original has deleted.
///
/// Whoever does so holds the journal's lock. Calls block.
public struct SegmentInstallation: Sendable {
  let directory: JournalDirectory

  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, archive: archive, storage: storage)
  }

  /// Checks a segment that has come whole (every checksum, leaf and link, and that it is the one that belongs here) and
  /// gives it its place; other files of it are removed. If it comes in place of one of which less was erased, then what was
  /// set aside, and the segment's index, may hold what is to be nowhere any more: both are removed first.
  ///
  /// - Parameters:
  ///   - file: synced; its path is one that this segment may have.
  ///   - id: what it must be.
  ///   - before: where the copy ends without it; nil if it is the first, or not the last.
  /// - Returns: where the copy ends with it, if it is the last.
  /// - Throws: what is wrong with it: then it is as if it had never come.
  public func install(
    _ file: FileCopy, number: UInt64, id: SegmentID, after before: CopyEnd?
  ) throws(JournalError) -> CopyEnd {
    guard let place = directory.candidates(number).first(where: { $0.path == file.path }) else {
      throw .foreignFile(file.path)
    }
    var image = SegmentImage()
    let outline: SegmentOutline
    var redactedCount = 0
    do throws(JournalError) {
      outline = try directory.examine(place, at: file.unfinished, &image) { if $0.isRedacted { redactedCount += 1 } }
      guard outline.isSealed else { throw .halfCopied(file: file.path, byteCount: file.byteCount) }
      try judge(outline, id, place.path, after: before)
    } catch {
      try? file.discard()
      throw error
    }
    let end: CopyEnd
    do throws(FormatError) {
      var scanner = try SegmentScanner(image.bytes)
      while try scanner.next() != nil {}
      end = CopyEnd(scanner)
    } catch {
      throw JournalError(error, file: place.path, offset: 0)
    }
    if redactedCount > 0 { try forgetErased(number, redactedCount) }
    try JournalError.attempt { () throws(StorageError) in
      try file.install()
      // Of two files of one segment the one that is read first may be the other one.
      try directory.remove(try directory.places().filter { $0.number == number && $0 != place }.map(\.path))
    }
    return end
  }

  /// - Parameter count: records of the segment that are erased in what has come.
  private func forgetErased(_ number: UInt64, _ count: Int) throws(JournalError) {
    let former = try JournalError.attempt { () throws(StorageError) in
      try directory.places().first { $0.number == number }
    }
    guard let former else { return }
    var image = SegmentImage()
    var known = 0
    // Of one that cannot be read nobody knows what was erased in it.
    let isKnown = (try? directory.examine(former, &image) { if $0.isRedacted { known += 1 } }) != nil
    guard !isKnown || known < count else { return }
    try directory.removeIndex(of: number) { _ in }
    try JournalError.attempt { () throws(StorageError) in try directory.remove(try directory.cutFiles()) }
  }

  /// Whether a segment fits between its neighbours, and in the place of another form of it.
  private func judge(
    _ outline: SegmentOutline, _ id: SegmentID, _ path: FilePath, after before: CopyEnd?
  ) throws(JournalError) {
    guard outline.id == id else { throw .brokenSequence(path) }
    if let former = try directory.headerIfThere(of: outline.number) {
      guard former.id == id, former.firstPosition == outline.firstPosition else { throw .brokenSequence(path) }
      guard former.previousHash == outline.previousHash else { throw .historyChanged(path) }
    } else if let before {
      guard before.segment + 1 == outline.number, before.position + 1 == outline.firstPosition else {
        throw .brokenSequence(path)
      }
      guard before.chainHash == outline.previousHash else { throw .historyChanged(path) }
    }
    if let next = try directory.headerIfThere(of: outline.number + 1) {
      guard next.previousID == id, next.firstPosition == outline.endPosition else { throw .brokenSequence(path) }
      guard next.previousHash == outline.headHash else { throw .historyChanged(path) }
    }
  }

  /// Removes the segments before `number`, the oldest first: no crash leaves a gap.
  ///
  /// - Throws: `storage`.
  public func remove(before number: UInt64) throws(JournalError) {
    try JournalError.attempt { () throws(StorageError) in
      for place in try directory.places() where place.number < number { try directory.remove([place.path]) }
    }
  }

  /// Where each segment lies that is there; if it has two files, the one that is read.
  ///
  /// - Throws: `storage`.
  public func paths() throws(JournalError) -> [UInt64: FilePath] {
    let places = try JournalError.attempt { () throws(StorageError) in try directory.places() }
    return Dictionary(places.map { ($0.number, $0.path) }) { first, _ in first }
  }
}
