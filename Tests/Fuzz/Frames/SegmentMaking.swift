import Fuzzing

@testable import JournalFormat

// Segments to scan.
extension SegmentCheck {
  static func emptySegment(holding count: Int, firstPosition: UInt64) -> (image: [UInt8], seed: UInt32) {
    let byteCount = FormatLimits.segmentByteCount(holding: 4096 + count)
    let header = SegmentHeader(
      segmentByteCount: byteCount, number: 1, id: SegmentID(high: 1, low: 2), previousID: .none,
      firstPosition: firstPosition, createdMilliseconds: 1, nodeID: 1, epoch: 1, previousHash: .zero)
    let (page, seed) = header.encoded()
    return (page + [UInt8](repeating: 0, count: byteCount - page.count), seed)
  }

  /// Makes right what a mutation has no chance to: checksums, if asked for also positions and chain hashes.
  static func mend(_ image: inout [UInt8], _ seed: UInt32, positions: Bool, chain: Bool) {
    image.withUnsafeMutableBytes { image in
      guard let header = try? SegmentScanner(UnsafeRawBufferPointer(image)).header else { return }
      var decoder = FrameDecoder()
      var hasher = ChainHasher()
      var (offset, position, hash) = (4096, header.firstPosition, header.previousHash)
      while image.count - offset >= FrameHeader.byteCount {
        let bytes = UnsafeRawBufferPointer(image)
        let bodyCount = Int(bytes.little(offset + 8, as: UInt32.self))
        guard bytes.little(offset, as: UInt32.self) == FrameHeader.magic,
          bodyCount <= image.count - offset - FrameHeader.byteCount
        else { return }
        let frame = UnsafeMutableRawBufferPointer(
          rebasing: image[offset..<(offset + FrameHeader.byteCount + bodyCount)])
        if positions {
          frame.store(position, little: 24)
          if frame[40..<48].contains(where: { $0 != 0 }) { frame.store(position - 1, little: 40) }
        }
        if let fields = FrameHeader.decodeFields(bytes, at: offset) {
          position = fields.endPosition
          if chain, let link = link(ScannedFrame(header: fields, offset: offset), bytes, &decoder, &hasher, hash) {
            if let base = frame.baseAddress { link.store(to: base + 56) }
            hash = link
          } else {
            hash = fields.chainHash
          }
        }
        frame.store(UnsafeRawBufferPointer(rebasing: frame[8...]).checksum(seed: seed), little: 4)
        offset += frame.count
      }
    }
  }

  private static func link(
    _ frame: ScannedFrame, _ bytes: UnsafeRawBufferPointer, _ decoder: inout FrameDecoder, _ hasher: inout ChainHasher,
    _ previous: Hash256
  ) -> Hash256? {
    let salts = bytes.slice(frame.bodyOffset..<(frame.bodyOffset + frame.header.saltsByteCount))
    guard let plain = try? decoder.plainBytes(of: frame, in: bytes) else { return nil }
    return try? hasher.link(after: previous, frame.header, plain: plain, salts: salts)
  }

  /// A segment as the writer makes it of appends that the input describes; where its last frame ends.
  static func written(_ input: inout FuzzInput) -> (image: [UInt8], end: Int) {
    let first = UInt64(input.byte()) + 1
    var (image, seed) = emptySegment(holding: 1, firstPosition: first)
    var encoder = FrameEncoder(seed: seed, chainHash: .zero, epoch: 1) { salts in
      for index in salts.indices { salts[index] = UInt8(truncatingIfNeeded: index &* 37 &+ 1) }
    }
    var position = first
    var durableOffset = 0
    let isSealed = input.byte() & 1 != 0
    let room = image.count - 2 * FrameHeader.byteCount
    while !input.isEmpty {
      var batch = RecordBatch(
        unitByteCountMaximum: FormatLimits.unitByteCountMaximum(segmentByteCount: image.count))
      let shape = input.byte()
      let time = Int64(input.number())
      if shape & 0xC0 == 0xC0 {
        encoder.appendEmpty(
          seal: false, nextPosition: position, timeMilliseconds: time, durablePosition: position - 1,
          durableOffset: durableOffset)
      } else {
        append(Int(shape & 7) + 1, to: &batch, at: position, time, &input)
        guard let draft = batch.frames.first, 4096 + encoder.outputByteCount + draft.frameByteCountMaximum <= room
        else { break }
        try? encoder.append(draft, of: batch, durablePosition: position - 1, durableOffset: durableOffset)
        position = draft.lastPosition + 1
      }
      // Now and then the frames so far are on the disk when the next one is written.
      if shape & 0x20 != 0 { durableOffset = 4096 + encoder.outputByteCount }
      if 4096 + encoder.outputByteCount > room { break }
    }
    if isSealed {
      encoder.appendEmpty(
        seal: true, nextPosition: position, timeMilliseconds: 0, durablePosition: position - 1,
        durableOffset: durableOffset)
    }
    let end = 4096 + encoder.outputByteCount
    image.replaceSubrange(4096..<end, with: encoder.encodedBytes)
    return (image, end)
  }

  private static func append(
    _ count: Int, to batch: inout RecordBatch, at position: UInt64, _ time: Int64, _ input: inout FuzzInput
  ) {
    batch.beginUnit(firstPosition: position, timeMilliseconds: time)
    for _ in 0..<count {
      let key = input.bytes(Int(input.byte() & 0x3F))
      let payload = input.bytes(Int(input.byte()))
      let (kind, tag) = (input.byte(), input.number())
      key.withUnsafeBytes { key in
        payload.withUnsafeBytes { payload in
          try? batch.append(
            kind: kind, key: key, sequence: UInt64(tag) << 3, timeMilliseconds: time &- Int64(kind), tag: tag,
            payload: payload)
        }
      }
    }
  }
}
