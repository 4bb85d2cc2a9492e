internal import Glibc
internal import JournalFormat
internal import SystemPackage

/// The durable steps that retention, packing and redaction are made of.
extension JournalDirectory {
  /// `segmentNumbers`, with the errors of a journal.
  func numbers() throws(JournalError) -> [UInt64] {
    do throws(StorageError) {
      return try segmentNumbers()
    } catch {
      throw .storage(error)
    }
  }

  func makeArchive() throws(StorageError) {
    guard try !hasArchive() else { return }
    try storage.createDirectory(archive)
    try storage.synchronizeDirectory(archive.removingLastComponent())
  }

  /// Gives a file that is on the disk the name under which it is read, durably.
  func rename(_ file: FilePath, to place: SegmentPlace, _ step: SegmentStep.Handler) throws(JournalError) {
    try step(SegmentStep(.rename, place.path, segmentNumber: place.number))
    do throws(StorageError) {
      try storage.rename(file, to: place.path)
      try storage.synchronizeDirectory(place.directory)
    } catch {
      throw JournalError(error)
    }
  }

  /// Removes a file of a segment, durably.
  func discard(_ place: SegmentPlace, _ step: SegmentStep.Handler) throws(JournalError) {
    try step(SegmentStep(.remove, place.path, segmentNumber: place.number))
    do throws(StorageError) {
      try remove([place.path])
    } catch {
      throw JournalError(error)
    }
  }

  /// Writes a segment in another form, reads it back, and only then gives it the name of `place`.
  ///
  /// - Parameters:
  ///   - suffix: of the file until then.
  ///   - outline: what must not have changed.
  ///   - isWanted: false for a record that must not be there.
  /// - Throws: `damaged` if what was read back is something else; the file at `place` is what it was.
  func install(
    _ bytes: UnsafeRawBufferPointer, as place: SegmentPlace, suffix: String, outline: SegmentOutline,
    _ step: SegmentStep.Handler, isWanted: (borrowing RecordView) -> Bool = { _ in true }
  ) throws(JournalError) {
    let path = place.directory.appending(SegmentPlace.name(place.number, place.form) + suffix)
    try step(SegmentStep(.write, path, segmentNumber: place.number))
    do throws(JournalError) {
      try write(bytes, to: path)
      var image = SegmentImage()
      var isClean = true
      let found = try examine(place, at: path, &image) { record in
        if isClean, !isWanted(record) { isClean = false }
      }
      guard found == outline, isClean else { throw .damaged(file: path, offset: 0, reason: .chainBroken) }
    } catch {
      try? storage.remove(path)
      throw error
    }
    try rename(path, to: place, step)
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to path: FilePath) throws(JournalError) {
    do throws(StorageError) {
      let file = try storage.open(path, .create)
      defer { file.close() }
      try file.writeAll(bytes, at: 0, durably: false)
      try file.synchronize()
    } catch {
      throw JournalError(error)
    }
  }
}

extension JournalStorage {
  /// Copies a file, syncs the copy, and compares.
  ///
  /// - Throws: with `Errno.ioError` if the copy is not the same.
  func copy(_ source: FilePath, to target: FilePath) throws(StorageError) {
    let from = try open(source, .read)
    defer { from.close() }
    let to = try open(target, .create)
    defer { to.close() }
    var chunk = PageBuffer()
    var copied = PageBuffer()
    let size = try from.size()
    for offset in stride(from: 0, to: size, by: Limits.copyChunkByteCount) {
      let room = chunk.prepare(min(Limits.copyChunkByteCount, size - offset))
      guard try from.readAll(into: room, at: offset) == room.count else { throw StorageError(.ioError, .read, source) }
      try to.writeAll(UnsafeRawBufferPointer(room), at: offset, durably: false)
    }
    try to.synchronize()
    guard try to.size() == size else { throw StorageError(.ioError, .write, target) }
    for offset in stride(from: 0, to: size, by: Limits.copyChunkByteCount) {
      let count = min(Limits.copyChunkByteCount, size - offset)
      let (one, other) = (chunk.prepare(count), copied.prepare(count))
      guard try from.readAll(into: one, at: offset) == count, try to.readAll(into: other, at: offset) == count,
        let bytes = one.baseAddress, let copy = other.baseAddress, memcmp(bytes, copy, count) == 0
      else { throw StorageError(.ioError, .read, target) }
    }
  }
}

extension JournalError {
  init(_ error: StorageError) { self = error.isDiskFull ? .storageFull : .storage(error) }
}
