internal import JournalFormat
internal import SystemPackage

/// The segment that is being written, as a start finds it.
extension JournalDirectory {
  /// Whether segment `number` lies where and as the writer makes it.
  func isLivePlain(_ number: UInt64) throws(StorageError) -> Bool {
    try places().contains { $0.number == number && !$0.isArchived && $0.form == .plain }
  }

  /// Numbers of the segments that hold something: a last one that is half made does not count.
  func madeSegmentNumbers() throws(JournalError) -> [UInt64] {
    do throws(StorageError) {
      var numbers = try segmentNumbers()
      if let last = numbers.last, try isHalfMade(last) { numbers.removeLast() }
      return numbers
    } catch {
      throw .storage(error)
    }
  }

  /// Whether the last segment is one of zeros only, which a start sets aside to make it again. It has the length of a
  /// segment, since none gets its name before that; a shorter one was cut.
  func isHalfMade(_ number: UInt64) throws(StorageError) -> Bool {
    guard try isLivePlain(number) else { return false }
    let file = try storage.open(segment(number), .read)
    defer { file.close() }
    guard FormatLimits.isReadableSegmentByteCount(try file.size()) else { return false }
    var image = SegmentImage()
    // The header page first: a real segment is told apart at once.
    try image.load(file, limit: FormatLimits.segmentHeaderByteCount)
    guard image.bytes.isZero else { return false }
    try image.load(file, limit: FormatLimits.segmentReadByteCountMaximum)
    return image.bytes.isZero
  }
}
