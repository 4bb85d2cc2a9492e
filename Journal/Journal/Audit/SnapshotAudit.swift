internal import JournalFormat
public import SystemPackage

/// Checks the snapshots beside a journal: each by itself, and against the journal's frames while these go by in order.
public struct SnapshotAudit: Sendable {
  /// Those that are whole, newest first.
  public let snapshots: [SnapshotInfo]
  private var isFound: [Bool]
  /// Its segment is there, under its id: the journal is its own.
  private var isOwn: [Bool]
  private var firstPosition: UInt64?
  private var lastPosition: UInt64 = 0

  /// Reads every snapshot whole. Before the journal is read: a snapshot that a running server makes meanwhile may stand
  /// behind what the reader sees.
  ///
  /// - Parameter directory: the journal's.
  /// - Throws: `SnapshotError` at the first that is not whole.
  public init(directory: FilePath, storage: any JournalStorage = DiskStorage()) throws(SnapshotError) {
    let store = SnapshotStore(directory: directory, storage: storage)
    var snapshots: [SnapshotInfo] = []
    for file in try store.all() {
      do throws(SnapshotError) {
        let snapshot = try store.open(file)
        try snapshot.verifyContents()
        snapshots.append(snapshot.info)
      } catch .storage(let error) where error.errno == .noSuchFileOrDirectory {
        // A newer one has taken its place.
      }
    }
    self.snapshots = snapshots
    isFound = snapshots.map { $0.point.position == 0 }
    isOwn = snapshots.map { _ in false }
  }

  /// Takes the next frame.
  public mutating func add(_ frame: FrameInfo) {
    if firstPosition == nil { firstPosition = frame.header.firstPosition }
    lastPosition = frame.header.endPosition - 1
    for (index, snapshot) in snapshots.enumerated() where snapshot.point.position == lastPosition {
      if snapshot.point.chainHash == frame.header.chainHash { isFound[index] = true }
      if snapshot.point.segmentNumber == frame.segmentNumber, snapshot.point.segmentID == frame.segmentID {
        isOwn[index] = true
      }
    }
  }

  /// After the last frame: whether each snapshot was taken of this journal. One from before the oldest segment that is
  /// left cannot be compared.
  ///
  /// - Throws: `journalShorter`, `historyDiffers`, `foreignJournal`.
  public func finish() throws(SnapshotError) {
    for (index, snapshot) in snapshots.enumerated() where !isFound[index] {
      let position = snapshot.point.position
      guard position <= lastPosition else {
        throw .journalShorter(file: snapshot.file, position: position, end: lastPosition)
      }
      guard let firstPosition, position >= firstPosition else { continue }
      throw isOwn[index] ? .historyDiffers(snapshot.file, position: position) : .foreignJournal(snapshot.file)
    }
  }
}
