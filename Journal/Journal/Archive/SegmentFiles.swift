internal import JournalFormat
internal import SystemPackage

/// The segments of a directory, beside a live writer and readers: a file each, here or in the archive.
///
/// ```
///   put      .packing ──sync, read back──> .packed ──sync──> .segment removed
///   replace  .redacting ──sync, read back──> renamed over the segment ──sync
///   archive  .archiving ──sync, compare──> named in the archive ──sync──> removed here
/// ```
/// A crash leaves both files or one: each is whole, and the next `maintain` cleans up.
struct SegmentFiles: SegmentVault {
  let directory: JournalDirectory

  func maintain<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
    try directory.maintain(body)
  }

  func list() throws(JournalError) -> [SegmentInfo] { try directory.segments() }

  func header(of number: UInt64) throws(JournalError) -> SegmentHeader { try directory.header(of: number).header }

  func get(
    _ segment: SegmentInfo, _ image: inout SegmentImage, record: (borrowing RecordView) -> Void
  ) throws(JournalError) -> SegmentOutline {
    try directory.examine(place(of: segment), &image, record: record)
  }

  func put(
    _ packed: UnsafeRawBufferPointer, of segment: SegmentInfo, _ outline: SegmentOutline, _ step: SegmentStep.Handler
  ) throws(JournalError) {
    let place = place(of: segment)
    let target = SegmentPlace(place.number, .packed, in: place.directory, isArchived: place.isArchived)
    try directory.install(packed, as: target, suffix: ".packing", outline: outline, step)
    try directory.discard(place, step)
  }

  func replace(
    _ segment: SegmentInfo, by bytes: UnsafeRawBufferPointer, _ outline: SegmentOutline, _ step: SegmentStep.Handler,
    isWanted: (borrowing RecordView) -> Bool
  ) throws(JournalError) {
    // First: a crash between the two must not leave terms of what is erased. Whoever redacts sees to it that nobody makes
    // it anew meanwhile.
    try directory.removeIndex(of: segment.number, step)
    try directory.install(
      bytes, as: place(of: segment), suffix: ".redacting", outline: outline, step, isWanted: isWanted)
  }

  func archive(_ segment: SegmentInfo, _ step: SegmentStep.Handler) throws(JournalError) {
    let place = place(of: segment)
    let target = SegmentPlace(place.number, place.form, in: directory.archive, isArchived: true)
    let copy = directory.archive.appending("\(SegmentPlace.name(place.number, place.form)).archiving")
    try step(SegmentStep(.write, copy, segmentNumber: place.number))
    do throws(StorageError) {
      try directory.makeArchive()
      do throws(StorageError) {
        try directory.storage.copy(place.path, to: copy)
      } catch {
        // The disk may be full: what was begun takes up no more room.
        try? directory.storage.remove(copy)
        throw error
      }
    } catch {
      throw JournalError(error)
    }
    try directory.rename(copy, to: target, step)
    try directory.discard(place, step)
  }

  func remove(_ segment: SegmentInfo, _ step: SegmentStep.Handler) throws(JournalError) {
    // Durable before the next, so that no crash can leave an older segment before a gap.
    try directory.discard(place(of: segment), step)
    try directory.removeIndex(of: segment.number, step)
  }

  func removeCutFiles(_ step: SegmentStep.Handler) throws(JournalError) -> Int {
    let files: [FilePath]
    do throws(StorageError) {
      files = try directory.cutFiles()
    } catch {
      throw .storage(error)
    }
    for file in files { try step(SegmentStep(.remove, file, segmentNumber: 0)) }
    do throws(StorageError) {
      try directory.remove(files)
    } catch {
      throw .storage(error)
    }
    return files.count
  }

  private func place(of segment: SegmentInfo) -> SegmentPlace {
    SegmentPlace(
      segment.number, segment.isPacked ? .packed : .plain, in: segment.isArchived ? directory.archive : directory.path,
      isArchived: segment.isArchived)
  }
}
