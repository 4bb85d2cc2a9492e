#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the place of a key by its bytes, without making a `String` of them: replay does it for each record.
///
/// Open addressing with linear probing; places are 0, 1, 2, … in the order of first appearance.
@usableFromInline
struct KeyTable {
  @usableFromInline var keys: [String] = []
  @usableFromInline var slots: [Int32] = Array(repeating: -1, count: 1_024)
  @usableFromInline var hashes: [UInt64] = []

  @usableFromInline init() {}

  /// The place of `key`, and whether it is new.
  /// - Parameter hash: what `hash` says of it.
  @inlinable
  mutating func place(of key: UnsafeRawBufferPointer, hash: UInt64) -> (index: Int, isNew: Bool) {
    var slot = Int(hash & UInt64(slots.count - 1))
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      if hashes[index] == hash, matches(index, key) { return (index, false) }
      slot = (slot + 1) & (slots.count - 1)
    }
    let index = keys.count
    keys.append(String(decoding: key, as: UTF8.self))
    hashes.append(hash)
    slots[slot] = Int32(index)
    if keys.count * 2 > slots.count { grow() }
    return (index, true)
  }

  @usableFromInline
  func matches(_ index: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    var candidate = keys[index]
    return candidate.withUTF8 { text in
      guard text.count == key.count else { return false }
      guard let left = text.baseAddress, let right = key.baseAddress else { return true }
      return memcmp(left, right, key.count) == 0
    }
  }

  @usableFromInline
  mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    for (index, hash) in hashes.enumerated() {
      var slot = Int(hash & UInt64(slots.count - 1))
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(index)
    }
  }

  /// FNV-1a over words of eight bytes: keys come from our own journal, nobody can choose them to collide.
  @inlinable
  static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var offset = 0
    while offset + 8 <= key.count {
      hash = (hash ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x0000_0100_0000_01B3
      hash ^= hash >> 29
      offset += 8
    }
    while offset < key.count {
      hash = (hash ^ UInt64(key[offset])) &* 0x0000_0100_0000_01B3
      offset += 1
    }
    return hash ^ (hash >> 32)
  }
}
