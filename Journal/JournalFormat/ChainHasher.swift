internal import Crypto

/// Computes leaves and the links of the chain (`FORMAT.md`, "Hashes").
///
/// One link: `begin` with the frame's header, `add` for each record in order, `finish`.
struct ChainHasher {
  private var sha = SHA256()
  // Kind and leaf of some records are collected before they are hashed: a call for each 33 bytes would cost more than
  // the hash itself.
  private var collected: [UInt8] = []

  static func leaf(salt: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) -> Hash256 {
    var sha = SHA256()
    sha.update(bufferPointer: salt)
    sha.update(bufferPointer: body)
    return Hash256(sha.finalize())
  }

  mutating func begin(after previous: Hash256, _ header: FrameHeader) {
    sha = SHA256()
    collected.removeAll(keepingCapacity: true)
    withUnsafeTemporaryAllocation(byteCount: 32 + 33, alignment: 8) { bytes in
      guard let base = bytes.baseAddress else { return }
      previous.store(to: base)
      bytes.store(header.firstPosition, little: 32)
      bytes.store(header.timeMilliseconds, little: 40)
      bytes.store(header.durablePosition, little: 48)
      bytes.store(UInt32(clamping: header.recordCount), little: 56)
      bytes.store(header.epoch, little: 60)
      bytes.store(header.flags.intersection([.confirming, .seal]).rawValue, little: 64)
      sha.update(bufferPointer: UnsafeRawBufferPointer(bytes))
    }
  }

  mutating func add(kind: UInt8, leaf: Hash256) {
    collected.append(kind)
    withUnsafeBytes(of: (leaf.a, leaf.b, leaf.c, leaf.d)) { collected.append(contentsOf: $0) }
    if collected.count >= 33 * 64 { flush() }
  }

  mutating func finish() -> Hash256 {
    flush()
    return Hash256(sha.finalize())
  }

  private mutating func flush() {
    collected.withUnsafeBytes { sha.update(bufferPointer: $0) }
    collected.removeAll(keepingCapacity: true)
  }
}

extension Hash256 {
  fileprivate init(_ digest: SHA256Digest) {
    self = digest.withUnsafeBytes { Hash256($0) } ?? .zero
  }
}
