internal import JournalFormat
internal import SystemPackage

/// One segment of a journal, as it lies on the disk.
public struct SegmentInfo: Sendable, Equatable {
  public let number: UInt64
  public let isArchived: Bool
  public let isPacked: Bool
  /// Of the file: of the newest segment that is what it will be once it is full.
  public let byteCount: Int
}

extension JournalReader {
  /// The segments that are there, oldest first; each as it would be read.
  ///
  /// - Throws: `JournalError.storage`.
  public func segments() throws(JournalError) -> [SegmentInfo] {
    var segments: [SegmentInfo] = []
    // Of one number the one that is read comes first.
    for (place, byteCount) in try sizes() where segments.last?.number != place.number {
      segments.append(
        SegmentInfo(
          number: place.number, isArchived: place.isArchived, isPacked: place.form == .packed, byteCount: byteCount))
    }
    return segments
  }

  /// A file may be moved, packed or deleted between two looks.
  private func sizes() throws(JournalError) -> [(place: SegmentPlace, byteCount: Int)] {
    for _ in 1..<Limits.readerRetryCount {
      do throws(JournalError) {
        return try directory.sizes()
      } catch {
        guard case .storage(let cause) = error, cause.errno == .noSuchFileOrDirectory else { throw error }
      }
    }
    return try directory.sizes()
  }
}
