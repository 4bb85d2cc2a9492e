import Fuzzing

@testable import JournalFormat

/// Packed segments.
enum PackedCheck {
  /// A packed file that anyone may have written, its checksums mended if a flag says so.
  static func anyFile(_ input: inout FuzzInput) {
    let flags = input.byte()
    var file = input.remainder()
    if flags & 1 != 0 { mend(&file) }
    guard let segment = expand(file, hashing: false) else {
      require(expand(file, hashing: true) == nil, "what hashing finds right can be had without it")
      return
    }
    require(SegmentCheck.scan(segment).verdict == .clean, "what a packed file holds is a segment")
    guard let hashed = expand(file, hashing: true) else { return }
    let result = SegmentCheck.scan(hashed)
    require(result.isWhole && result.verdict == .clean, "with right hashes it is whole")
  }

  /// Packs a segment that is whole and makes it again.
  static func roundTrip(_ image: [UInt8], _ scan: SegmentCheck.Scan) {
    image.withUnsafeBytes { bytes in
      guard let packed = try? PackedSegmentEncoder.pack(bytes), let again = expand(Array(packed.bytes), hashing: true)
      else { fatalError("violated: a segment that is whole can be packed, and unpacked") }
      let result = SegmentCheck.scan(again)
      require(result.isWhole && result.isSealed && result.verdict == .clean, "it is whole and sealed afterwards")
      require(
        result.frames.map(\.header.chainHash) == scan.frames.map(\.header.chainHash), "every chain hash has stayed")
      require(
        result.frames.map(\.header.timeMilliseconds) == scan.frames.map(\.header.timeMilliseconds), "so has every time")
    }
  }

  /// Segments beyond this are not made again: what is looked for does not need them.
  private static let expandedByteCountMaximum = 8 * 1024 * 1024

  private static func expand(_ file: [UInt8], hashing: Bool) -> [UInt8]? {
    file.withUnsafeBytes { bytes in
      guard var packed = try? PackedSegment(bytes), packed.header.expandedByteCount <= expandedByteCountMaximum else {
        return nil
      }
      var segment = [UInt8](repeating: 0xA5, count: packed.header.expandedByteCount)
      let outcome = segment.withUnsafeMutableBytes { target in
        Result { () throws(FormatError) in try packed.expand(into: target, hashing: hashing) }
      }
      guard case .success = outcome else {
        require(packed.offset <= bytes.count, "an error lies in the file")
        return nil
      }
      return segment
    }
  }

  private static func mend(_ file: inout [UInt8]) {
    guard file.count >= PackedHeader.byteCount else { return }
    file.withUnsafeMutableBytes { file in
      file.store(UInt64(file.count), little: 16)
      file.store(UnsafeRawBufferPointer(rebasing: file[..<252]).checksum(seed: 0), little: 252)
      var seed = UnsafeRawBufferPointer(rebasing: file[128..<240]).checksum(seed: 0)
      var offset = PackedHeader.byteCount
      while file.count - offset >= PackedBlock.headerByteCount {
        let bytes = UnsafeRawBufferPointer(file)
        func field(_ distance: Int) -> Int { Int(bytes.little(offset + distance, as: UInt32.self)) }
        let count = PackedBlock.headerByteCount + field(16) + field(12) * FormatLimits.saltByteCount + field(24)
        guard count <= file.count - offset else { return }
        seed = bytes.slice((offset + 8)..<(offset + count)).checksum(seed: seed)
        file.store(seed, little: offset + 4)
        offset += count
      }
    }
  }
}
