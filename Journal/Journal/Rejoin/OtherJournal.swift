public import JournalFormat
public import SystemPackage

/// What has to be known of the journal that has taken another one's place, to find out where the two have parted.
public struct OtherJournal: Sendable {
  /// In which it is written.
  public let epoch: UInt32
  /// The segments that it has, by their numbers.
  public let segments: [UInt64: SegmentID]

  public init(epoch: UInt32, segments: [UInt64: SegmentID]) {
    self.epoch = epoch
    self.segments = segments
  }

  /// Of one in a directory, which may be written meanwhile.
  ///
  /// - Throws: what is wrong with the header of a segment, or with the file that says who writes; `storage`.
  public init(
    directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()
  ) throws(JournalError) {
    let journal = JournalDirectory(path: directory, archive: archive, storage: storage)
    var segments: [UInt64: SegmentID] = [:]
    for number in try journal.madeSegmentNumbers() {
      do throws(JournalError) {
        segments[number] = try journal.header(of: number).header.id
      } catch .missingSegment where segments.isEmpty {
        // Retention deletes just now, from the beginning on.
      }
    }
    guard !segments.isEmpty else { throw .missingSegment(journal.segment(1)) }
    self.init(epoch: try EpochStore(journal).current().own, segments: segments)
  }
}

/// Why a journal cannot be made a copy of another.
public enum RejoinError: Error, Sendable, Equatable {
  /// The two have no segment in common: they never were one journal, or what they had in common was deleted.
  case otherJournal(directory: FilePath)
  /// The other one has not taken this one's place: its epoch is not a later one.
  case notLater(directory: FilePath, epoch: UInt32, other: UInt32)
  /// Both were promoted, began the same epoch by chance, and were written.
  case sameEpoch(directory: FilePath, epoch: UInt32)
  case journal(JournalError)
}

extension RejoinError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .otherJournal(let directory):
      "\(directory) has no segment in common with the other journal: it is not a copy of that one, or what they had in "
        + "common was deleted; begin with an empty directory"
    case .notLater(let directory, let epoch, let other):
      "\(directory) is of epoch \(epoch), and the other journal of epoch \(other): that one has not taken this one's place"
    case .sameEpoch(let directory, let epoch):
      "\(directory) and the other journal were both promoted, and both have written in epoch \(epoch): promote the one "
        + "that is to stay once more with `carillon promote`, then rejoin with the other one"
    case .journal(let error): "\(error)"
    }
  }
}
