internal import JournalFormat
public import SystemPackage

/// Writes a copy of a journal, byte for byte, as another writes the journal itself.
///
/// ```
///           a header            whole frames that are right            synchronize
///   ended ───────────> segment ─────────────────────────────> written ─────────────> durable
///     ^                   │ the seal, on the disk
///     └───────────────────┘
/// ```
/// Nothing is written that was not checked: checksum, order, epoch, every leaf and every link of the chain. So a copy
/// ends with a whole frame at every moment, and one that was killed goes on where it ends; what a loss of power has
/// torn is cut off when it is opened, and comes again. After an error a writer is done with, and the next one is opened.
///
/// Safe to share: its owner, who holds the journal's lock, makes one call at a time. Calls block.
public final class CopyWriter: @unchecked Sendable {
  let directory: JournalDirectory
  private let isStepped: Bool
  private var walk = SegmentWalk()
  private var segment: CopiedSegment?
  /// The beginning of a segment whose header is not whole yet.
  private var page: (number: UInt64, bytes: [UInt8]) = (0, [])
  /// Fills the next segment with zeros while the current one grows.
  private var preallocator: (filler: SegmentPreallocator, byteCount: Int)?
  private var hasFailed = false

  /// Where the copy ends; nil if it has no segment.
  public private(set) var end: CopyEnd?
  /// The part of it that is on the disk.
  public private(set) var durableEnd: CopyEnd?
  /// Its segments, in order.
  public private(set) var segments: [SegmentName] = []
  /// Bytes of a torn write that were cut off when it was opened.
  public private(set) var cutByteCount = 0

  /// Opens the copy in `directory`, which is there; it may be empty.
  ///
  /// - Throws: what is wrong with its last segment, or with the order of its segments; `storage`, `storageFull`.
  public convenience init(
    directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()
  ) throws(JournalError) {
    try self.init(JournalDirectory(path: directory, archive: archive, storage: storage), isStepped: false)
  }

  /// - Parameter isStepped: without a thread, for simulation.
  package convenience init(
    stepped directory: FilePath, storage: any JournalStorage
  ) throws(JournalError) {
    try self.init(JournalDirectory(path: directory, storage: storage), isStepped: true)
  }

  init(_ directory: JournalDirectory, isStepped: Bool) throws(JournalError) {
    self.directory = directory
    self.isStepped = isStepped
    try directory.removeLeftovers()
    segments = try directory.segmentNames()
    guard let last = segments.last else { return }
    try resume(last.number)
    durableEnd = end
  }

  deinit { preallocator?.filler.stop() }

  // MARK: What comes

  /// Takes bytes of a segment, and writes the frames that are whole with them.
  ///
  /// - Throws: `outOfPlace`; what is wrong with them, or with the disk.
  public func receive(
    _ bytes: UnsafeRawBufferPointer, segment number: UInt64, offset: Int
  ) throws(CopyError) {
    guard !hasFailed else { throw .outOfPlace }
    // Whatever is thrown ends it.
    hasFailed = true
    if let segment {
      guard number == segment.scanner.header.number, offset == segment.receivedByteCount else { throw .outOfPlace }
      try attempt { () throws(JournalError) in try add(bytes, to: segment) }
    } else {
      try begin(bytes, number, offset)
    }
    hasFailed = false
  }

  /// Syncs all that was written.
  ///
  /// - Throws: fatal for the copy: whether it is on the disk, nobody knows.
  @discardableResult
  public func synchronize() throws(CopyError) -> CopyEnd? {
    guard !hasFailed else { throw .outOfPlace }
    hasFailed = true
    try attempt { () throws(JournalError) in
      try JournalError.attempt { () throws(StorageError) in try segment?.synchronize() }
    }
    hasFailed = false
    durableEnd = end
    return end
  }

  /// Forgets what has come and is not whole yet: it comes again from where the copy ends.
  ///
  /// - Throws: `outOfPlace` after an error.
  public func rewind() throws(CopyError) {
    guard !hasFailed else { throw .outOfPlace }
    page = (0, [])
    segment?.rewind()
  }

  /// Closes files and ends the thread; the last call.
  public func close() {
    segment?.file.close()
    segment = nil
    hasFailed = true
    preallocator?.filler.stop()
    preallocator = nil
  }

  private func attempt(_ body: () throws(JournalError) -> Void) throws(CopyError) {
    do throws(JournalError) { try body() } catch { throw .journal(error) }
  }

  private func begin(_ bytes: UnsafeRawBufferPointer, _ number: UInt64, _ offset: Int) throws(CopyError) {
    // The first segment of a copy may have any number: those before it were deleted.
    let due = page.bytes.isEmpty ? end.map { $0.segment + 1 } ?? number : page.number
    guard number == due, number > 0, offset == page.bytes.count else { throw .outOfPlace }
    let missing = min(FormatLimits.segmentHeaderByteCount - page.bytes.count, bytes.count)
    page.number = number
    page.bytes.append(contentsOf: bytes[..<missing])
    guard page.bytes.count == FormatLimits.segmentHeaderByteCount else { return }
    try attempt { () throws(JournalError) in
      let fresh = try makeSegment(number, page.bytes)
      page = (0, [])
      segment = fresh
      end = fresh.end
      segments.append(SegmentName(number: number, id: fresh.scanner.header.id))
      try add(UnsafeRawBufferPointer(rebasing: bytes[missing...]), to: fresh)
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, to segment: CopiedSegment) throws(JournalError) {
    try segment.receive(bytes)
    do throws(StorageError) {
      try segment.write()
      end = segment.end
      guard segment.scanner.isSealed else { return }
      // Before the next segment gets its name.
      try segment.synchronize()
    } catch {
      throw JournalError(error)
    }
    leave(segment)
    durableEnd = end
  }

  private func leave(_ segment: CopiedSegment) {
    walk.leave(segment.scanner)
    segment.file.close()
    self.segment = nil
  }

  // MARK: Segments

  /// Gives a file of zeros the header that has come, then its name.
  private func makeSegment(_ number: UInt64, _ page: [UInt8]) throws(JournalError) -> CopiedSegment {
    let path = directory.segment(number)
    let room: SegmentRoom
    do {
      room = SegmentRoom(byteCount: try page.withUnsafeBytes { try SegmentHeader.decode($0).header.segmentByteCount })
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: 0)
    } catch {
      preconditionFailure("a header in memory throws what is wrong with its format only")
    }
    page.withUnsafeBytes { room.put($0, at: 0) }
    let scanner = try walk.enter(
      room.bytes, number: number, file: path, oldestNeeded: .max, isLast: false, directory: directory)
    do throws(StorageError) {
      let file = try zeros(byteCount: room.bytes.count)
      try file.writeArray(page, at: 0, durably: true)
      try directory.storage.rename(directory.preallocating, to: path)
      try directory.storage.synchronizeDirectory(directory.path)
      preallocator?.filler.prepare()
      return CopiedSegment(path, file, room, scanner, received: page.count)
    } catch {
      throw JournalError(error)
    }
  }

  /// A file of zeros under its temporary name.
  private func zeros(byteCount: Int) throws(StorageError) -> any StorageFile {
    if preallocator?.byteCount != byteCount {
      preallocator?.filler.stop()
      let filler = SegmentPreallocator(directory: directory, byteCount: byteCount, isStepped: isStepped)
      try filler.start()
      preallocator = (filler, byteCount)
    }
    guard let filler = preallocator?.filler else { preconditionFailure("the filler was made") }
    // A full disk ends a standby: its primary goes on without it.
    return try filler.take(waitsForRoom: false)
  }

  /// Goes on where the last segment ends.
  private func resume(_ number: UInt64) throws(JournalError) {
    guard try JournalError.attempt({ () throws(StorageError) in try directory.isLivePlain(number) }) else {
      return try resume(behind: number)
    }
    let path = directory.segment(number)
    let byteCount = try directory.header(of: number).header.segmentByteCount
    let room = SegmentRoom(byteCount: byteCount)
    let file = try JournalError.attempt { () throws(StorageError) in
      let file = try directory.storage.open(path, .readWrite)
      try room.load(file)
      return file
    }
    let found = try JournalError.attempt { () throws(StorageError) in try file.size() }
    guard found >= byteCount else { throw .cutShort(file: path, byteCount: found, whole: byteCount) }
    let scanner = try walk.enter(
      room.bytes, number: number, file: path, oldestNeeded: .max, isLast: false, directory: directory)
    let last = CopiedSegment(path, file, room, scanner, received: byteCount)
    try last.check()
    cutByteCount = try JournalError.attempt { () throws(StorageError) in try last.cut() }
    end = last.end
    if last.scanner.isSealed { leave(last) } else { segment = last }
  }

  /// Goes on behind a segment that is packed or archived.
  private func resume(behind number: UInt64) throws(JournalError) {
    var image = SegmentImage()
    let place = try directory.load(number, into: &image)
    var scanner = try walk.enter(
      image.bytes, number: number, file: place.path, oldestNeeded: .max, isLast: false, directory: directory)
    do throws(FormatError) {
      while try scanner.next() != nil {}
    } catch {
      throw JournalError(error, file: place.path, offset: scanner.offset)
    }
    guard scanner.isSealed else { throw .halfCopied(file: place.path, byteCount: image.bytes.count) }
    walk.leave(scanner)
    end = CopyEnd(scanner)
  }
}

extension JournalError {
  /// Runs `body`; what the disk throws becomes an error of the journal.
  static func attempt<Result>(_ body: () throws(StorageError) -> Result) throws(JournalError) -> Result {
    do throws(StorageError) { return try body() } catch { throw JournalError(error) }
  }
}
