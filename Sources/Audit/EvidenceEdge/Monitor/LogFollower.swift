package import Journal
import SystemPackage
package import Transparency

/// A monitor with its directory: looks at a log once, or again and again.
///
/// Belongs to one task. What it remembers is durable before what it found is told.
package struct LogFollower: ~Copyable {
  private var monitor: LogMonitor
  private let reader: any LogReading
  private let files: EvidenceFiles?
  private let lock: (any StorageLock)?

  /// - Parameter files: nil: nothing outlives the process.
  /// - Throws: if it cannot go on from what it remembers.
  package init(_ monitor: LogMonitor, _ reader: any LogReading, files: EvidenceFiles?) throws(KeepingFailure) {
    self.reader = reader
    self.files = files
    var restored = monitor
    if let files {
      lock = try KeepingFailure.attempt(in: files.directory) {
        try files.makeDirectory()
        let lock = try files.lock()
        try Self.restore(&restored, from: files)
        return lock
      }
    } else {
      lock = nil
    }
    self.monitor = restored
  }

  private static func restore(_ monitor: inout LogMonitor, from files: EvidenceFiles) throws {
    let name = MonitorRecord.fileName(of: monitor.origin)
    guard let bytes = try files.read(name, byteCountMaximum: MonitorRecord.byteCountMaximum) else { return }
    do throws(MonitorRecordFlaw) {
      try monitor.restore(MonitorRecord(bytes))
    } catch {
      throw KeepingFailure.damaged(files.directory.appending(name), "\(error)")
    }
  }

  /// What is remembered.
  package var record: MonitorRecord? { monitor.record }

  /// Looks at the log.
  ///
  /// - Parameter unixSeconds: now.
  /// - Returns: all that is wrong.
  /// - Throws: if what it remembers cannot be kept: then it is not to go on.
  package mutating func look(unixSeconds: UInt64) async throws(StorageError) -> [MonitorFinding] {
    let step: LogMonitor.Step
    switch await reader.file("checkpoint", byteCountMaximum: EvidenceLimits.noteByteCountMaximum) {
    case .content(let bytes):
      step = await settled(monitor.received(checkpoint: bytes, unixSeconds: unixSeconds), unixSeconds)
    case .absent: step = monitor.received(.unreachable("it has no checkpoint there"), unixSeconds: unixSeconds)
    case .failed(let reason): step = monitor.received(.unreachable(reason), unixSeconds: unixSeconds)
    }
    guard case .settled(let outcome) = step else {
      preconditionFailure("tiles are asked for once")
    }
    if let files {
      if let record = outcome.record { try files.replace(record.fileName, record.bytes) }
      if let evidence = outcome.evidence { try files.keepFork(evidence, of: monitor.origin) }
    }
    return outcome.findings
  }

  private mutating func settled(_ step: LogMonitor.Step, _ unixSeconds: UInt64) async -> LogMonitor.Step {
    guard case .fetch(let addresses) = step else { return step }
    var tiles: [TileAddress: [UInt8]] = [:]
    for address in addresses {
      switch await hashes(of: address) {
      case .content(let bytes): tiles[address] = bytes
      case .absent:
        return monitor.received(.tileMissing(address), unixSeconds: unixSeconds)
      case .failed(let reason):
        return monitor.received(.unreachable(reason), unixSeconds: unixSeconds)
      }
    }
    return monitor.received(tiles: tiles)
  }

  /// A partial tile may be gone once the full one is there, which begins with it. Spec: C2SP tlog-tiles, partial tiles.
  private func hashes(of tile: TileAddress) async -> LogFile {
    // One byte more than a full tile has: what is longer is no tile, and is told as one of a wrong length.
    let maximum = TileAddress.widthMaximum * TileAddress.hashByteCount + 1
    let file = await reader.file(tile.path, byteCountMaximum: maximum)
    guard file == .absent, tile.isPartial, let full = TileAddress(tile.row, index: tile.index) else { return file }
    guard case .content(let bytes) = await reader.file(full.path, byteCountMaximum: maximum) else { return file }
    return .content(Array(bytes.prefix(tile.width * TileAddress.hashByteCount)))
  }
}
