package import EngineKit
import Journal
import StandbyWire

/// The writer of a partition's journal.
package struct JournalSource: DurableSource {
  private let partition: Partition

  package init(_ partition: Partition) { self.partition = partition }

  package var extent: StandbyExtent? { partition.durableExtent.map { StandbyExtent($0) } }

  package var isAwaited: Bool { partition.waitsForStandby }

  package func onDurable(_ hook: @escaping @Sendable (_ position: UInt64) -> Void) {
    partition.onDurable { hook($0.position) }
  }

  package func heard(of epoch: UInt32) throws { _ = try partition.heard(of: epoch) }
  package func acknowledged(_ position: UInt64) { partition.wasAcknowledged(position) }
}

extension StandbyExtent {
  init(_ extent: DurableExtent) {
    self.init(
      place: StandbyPlace(segment: extent.segmentNumber, offset: extent.offset), position: extent.position,
      epoch: extent.epoch)
  }
}
