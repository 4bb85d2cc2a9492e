public import JournalFormat
internal import Synchronization
internal import SystemPackage

extension RecordIndex {
  /// How far the index is.
  public struct Progress: Sendable, Equatable {
    /// Sealed segments that are not wholly in it.
    public var segmentsBehind = 0
    /// A part was made: there may be more to do at once.
    public var hasMore = false
    /// The last record of that part; 0 if there is none.
    public var knownTo: UInt64 = 0

    public init() {}
  }

  /// Makes the next part of the index, if there is one to make: of the oldest segment that is not wholly in it. Removes
  /// what is there of segments that are gone. Blocks; one call at a time, and none while records are redacted.
  ///
  /// - Parameters:
  ///   - position: of the last record on the disk.
  ///   - recordsMinimum: so many records of the segment that is being written are worth a part.
  ///   - pairsMaximum: pairs of a record and a term after which a part ends.
  ///   - isWanted: asked now and then; once it says no, no part is made.
  ///   - terms: by which a record can be found.
  /// - Throws: what is wrong with a segment; `storage`, `storageFull`.
  public func extend(
    upTo position: UInt64, recordsMinimum: UInt64, pairsMaximum: Int = RecordIndexLimits.pairCountMaximum,
    randomBytes: (UnsafeMutableRawBufferPointer) -> Void = JournalConfiguration.systemRandomBytes,
    isWanted: @escaping @Sendable () -> Bool = { true }, terms: @escaping Terms
  ) throws(JournalError) -> Progress {
    let numbers = try journal.numbers()
    guard let last = numbers.last else { return Progress() }
    let key: RecordIndexKey
    do throws(StorageError) {
      key = try usableKey(randomBytes)
      try sweep(keeping: Set(numbers))
    } catch {
      throw JournalError(error)
    }
    let work = Work(
      position: position, recordsMinimum: recordsMinimum, pairsMaximum: pairsMaximum, key: key, isWanted: isWanted,
      terms: terms)
    var progress = Progress()
    for number in numbers where !isFinished(number) {
      if !progress.hasMore, let made = try extend(number, isLast: number == last, work) {
        (progress.hasMore, progress.knownTo) = (true, made)
      }
      if number != last, !isFinished(number) { progress.segmentsBehind += 1 }
    }
    return progress
  }

  struct Work {
    let position: UInt64
    let recordsMinimum: UInt64
    let pairsMaximum: Int
    let key: RecordIndexKey
    let isWanted: @Sendable () -> Bool
    let terms: Terms
  }

  private func isFinished(_ number: UInt64) -> Bool { state.withLock { $0.finished.contains(number) } }

  private func usableKey(
    _ randomBytes: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(StorageError) -> RecordIndexKey {
    if let key = try storedKey() { return key }
    try storage.createDirectory(directory)
    try storage.synchronizeDirectory(journal.path)
    var bytes: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &bytes) { randomBytes($0) }
    let key = RecordIndexKey(low: bytes.0, high: bytes.1)
    let unfinished = directory.appending("KEY.writing")
    let file = try storage.open(unfinished, .create)
    defer { file.close() }
    try file.writeArray(key.encoded(), at: 0)
    try file.synchronize()
    try storage.rename(unfinished, to: journal.indexKey)
    try storage.synchronizeDirectory(directory)
    // What another key has hashed says nothing.
    state.withLock { $0.finished = [] }
    return key
  }

  /// Removes what is of no segment, or doubtful; what somebody has removed is not there any more.
  private func sweep(keeping numbers: Set<UInt64>) throws(StorageError) {
    let names = try journal.indexNames() ?? []
    let doubtful = state.withLock { $0.doubtful }
    var there: Set<UInt64> = []
    var due: [FilePath] = []
    for name in names {
      guard let number = JournalDirectory.segmentNumber(ofIndex: name) else { continue }
      if numbers.contains(number), !doubtful.contains(number) {
        there.insert(number)
      } else {
        due.append(directory.appending(name))
      }
    }
    if !due.isEmpty { try journal.remove(due) }
    state.withLock { state in
      state.finished.formIntersection(there)
      state.doubtful.subtract(doubtful)
    }
  }

  /// - Returns: the last record of the part that was made; nil if none was.
  private func extend(_ number: UInt64, isLast: Bool, _ work: Work) throws(JournalError) -> UInt64? {
    do {
      let found = try RecordIndexFile(journal.indexFile(number), on: storage, key: work.key)
      var usable: RecordIndexFile?
      if let found, try fits(found, number: number, next: isLast ? nil : number + 1) { usable = found }
      if usable?.isFinal == true {
        state.withLock { _ = $0.finished.insert(number) }
        return nil
      }
      let (place, segment) = try journal.open(number)
      defer { segment.close() }
      // It may have been packed just now.
      if place.form == .packed, usable?.isOfPacked == false { usable = nil }
      let draft = try RecordIndexDraft(segment, place, after: usable, key: work.key)
      guard try draft.read(work) else { return nil }
      try write(draft, behind: usable)
      if draft.isFinal { state.withLock { _ = $0.finished.insert(number) } }
      return draft.lastPosition
    } catch let error as StorageError {
      throw JournalError(error)
    } catch let error as JournalError {
      throw error
    } catch {
      preconditionFailure("an index is made of files of the journal: \(error)")
    }
  }

  private func write(_ draft: RecordIndexDraft, behind file: RecordIndexFile?) throws(StorageError) {
    let bytes = draft.encoded(behind: file)
    let path = journal.indexFile(draft.number)
    let open = try storage.open(path, file == nil ? .create : .readWrite)
    defer { open.close() }
    try open.writeArray(bytes, at: file?.endOffset ?? 0)
    try open.synchronize()
    if file == nil { try storage.synchronizeDirectory(directory) }
  }

  /// Whether a file of the index is of the segment that is there now, as far as it goes.
  ///
  /// - Parameter next: the number of the segment behind it; nil if it is the last one.
  func fits(_ file: RecordIndexFile, number: UInt64, next: UInt64?) throws -> Bool {
    let (header, place) = try journal.header(of: number)
    guard file.header.segmentNumber == number, file.header.segmentID == header.id,
      file.header.firstPosition == header.firstPosition
    else { return false }
    guard let last = file.parts.last?.part else { return true }
    if last.isFinal, let next {
      let following = try journal.header(of: next).header
      return following.previousID == header.id && following.previousHash == last.chainHash
        && following.firstPosition == last.endPosition
    }
    // Nothing comes behind what it has of a packed segment, and its frames have no place of their own.
    guard place.form == .plain else { return !last.isFinal && file.isOfPacked }
    guard !file.hasPackedParts else { return false }
    let segment = try storage.open(place.path, .read)
    defer { segment.close() }
    var head = PageBuffer()
    let room = head.prepare(FrameHeader.byteCount)
    guard last.lastFrameOffset >= FormatLimits.segmentHeaderByteCount,
      try segment.readAll(into: room, at: last.lastFrameOffset) == room.count
    else { return false }
    return last.ends(with: UnsafeRawBufferPointer(room))
  }
}
