import Fuzzing

@testable import JournalFormat

/// The scan of a segment: scanner, decoder, hash chain and the verdict on its end.
enum SegmentCheck {
  /// Frames that anyone may have written, behind a good header. A flag each: mend checksums, positions, chain hashes.
  static func anySegment(_ input: inout FuzzInput) {
    let flags = input.byte()
    let first = UInt64(input.number()) + 1
    let frames = input.remainder()
    var (image, seed) = emptySegment(holding: frames.count, firstPosition: first)
    image.replaceSubrange(4096..<(4096 + frames.count), with: frames)
    if flags & 8 != 0 { image.removeLast(image.count - 4096 - frames.count) }
    if flags & 7 != 0 { mend(&image, seed, positions: flags & 2 != 0, chain: flags & 4 != 0) }
    _ = scan(image)
  }

  /// A segment as the writer makes it, and the same with one byte changed, cut off or followed by noise.
  static func damagedSegment(_ input: inout FuzzInput) {
    let place = Int(input.number())
    let mask = input.byte()
    let (image, end) = written(&input)
    let good = scan(image)
    require(good.isWhole && good.verdict == .clean && good.end == end, "what the writer made is whole and clean")
    if good.isSealed {
      PackedCheck.roundTrip(image, good)
      redact(image, good)
    }
    guard end > 4096, mask != 0 else { return }

    var damaged = image
    let offset = 4096 + place % (end - 4096)
    damaged[offset] ^= mask
    let left = scan(damaged)
    let intact = good.frames.prefix { $0.endOffset <= offset }
    require(left.frames == Array(intact), "every frame before the damage, and none after it")
    require(left.isWhole, "what is left is what was written")
    let isKnown = good.frames.contains { $0.header.durableOffset > left.end && $0.offset > left.end }
    if case .damaged = left.verdict {
      require(isKnown, "damage is seen only where a later frame tells of it")
    } else {
      require(!isKnown, "what had been on the disk is not cut off")
    }
    let cut = Array(image.prefix(offset))
    require(scan(cut).frames == Array(intact), "every frame before the cut")
  }

  struct Scan {
    var frames: [ScannedFrame] = []
    /// Leaves, chain and records of all frames are right.
    var isWhole = true
    var isSealed = false
    var end = 0
    var verdict: SegmentScanner.Verdict?
  }

  /// Each has megabytes of memory, so they are made once and go on from segment to segment as a reader's do.
  private final class Decoders {
    var records = FrameDecoder()
    var checks = FrameDecoder()
  }
  // Never used by two threads: libFuzzer calls with one input after the other.
  nonisolated(unsafe) private static let decoders = Decoders()

  /// Scans, unpacks and checks; every way of doing so has to come to the same result.
  static func scan(_ image: [UInt8]) -> Scan {
    image.withUnsafeBytes { bytes in
      var result = Scan()
      guard var scanner = try? SegmentScanner(bytes) else { return result }
      decoders.records.beginSegment()
      var chainHash = scanner.header.previousHash
      var position = scanner.header.firstPosition
      var firstBroken: Int?
      while let frame = try? scanner.next() {
        require(frame.endOffset > frame.offset && frame.endOffset <= bytes.count, "a frame lies in the segment")
        require(frame.offset == result.frames.last?.endOffset ?? 4096, "frames lie side by side")
        require(frame.header.firstPosition == position, "positions have no gap")
        checkEncoding(frame, bytes, seed: scanner.checksumSeed)
        if !checkRecords(frame, bytes, after: chainHash), firstBroken == nil { firstBroken = frame.offset }
        position = frame.header.endPosition
        chainHash = frame.header.chainHash
        result.frames.append(frame)
      }
      require(firstBroken == firstBrokenFrame(result.frames, bytes, after: scanner.header), "both ways find the same")
      result.isWhole = firstBroken == nil
      result.isSealed = scanner.isSealed
      result.end = scanner.offset
      result.verdict = verdict(scanner, bytes)
      return result
    }
  }

  private static func checkEncoding(_ frame: ScannedFrame, _ bytes: UnsafeRawBufferPointer, seed: UInt32) {
    let original = UnsafeRawBufferPointer(rebasing: bytes[frame.offset..<frame.endOffset])
    var copy = Array(original)
    for index in 0..<FrameHeader.byteCount { copy[index] = 0 }
    copy.withUnsafeMutableBytes { frame.header.encode(into: $0, seed: seed) }
    require(copy.withUnsafeBytes { areEqual($0, original) }, "a header that was accepted is encoded to the same bytes")
  }

  /// Whether leaves, chain and records are right.
  private static func checkRecords(
    _ frame: ScannedFrame, _ bytes: UnsafeRawBufferPointer, after chainHash: Hash256
  ) -> Bool {
    var count = 0
    var byteCount = 0
    do {
      try decoders.records.forEachRecord(of: frame, in: bytes, previousHash: chainHash) { record in
        require(record.position == frame.header.firstPosition + UInt64(count), "records are numbered")
        require(record.key.count <= FormatLimits.keyByteCountMaximum, "a key is bounded")
        require(!record.isRedacted || record.payload.isEmpty, "nothing is left of a redacted record")
        count += 1
        byteCount += record.key.count + record.payload.count
      }
    } catch {
      require(error is FormatError, "only what is documented is thrown")
      return false
    }
    require(count == frame.header.recordCount, "as many records as the header says")
    require(byteCount <= frame.header.plainByteCount, "records lie in the plain bytes")
    return true
  }

  /// Where the frame stands that the fast check, which hands out no records, finds first.
  private static func firstBrokenFrame(
    _ frames: [ScannedFrame], _ bytes: UnsafeRawBufferPointer, after header: SegmentHeader
  ) -> Int? {
    var chainHash = header.previousHash
    decoders.checks.beginSegment()
    do throws(FormatError) {
      for frame in frames {
        _ = try decoders.checks.check(frame, in: bytes, previousHash: chainHash)
        chainHash = frame.header.chainHash
      }
      try decoders.checks.finishChecks()
      return nil
    } catch {
      require(decoders.checks.brokenFrameOffset != nil, "a broken frame has a place")
      return decoders.checks.brokenFrameOffset
    }
  }

  private static func verdict(_ scanner: SegmentScanner, _ bytes: UnsafeRawBufferPointer) -> SegmentScanner.Verdict {
    let verdict = scanner.verdict()
    func isZero(from offset: Int) -> Bool { Fuzzing.isZero(UnsafeRawBufferPointer(rebasing: bytes[offset...])) }
    switch verdict {
    case .clean: require(isZero(from: scanner.offset), "nothing but zeros is clean")
    case .torn(let range):
      require(range.lowerBound == scanner.offset && range.upperBound <= bytes.count, "what is torn lies in the segment")
      require(bytes[range.upperBound - 1] != 0, "it ends with the last byte that is not zero")
      require(isZero(from: range.upperBound), "zeros follow")
    case .damaged(let evidence):
      require(evidence > scanner.offset && evidence < bytes.count, "the evidence lies further on")
    }
    return verdict
  }

  /// Replaces every other record by its leaf: the chain stays, and so does everything else.
  private static func redact(_ image: [UInt8], _ good: Scan) {
    image.withUnsafeBytes { bytes in
      guard let redacted = try? RedactedSegment.replacing(bytes, matching: { $0.position % 2 == 0 }) else {
        fatalError("violated: a segment that is whole can be redacted")
      }
      let result = scan(Array(redacted.bytes))
      require(result.isWhole && result.isSealed && result.verdict == .clean, "it is whole afterwards")
      require(
        result.frames.map(\.header.chainHash) == good.frames.map(\.header.chainHash), "every chain hash has stayed")
    }
  }
}
