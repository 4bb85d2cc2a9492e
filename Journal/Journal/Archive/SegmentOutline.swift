package import JournalFormat
internal import SystemPackage

/// What must stay the same when a sealed segment gets another form.
package struct SegmentOutline: Equatable, Sendable {
  package let number: UInt64
  package let id: SegmentID
  package let previousHash: Hash256
  package let headHash: Hash256
  package let firstPosition: UInt64
  /// The position after the last record.
  package let endPosition: UInt64
  package let frameCount: Int
  package let isSealed: Bool
}

extension JournalDirectory {
  /// Reads one file of a segment and checks all of it: checksums, order, every leaf and every link of the chain.
  ///
  /// - Parameters:
  ///   - path: where it is read from, if it has not got its name yet.
  ///   - image: holds the segment afterwards.
  ///   - record: called for each record.
  /// - Throws: what is wrong with it.
  func examine(
    _ place: SegmentPlace, at path: FilePath? = nil, _ image: inout SegmentImage,
    record: (borrowing RecordView) -> Void = { _ in }
  ) throws(JournalError) -> SegmentOutline {
    let path = path ?? place.path
    let file: any StorageFile
    do throws(StorageError) {
      file = try storage.open(path, .read)
    } catch {
      throw .storage(error)
    }
    defer { file.close() }
    try load(file, path, place.form, into: &image, hashing: true)
    let bytes = image.bytes
    var offset = 0
    do {
      var scanner = try SegmentScanner(bytes)
      var decoder = FrameDecoder()
      var previousHash = scanner.chainHash
      var frameCount = 0
      while let frame = try scanner.next() {
        offset = frame.offset
        // Those of a packed segment were checked when it was expanded.
        let known = place.form == .packed ? nil : previousHash
        try decoder.forEachRecord(of: frame, in: bytes, previousHash: known) { record($0) }
        previousHash = frame.header.chainHash
        frameCount += 1
      }
      offset = scanner.offset
      guard scanner.header.number == place.number, scanner.verdict() == .clean else { throw FormatError.frameDamaged }
      return SegmentOutline(
        number: scanner.header.number, id: scanner.header.id, previousHash: scanner.header.previousHash,
        headHash: scanner.chainHash, firstPosition: scanner.header.firstPosition, endPosition: scanner.nextPosition,
        frameCount: frameCount, isSealed: scanner.isSealed)
    } catch let error as FormatError {
      throw JournalError(error, file: path, offset: error == .headerIncomplete ? bytes.count : offset)
    } catch {
      preconditionFailure("a segment in memory throws what is wrong with its format only")
    }
  }
}
