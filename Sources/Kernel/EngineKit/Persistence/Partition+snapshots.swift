import EntityRuntime
import EventSourcing
package import Journal
import JournalFormat
import Synchronization
public import SystemPackage

/// What a snapshot holds.
public struct SnapshotSummary: Sendable, Equatable {
  /// A start from it replays the records behind this one. Of several partitions, the sum.
  public private(set) var position: UInt64
  /// Awake or asleep.
  public private(set) var entities: Int
  public private(set) var bytes: Int
  /// Of several partitions, that of the first.
  public let file: FilePath

  init(_ info: SnapshotInfo) {
    position = info.point.position
    entities = Int(clamping: info.entryCount - info.finishedCount)
    bytes = info.fileByteCount
    file = info.file
  }

  fileprivate mutating func add(_ other: SnapshotSummary) {
    position += other.position
    entities += other.entities
    bytes += other.bytes
  }
}

extension Partitions {
  /// See `Partition.snapshotNow`: of one after the other.
  @discardableResult
  package func snapshotNow() async throws -> SnapshotSummary {
    var summary = try await all[0].snapshotNow()
    for partition in all.dropFirst() { summary.add(try await partition.snapshotNow()) }
    return summary
  }
}

extension Partition {
  /// Writes a snapshot beside the running service, verifies it, and lets older ones go.
  ///
  /// One entity after the other is captured while all go on working; the file gets its name once the journal is durable
  /// as far as the states in it have come. A failure leaves the older snapshots as they are.
  /// - Throws: `StorageError`, `SnapshotError`, or `EventLogError` if the journal has failed.
  @discardableResult
  package func snapshotNow() async throws -> SnapshotSummary {
    SnapshotSummary(try await housekeeper.alone { try await self.writeSnapshot() })
  }

  /// The caller has the house for itself.
  package func writeSnapshot() async throws -> SnapshotInfo {
    guard let journal = journal.writer else { throw EventLogError.failed }
    // A start that reads the snapshot replays from here on. What is appended between this line and the next ones is in
    // both, which does no harm.
    for source in sources { source.beginSnapshot() }
    defer { for source in sources { _ = source.endSnapshot() } }
    let point = journal.durablePoint
    let (store, now) = (snapshots, context.time.now.milliseconds)
    let writer = try await onThread { Handed(try store.begin(at: point, createdMilliseconds: now)) }
    do {
      for source in sources { try await write(source, with: writer) }
      try await context.untilDurable()
      let info = try await onThread { try writer.value.finish() }
      try await adopt(info)
      return info
    } catch {
      await self.journal.onThread { writer.value.abandon() }
      throw error
    }
  }

  private func write(_ source: any SnapshotSource, with writer: Handed<SnapshotWriter>) async throws {
    let kind = source.kind.rawValue
    let keys = source.keys
    for start in stride(from: 0, to: keys.count, by: node.limits.snapshotChunkCount) {
      let chunk = keys[start..<min(start + node.limits.snapshotChunkCount, keys.count)]
      var captured: [(key: String, entity: CapturedEntity)] = []
      captured.reserveCapacity(chunk.count)
      for key in chunk {
        if let entity = await source.capture(key) { captured.append((key, entity)) }
      }
      // States that lie in a file are copied in its order.
      let entities = captured
      try await onThread {
        for (key, entity) in entities {
          guard let (brief, bytes) = try Self.bytes(of: entity) else {
            try writer.value.addFinished(kind: kind, key: key, sequence: entity.sequence)
            continue
          }
          try writer.value.add(kind: kind, key: key, sequence: entity.sequence, brief: brief, state: bytes)
        }
      }
    }
    let finished = source.endSnapshot()
    try await onThread { for key in finished { try writer.value.addFinished(kind: kind, key: key, sequence: 0) } }
  }

  static func bytes(of entity: CapturedEntity) throws -> (brief: [UInt8], image: [UInt8])? {
    switch entity.content {
    case .finished: return nil
    case .image(let image): return (image.brief.bytes, image.bytes)
    case .place(let place):
      let bytes = try place.image()
      return (try EntityImage(bytes: bytes).brief.bytes, bytes)
    }
  }

  /// Sleeping states move over to the new snapshot, so that the older ones and the spill file can go.
  private func adopt(_ info: SnapshotInfo) async throws {
    let store = snapshots
    let snapshot = try await onThread { try store.open(store.file(at: info.point.position)) }
    let states = SnapshotStates(snapshot)
    let shelves = Dictionary(uniqueKeysWithValues: shelves.map { ($0.kind.rawValue, $0) })
    var entries: [SnapshotEntry] = []
    try snapshot.forEachEntry { if !$0.isFinished, shelves[$0.kind] != nil { entries.append($0) } }
    spill.renew()
    for entry in entries {
      await shelves[entry.kind]?.move(entry.key, at: entry.sequence, to: states.place(entry.place))
    }
    try await onThread { try store.prune() }
    snapshotPoints.withLock { $0 = Array(($0 + [info.point]).suffix(SnapshotStore.keptCount)) }
    snapshotMade.withLock { $0 = Timestamp(milliseconds: info.createdMilliseconds) }
    metrics.snapshotWritten(info)
  }

  /// Something that belongs to one thread at a time, handed from one to the next.
  private struct Handed<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
