import TestSupport

/// How one loss of power treats what no sync had covered; drawn once for each loss, so that mild and wild ones occur.
struct PowerLossDamage {
  private let survivalPercent: UInt64
  private let garblingPercent: UInt64

  init(_ generator: inout SeededGenerator) {
    survivalPercent = [0, 10, 50, 90, 100][Int(generator.next() % 5)]
    garblingPercent = [0, 0, 5, 40][Int(generator.next() % 4)]
  }

  func survives(_ generator: inout SeededGenerator) -> Bool { generator.next() % 100 < survivalPercent }

  /// What stands in a sector afterwards; nil for what was written last.
  func remains(
    of entry: Inode.Unsynced, current: [UInt8], _ sectorByteCount: Int, _ generator: inout SeededGenerator
  ) -> [UInt8]? {
    if generator.next() % 100 < garblingPercent {
      return garbled(entry, current: current, sectorByteCount, &generator)
    }
    if survives(&generator) { return nil }
    // Mostly the durable one, sometimes one that was overwritten before any sync.
    let index = generator.next() % 4 == 0 ? Int(generator.next() % UInt64(entry.versions.count)) : 0
    return entry.versions[index]
  }

  /// Only bytes that were written are garbled: a disk that hurts its other bytes is beyond what a log can bear
  /// (SQLite calls the assumption "powersafe overwrite").
  private func garbled(
    _ entry: Inode.Unsynced, current: [UInt8], _ sectorByteCount: Int, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: sectorByteCount)
    let old = entry.versions[0].isEmpty ? zeros : entry.versions[0]
    let new = current.isEmpty ? zeros : current
    var result = old
    let written = entry.written
    switch generator.next() % 4 {
    case 0:
      for index in written { result[index] = UInt8(truncatingIfNeeded: generator.next()) }
    case 1:
      for index in written { result[index] = 0 }
    case 2:
      let middle = Int.random(in: written.lowerBound...written.upperBound, using: &generator)
      for index in written.lowerBound..<middle { result[index] = new[index] }
    default:
      let middle = Int.random(in: written.lowerBound...written.upperBound, using: &generator)
      for index in middle..<written.upperBound { result[index] = new[index] }
    }
    return result
  }
}
