internal import JournalFormat
internal import SystemPackage

extension JournalDirectory {
  /// Loads segment `number`, wherever it lies and in whatever form, as the bytes that `SegmentScanner` reads.
  ///
  /// Nothing is locked or changed. A file that is moved, packed or replaced meanwhile is looked for again.
  /// - Parameter hashing: of a packed segment, computes each frame's chain hash and checks it against the stored ones;
  ///   without it the chain hashes of frames inside a block are zero, that of the last frame is right.
  /// - Returns: the file that was read.
  /// - Throws: `missingSegment` if it is nowhere; what is wrong with a packed one; `storage`.
  func load(
    _ number: UInt64, into image: inout SegmentImage, hashing: Bool = false
  ) throws(JournalError) -> SegmentPlace {
    let (place, file) = try open(number)
    defer { file.close() }
    try load(file, place.path, place.form, into: &image, hashing: hashing)
    return place
  }

  /// Loads an open file as the bytes that `SegmentScanner` reads.
  func load(
    _ file: any StorageFile, _ path: FilePath, _ form: SegmentPlace.Form, into image: inout SegmentImage, hashing: Bool
  ) throws(JournalError) {
    guard form == .plain else { return try image.loadPacked(file, path: path, hashing: hashing) }
    do throws(StorageError) {
      try image.load(file, limit: FormatLimits.segmentReadByteCountMaximum)
    } catch {
      throw .storage(error)
    }
  }

  /// The header of segment `number`, without the rest of it.
  ///
  /// - Throws: as `load`.
  func header(of number: UInt64) throws(JournalError) -> (header: SegmentHeader, place: SegmentPlace) {
    let (place, file) = try open(number)
    defer { file.close() }
    var image = SegmentImage()
    do throws(StorageError) {
      try image.load(file, limit: FormatLimits.segmentHeaderByteCount)
    } catch {
      throw .storage(error)
    }
    do {
      switch place.form {
      case .plain: return (try SegmentHeader.decode(image.bytes).header, place)
      case .packed: return (try PackedHeader.decode(image.bytes).header.segment, place)
      }
    } catch {
      throw JournalError(error, file: place.path, offset: error == .headerIncomplete ? image.bytes.count : 0)
    }
  }

  /// Opens the file of segment `number` that is read, for reading only.
  func open(_ number: UInt64) throws(JournalError) -> (place: SegmentPlace, file: any StorageFile) {
    // Once would do as long as files go only the way that `SegmentPlace` draws; an operator may move them otherwise.
    for _ in 0..<Limits.readerRetryCount {
      for place in candidates(number) {
        do throws(StorageError) {
          return (place, try storage.open(place.path, .read))
        } catch {
          guard error.errno == .noSuchFileOrDirectory else { throw .storage(error) }
        }
      }
    }
    throw .missingSegment(segment(number))
  }
}
