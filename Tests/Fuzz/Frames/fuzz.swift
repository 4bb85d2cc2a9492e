import Fuzzing

@testable import JournalFormat

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// The first byte chooses what the bytes are taken for. Each has a mode with the checksums mended, because nobody finds
/// a checksum by trying.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  switch input.byte() % 6 {
  case 0: SegmentCheck.anySegment(&input)
  case 1: SegmentCheck.damagedSegment(&input)
  case 2: PackedCheck.anyFile(&input)
  case 3: SnapshotCheck.anyFile(&input)
  case 4: SnapshotCheck.anyIndex(&input)
  default: IndexCheck.anyPart(&input)
  }
  return 0
}
