import Fuzzing

@testable import JournalFormat

/// The parts of a snapshot.
enum SnapshotCheck {
  /// Blocks one after the other and a footer, as a reader comes upon them.
  static func anyFile(_ input: inout FuzzInput) {
    let flags = input.byte()
    let seed = UInt32(input.byte())
    var file = input.remainder()
    if flags & 1 != 0 { mend(&file, seed) }
    file.withUnsafeBytes { bytes in
      _ = try? SnapshotHeader.decode(bytes)
      checkFooter(bytes, seed)
      var offset = 0
      while offset < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let kinds: [SnapshotBlock.Kind] = [.states, .index, .table]
        let found = kinds.lazy.compactMap { kind in SnapshotBlock(rest, kind: kind).map { (kind, $0) } }.first
        guard let (kind, block) = found else { return }
        guard block.isWhole(rest, seed: seed) else { return }
        if let plain = block.unpack(rest, seed: seed) { check(plain, kind, block, seed) }
        offset += block.byteCount
      }
    }
  }

  /// An index block's plain bytes that anyone may have written.
  static func anyIndex(_ input: inout FuzzInput) { checkIndex(input.remainder(), at: 4096 + Int(input.number())) }

  private static func check(_ plain: [UInt8], _ kind: SnapshotBlock.Kind, _ block: SnapshotBlock, _ seed: UInt32) {
    require(plain.count == block.plainByteCount, "as many bytes as the header says")
    require(plain.count <= max(block.bodyByteCount * 255, block.bodyByteCount), "nothing grows beyond what LZ4 can do")
    if kind == .index { checkIndex(plain, at: 1 << 20) }
    var encoder = SnapshotBlockEncoder(seed: seed)
    plain.withUnsafeBytes { encoder.encode($0, kind: kind) }
    let encoded = encoder.encodedBytes
    require(
      SnapshotBlock(encoded, kind: kind)?.unpack(encoded, seed: seed) == plain, "a block that is encoded unpacks again")
  }

  /// What an index block holds can be written again and then says the same.
  private static func checkIndex(_ plain: [UInt8], at blockOffset: Int) {
    guard let entries = read(plain, at: blockOffset) else { return }
    var block = SnapshotIndexBlock()
    for entry in entries {
      if entry.isFinished {
        block.addFinished(kind: entry.kind, sequence: entry.sequence, key: entry.key)
      } else {
        block.add(
          kind: entry.kind, sequence: entry.sequence, key: entry.key, brief: entry.brief,
          blockOffset: Int(entry.place.blockOffset), start: Int(entry.place.start),
          stateByteCount: Int(entry.place.byteCount))
      }
    }
    require(read(Array(block.bytes), at: blockOffset) == entries, "an index that is encoded reads the same")
  }

  private static func read(_ plain: [UInt8], at blockOffset: Int) -> [SnapshotEntry]? {
    plain.withUnsafeBytes { bytes in
      var cursor = SnapshotIndexCursor(bytes, at: blockOffset)
      var entries: [SnapshotEntry] = []
      do throws(SnapshotFormatError) {
        while let entry = try cursor.next() {
          require(entry.key.utf8.count <= FormatLimits.keyByteCountMaximum, "a key is bounded")
          require(entry.brief.count <= SnapshotLimits.briefByteCountMaximum, "a brief is bounded")
          require(entry.place.blockOffset <= UInt64(blockOffset), "a state lies before its index")
          entries.append(entry)
        }
      } catch {
        return nil
      }
      return entries
    }
  }

  private static func checkFooter(_ file: UnsafeRawBufferPointer, _ seed: UInt32) {
    let offset = file.count - SnapshotLimits.footerByteCount
    guard offset >= 0,
      let footer = try? SnapshotFooter.decode(UnsafeRawBufferPointer(rebasing: file[offset...]), at: offset, seed: seed)
    else { return }
    require(footer.encoded(seed: seed).elementsEqual(file[offset...]), "a footer that was accepted is encoded the same")
  }

  private static func mend(_ file: inout [UInt8], _ seed: UInt32) {
    file.withUnsafeMutableBytes { file in
      var offset = 0
      let footer = file.count - SnapshotLimits.footerByteCount
      while file.count - offset >= SnapshotLimits.blockHeaderByteCount {
        let bytes = UnsafeRawBufferPointer(file)
        let count = SnapshotLimits.blockHeaderByteCount + Int(bytes.little(offset + 8, as: UInt32.self))
        guard count <= file.count - offset else { break }
        file.store(bytes.slice((offset + 8)..<(offset + count)).checksum(seed: seed), little: offset + 4)
        offset += count
      }
      guard footer >= offset else { return }
      file.store(UInt64(footer), little: footer + 8)
      let bytes = UnsafeRawBufferPointer(rebasing: file[footer..<(footer + 76)])
      file.store(bytes.checksum(seed: seed), little: footer + 76)
    }
  }
}
