internal import JournalFormat
public import SystemPackage

/// One segment of a journal, as it is kept.
public struct SegmentInfo: Sendable, Equatable {
  public let number: UInt64
  /// By which messages name it.
  public let file: FilePath
  public let isArchived: Bool
  public let isPacked: Bool
  /// Of the file: of the newest segment that is what it will be once it is full.
  public let byteCount: Int

  package init(number: UInt64, file: FilePath, isArchived: Bool, isPacked: Bool, byteCount: Int) {
    self.number = number
    self.file = file
    self.isArchived = isArchived
    self.isPacked = isPacked
    self.byteCount = byteCount
  }
}

extension JournalReader {
  /// The segments that are there, oldest first; each as it would be read.
  ///
  /// - Throws: `JournalError.storage`.
  public func segments() throws(JournalError) -> [SegmentInfo] {
    // A file may be moved, packed or deleted between two looks.
    for _ in 1..<Limits.readerRetryCount {
      do throws(JournalError) {
        return try directory.segments()
      } catch {
        guard case .storage(let cause) = error, cause.errno == .noSuchFileOrDirectory else { throw error }
      }
    }
    return try directory.segments()
  }
}

extension JournalDirectory {
  /// The segments that are there, oldest first; each as it would be read.
  ///
  /// - Throws: `storage`, also if a file is moved, packed or deleted meanwhile.
  func segments() throws(JournalError) -> [SegmentInfo] {
    var segments: [SegmentInfo] = []
    do throws(StorageError) {
      for place in try places() {
        // Of one number the one that is read comes first.
        guard segments.last?.number != place.number else { continue }
        let file = try storage.open(place.path, .read)
        defer { file.close() }
        segments.append(
          SegmentInfo(
            number: place.number, file: place.path, isArchived: place.isArchived, isPacked: place.form == .packed,
            byteCount: try file.size()))
      }
    } catch {
      throw .storage(error)
    }
    return segments
  }
}
