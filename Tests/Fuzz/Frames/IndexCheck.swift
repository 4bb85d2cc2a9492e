import Fuzzing

@testable import JournalFormat

/// The parts of a record index.
enum IndexCheck {
  /// A part that anyone may have written, its checksums mended if a flag says so.
  static func anyPart(_ input: inout FuzzInput) {
    let flags = input.byte()
    let seed = UInt32(input.byte())
    var file = input.remainder()
    if flags & 1 != 0 { mend(&file, seed) }
    file.withUnsafeBytes { bytes in
      _ = RecordIndexKey.decode(bytes)
      _ = RecordIndexHeader.decode(bytes)
      guard let rows = RecordIndexPart.rowsByteCount(head: bytes), rows <= bytes.count,
        let (part, _) = RecordIndexPart.decode(UnsafeRawBufferPointer(rebasing: bytes[..<rows]), seed: seed)
      else { return }
      require(part.rowsByteCount == rows, "rows have the length that the head says")
      let again = part.encodedRows(seed: seed).bytes
      require(
        again.withUnsafeBytes { RecordIndexPart.decode($0, seed: seed)?.part } == part,
        "rows that are encoded read the same")
      check(part, bytes)
    }
  }

  private static func check(_ part: RecordIndexPart, _ bytes: UnsafeRawBufferPointer) {
    for term in part.fences.map(\.lowest) + [0, .max] {
      guard let block = part.block(of: term), block.upperBound <= bytes.count else { continue }
      let found = part.positions(of: term, in: UnsafeRawBufferPointer(rebasing: bytes[block])) ?? []
      require(
        found.allSatisfy { $0 >= part.firstPosition && $0 < part.endPosition }, "no position lies outside of the part")
      require(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "positions come in order, and once")
    }
  }

  /// Fences and rows get the checksums of what stands there.
  private static func mend(_ file: inout [UInt8], _ seed: UInt32) {
    file.withUnsafeMutableBytes { file in
      let bytes = UnsafeRawBufferPointer(file)
      guard let rows = RecordIndexPart.rowsByteCount(head: bytes), rows <= file.count else { return }
      let count = Int(bytes.little(20, as: UInt32.self))
      let fences = rows - count * RecordIndexPart.rowByteCount
      for index in 0..<count {
        let row = fences + index * RecordIndexPart.rowByteCount
        let start = rows + Int(bytes.little(row + 8, as: UInt32.self))
        let isLast = index + 1 == count
        let end =
          isLast ? file.count : rows + Int(bytes.little(row + RecordIndexPart.rowByteCount + 8, as: UInt32.self))
        guard start < end, end <= file.count else { continue }
        file.store(UnsafeRawBufferPointer(rebasing: bytes[start..<end]).checksum(seed: 0), little: row + 12)
      }
      file.store(UnsafeRawBufferPointer(rebasing: bytes[8..<rows]).checksum(seed: seed), little: 4)
    }
  }
}
