internal import JournalFormat

/// Compares a journal with a checkpoint while its frames go by in order: the checks of the chain themselves are those of
/// whoever hands the frames out.
///
/// What happened to the journal after the checkpoint does not matter: appends, and also redaction, archiving and packing,
/// which leave every chain hash as it was.
public struct CheckpointComparison: Sendable {
  private let head: JournalHead
  private var isFound = false
  /// The oldest segment that the checkpoint names is there, under its id: then this is its journal, whatever follows.
  private var isSame = false
  private var isOther = false
  private var firstPosition: UInt64?
  private var lastPosition: UInt64 = 0

  public init(_ checkpoint: Checkpoint) { self.init(checkpoint.head) }

  /// - Parameter head: what was signed of the journal.
  public init(_ head: JournalHead) { self.head = head }

  /// Takes the next frame.
  public mutating func add(_ frame: FrameInfo) {
    let point = head.point
    if firstPosition == nil { firstPosition = frame.header.firstPosition }
    lastPosition = frame.header.endPosition - 1
    let oldest = head.oldestSegment
    if frame.segmentNumber == oldest.number {
      if frame.segmentID == oldest.id { isSame = true } else { isOther = true }
    }
    if frame.segmentNumber == point.segmentNumber, frame.segmentID != point.segmentID, !isSame { isOther = true }
    if !frame.header.isEmpty, lastPosition == point.position, frame.header.chainHash == point.chainHash {
      isFound = true
    }
  }

  /// The point was passed, and it is not what was signed: whatever else is wrong with the journal, its history is not the
  /// one that it was.
  public var hasFoundOtherHistory: Bool {
    guard let firstPosition, !isFound, !isOther else { return false }
    return firstPosition <= head.point.position && lastPosition > head.point.position
  }

  /// After the last frame: whether the journal's history begins with the one that was signed.
  ///
  /// - Throws: `otherJournal`, `journalIsShorter`, `historyDeleted`, `historyDiffers`.
  public func finish() throws(CheckpointError) {
    let position = head.point.position
    if isOther { throw .otherJournal }
    if isFound { return }
    guard let firstPosition, lastPosition >= position else {
      throw .journalIsShorter(end: lastPosition, checkpoint: position)
    }
    if firstPosition > position { throw .historyDeleted(oldest: firstPosition, checkpoint: position) }
    throw .historyDiffers(position: position)
  }
}
