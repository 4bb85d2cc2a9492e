import Fuzzing
import LZ4

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// The first byte chooses: a block that anyone may have written, or what our own compressors make of any bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  switch input.byte() % 4 {
  case 0, 1: unpackAnything(&input)
  case 2: roundTripLinked(&input)
  default: roundTripHigh(&input)
  }
  return 0
}

/// Bytes around the room for the output that nobody may touch.
private let margin = 64
private let marginByte: UInt8 = 0xA5

/// Unpacks `block` behind `dictionary` into room for `capacity` bytes; the library is not instrumented, so that what
/// lies around the room is looked at afterwards.
private func unpack(_ block: [UInt8], dictionary: [UInt8], capacity: Int) -> [UInt8]? {
  let around = [UInt8](repeating: marginByte, count: margin)
  var memory = around + dictionary + [UInt8](repeating: 0, count: capacity) + around
  let start = margin + dictionary.count
  let written = memory.withUnsafeMutableBytes { memory in
    block.withUnsafeBytes { block in
      LZ4Block.decompress(
        block, into: UnsafeMutableRawBufferPointer(rebasing: memory[start..<(start + capacity)]),
        dictionaryByteCount: dictionary.count)
    }
  }
  require(memory.prefix(margin) == around[...] && memory.suffix(margin) == around[...], "nothing outside is written")
  require(areSame(memory[margin..<start], dictionary[...]), "the dictionary stays as it was")
  guard let written else { return nil }
  require((0...capacity).contains(written), "no more than was allowed")
  return Array(memory[start..<(start + written)])
}

private func areSame(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
  left.withUnsafeBytes { left in right.withUnsafeBytes { right in areEqual(left, right) } }
}

private func unpackAnything(_ input: inout FuzzInput) {
  let capacity = Int(input.number() & 0x7FFF)
  let dictionary = input.bytes(Int(input.byte()))
  let block = input.remainder()
  guard let plain = unpack(block, dictionary: dictionary, capacity: capacity) else { return }
  require(unpack(block, dictionary: dictionary, capacity: capacity) == plain, "the same block gives the same bytes")
  // A block that does not end as the format demands may need more room than it fills, and is refused without.
  let exact = unpack(block, dictionary: dictionary, capacity: plain.count)
  require(exact == nil || exact == plain, "its own length is room enough, if it is a good block")
  require(
    plain.isEmpty || unpack(block, dictionary: dictionary, capacity: plain.count - 1) == nil, "one byte less is not")
}

/// The plain bytes: stretches of the input, each written several times, so that there is something to find.
private func plainBytes(_ input: inout FuzzInput) -> [UInt8] {
  var plain: [UInt8] = []
  while !input.isEmpty, plain.count < 72_000 {
    let times = Int(input.byte() >> 3) + 1
    let piece = input.bytes(Int(input.byte()) + 1)
    for _ in 0..<times { plain += piece }
  }
  return plain
}

private func roundTripLinked(_ input: inout FuzzInput) {
  let pieceMaximum = Int(input.number()) + 1_024
  let restartsAfter = Int(input.byte()) + 1
  let plain = plainBytes(&input)
  var compressor = LZ4LinkedCompressor()
  var unpacked: [UInt8] = []
  var sinceRestart = 0
  plain.withUnsafeBytes { plain in
    var offset = 0
    var pieces = 0
    while offset < plain.count {
      if pieces % restartsAfter == 0 {
        compressor.restart()
        sinceRestart = 0
      }
      let end = min(offset + pieceMaximum, plain.count)
      let piece = UnsafeRawBufferPointer(rebasing: plain[offset..<end])
      let block = compress(piece.count) { compressor.compress(piece, into: $0) }
      let dictionary = Array(unpacked.suffix(min(sinceRestart, LZ4Block.windowByteCount)))
      guard let again = unpack(block, dictionary: dictionary, capacity: piece.count) else {
        fatalError("violated: what was compressed unpacks")
      }
      require(again.withUnsafeBytes { areEqual($0, piece) }, "what was compressed unpacks to the same")
      unpacked += again
      sinceRestart += again.count
      offset = end
      pieces += 1
    }
  }
}

private func roundTripHigh(_ input: inout FuzzInput) {
  let plain = plainBytes(&input)
  guard !plain.isEmpty else { return }
  var compressor = LZ4HighCompressor()
  let block = plain.withUnsafeBytes { plain in compress(plain.count) { compressor.compress(plain, into: $0) } }
  guard let again = unpack(block, dictionary: [], capacity: plain.count) else {
    fatalError("violated: what was compressed unpacks")
  }
  require(areSame(again[...], plain[...]), "what was compressed unpacks to the same")
}

private func compress(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8] {
  let maximum = LZ4Block.maximumCompressedByteCount(count)
  var block = [UInt8](repeating: marginByte, count: maximum + margin)
  let written = block.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[..<maximum])) }
  require((1...maximum).contains(written), "a block is within its bound")
  require(block.suffix(margin).allSatisfy { $0 == marginByte }, "nothing outside is written")
  return Array(block.prefix(written))
}
