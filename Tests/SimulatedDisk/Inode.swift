import Glibc
import TestSupport

/// A file's content: what is written, and for each sector that no sync has covered, what stood there before.
///
/// Safe to share: touched only under the mutex of its disk.
final class Inode: @unchecked Sendable {
  /// A sector that power loss may undo.
  struct Unsynced {
    /// What may come back, the durable one first; an empty array is zeros.
    var versions: [[UInt8]]
    /// The bytes of the sector that were written since; a loss of power garbles no others.
    var written: Range<Int>
    /// A sync failed: no later one makes this write durable.
    var isAbandoned = false
  }

  /// The written bytes; up to `size` zeros follow, which take no memory.
  private(set) var bytes: [UInt8]
  private(set) var size: Int
  private var durableSize: Int
  private var unsynced: [Int: Unsynced] = [:]
  private let sectorByteCount: Int
  /// Directory entries that refer to it.
  var linkCount = 0
  /// As `FileKind` tells it from the name that it has now.
  var kind = ""

  private static let versionCountMaximum = 4

  init(sectorByteCount: Int, bytes: [UInt8] = []) {
    self.sectorByteCount = sectorByteCount
    self.bytes = bytes
    size = bytes.count
    durableSize = bytes.count
  }

  /// A copy that is written on its own from now on.
  init(_ other: Inode) {
    sectorByteCount = other.sectorByteCount
    bytes = other.bytes
    size = other.size
    durableSize = other.durableSize
    unsynced = other.unsynced
  }

  /// All bytes, zeros included.
  var allBytes: [UInt8] { bytes + [UInt8](repeating: 0, count: size - bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    guard offset < size else { return 0 }
    let count = min(buffer.count, size - offset)
    let stored = max(0, min(count, bytes.count - offset))
    bytes.withUnsafeBytes { bytes in
      if stored > 0 {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + stored)]))
      }
    }
    if count > stored, let base = buffer.baseAddress { memset(base + stored, 0, count - stored) }
    return count
  }

  func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    guard source.count > 0 else { return }
    let end = offset + source.count
    let used = offset + source.endOfNonzero
    size = max(size, end)
    // Zeros where there are only zeros: the preallocation of a segment.
    if offset >= bytes.count, used == offset { return }
    for sector in (offset / sectorByteCount)...((end - 1) / sectorByteCount) {
      remember(sector, source, at: offset)
    }
    if used > bytes.count { bytes.append(contentsOf: repeatElement(0, count: used - bytes.count)) }
    let count = min(end, bytes.count) - offset
    guard count > 0 else { return }
    bytes.withUnsafeMutableBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
    }
  }

  /// Keeps what stands in `sector` now, if `source` changes it.
  private func remember(_ sector: Int, _ source: UnsafeRawBufferPointer, at offset: Int) {
    let start = sector * sectorByteCount
    let low = max(start, offset)
    let high = min(start + sectorByteCount, offset + source.count)
    let part = UnsafeRawBufferPointer(rebasing: source[(low - offset)..<(high - offset)])
    guard !holds(part, at: low) else { return }
    let old = content(of: sector)
    let range = (low - start)..<(high - start)
    guard var entry = unsynced[sector] else {
      unsynced[sector] = Unsynced(versions: [old], written: range)
      return
    }
    if entry.versions.count == Self.versionCountMaximum { entry.versions.removeLast() }
    entry.versions.append(old)
    entry.written = min(entry.written.lowerBound, range.lowerBound)..<max(entry.written.upperBound, range.upperBound)
    // Dirty again: the next sync writes it out.
    entry.isAbandoned = false
    unsynced[sector] = entry
  }

  private func holds(_ part: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let stored = max(0, min(part.count, bytes.count - offset))
      if stored > 0, let left = bytes.baseAddress, let right = part.baseAddress,
        memcmp(left + offset, right, stored) != 0
      {
        return false
      }
      return UnsafeRawBufferPointer(rebasing: part[stored...]).endOfNonzero == 0
    }
  }

  /// Empty if it is all zeros.
  private func content(of sector: Int) -> [UInt8] {
    let start = sector * sectorByteCount
    guard start < bytes.count else { return [] }
    let stored = bytes[start..<min(start + sectorByteCount, bytes.count)]
    return Array(stored) + [UInt8](repeating: 0, count: sectorByteCount - stored.count)
  }

  func truncate() {
    for sector in 0..<((bytes.count + sectorByteCount - 1) / sectorByteCount) {
      let old = content(of: sector)
      guard old.contains(where: { $0 != 0 }) else { continue }
      if unsynced[sector] == nil { unsynced[sector] = Unsynced(versions: [old], written: 0..<sectorByteCount) }
    }
    bytes = []
    size = 0
  }

  /// A durable write of `range` is over.
  func becameDurable(_ range: Range<Int>) {
    if !unsynced.isEmpty, !range.isEmpty {
      for sector in (range.lowerBound / sectorByteCount)...((range.upperBound - 1) / sectorByteCount) {
        unsynced[sector] = nil
      }
    }
    durableSize = size < durableSize ? size : max(durableSize, range.upperBound)
  }

  func synchronize() {
    unsynced = unsynced.filter { $0.value.isAbandoned }
    durableSize = size
  }

  /// A sync failed: the system may take its pages for clean all the same.
  func synchronizeFailed() {
    for sector in unsynced.keys { unsynced[sector]?.isAbandoned = true }
  }

  /// What a loss of power may leave: each unsynced sector old, new, something between, or garbled.
  func afterPowerLoss(_ damage: PowerLossDamage, _ generator: inout SeededGenerator) -> Inode {
    let copy = Inode(sectorByteCount: sectorByteCount)
    copy.bytes = bytes
    var end = size
    if size != durableSize, !damage.survives(&generator) {
      end = durableSize
      if generator.next() % 4 == 0 {
        let (low, high) = (min(size, durableSize), max(size, durableSize))
        end = low + (Int.random(in: 0...(high - low), using: &generator)) / sectorByteCount * sectorByteCount
      }
    }
    for sector in unsynced.keys.sorted() {
      guard let entry = unsynced[sector] else { continue }
      if let left = damage.remains(of: entry, current: content(of: sector), sectorByteCount, &generator) {
        copy.place(left, in: sector)
      }
    }
    if copy.bytes.count > end { copy.bytes.removeLast(copy.bytes.count - end) }
    copy.size = end
    copy.durableSize = end
    return copy
  }

  private func place(_ content: [UInt8], in sector: Int) {
    let start = sector * sectorByteCount
    let needed = start + sectorByteCount
    if needed > bytes.count { bytes.append(contentsOf: repeatElement(0, count: needed - bytes.count)) }
    if content.isEmpty {
      bytes.replaceSubrange(start..<needed, with: repeatElement(0, count: sectorByteCount))
    } else {
      bytes.replaceSubrange(start..<needed, with: content)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The end of the last byte that is not zero; 0 if there is none.
  var endOfNonzero: Int {
    var high = count
    var low = 0
    while low < high {
      let middle = low + (high - low) / 2
      if isZero(middle..<high) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func isZero(_ range: Range<Int>) -> Bool {
    guard let base = baseAddress, !range.isEmpty else { return true }
    let first = base + range.lowerBound
    // `memcmp` is fast in a debug build too.
    return first.load(as: UInt8.self) == 0 && memcmp(first, first + 1, range.count - 1) == 0
  }
}
