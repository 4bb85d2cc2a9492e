internal import CChecksum
internal import Crypto

/// Messages that are hashed together: their digests do not depend on each other, so the processor works on two at once.
///
/// A library hashes one message at a time, which for a few hundred bytes costs more around the hash than in it.
package struct SHA256Batch: ~Copyable {
  /// Whether the processor's own instructions are used; otherwise swift-crypto is, with the same results.
  static let hasInstructions = carillon_sha256_is_available() != 0

  private var messages: UnsafeMutablePointer<carillon_sha256_message>
  private var capacity = 64
  package private(set) var count = 0

  package init() { messages = .allocate(capacity: capacity) }

  deinit { messages.deallocate() }

  /// - Parameters:
  ///   - head: fewer than 64 bytes, which come first.
  ///   - digest: where the 32 bytes go. All three stay where they are until `run`.
  @inline(__always)
  package mutating func append(
    head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, digest: UnsafeMutableRawPointer
  ) {
    if count == capacity { grow() }
    (messages + count).initialize(
      to: carillon_sha256_message(
        head: head.baseAddress?.assumingMemoryBound(to: UInt8.self), head_length: head.count,
        body: body.baseAddress?.assumingMemoryBound(to: UInt8.self), body_length: body.count,
        digest: digest.assumingMemoryBound(to: UInt8.self)))
    count += 1
  }

  /// Forgets the messages after the first `newCount`.
  mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count, "truncation only shortens")
    count = newCount
  }

  /// Writes all digests and forgets the messages.
  package mutating func run() {
    if Self.hasInstructions { carillon_sha256(messages, count) } else { hashByLibrary() }
    count = 0
  }

  /// The same as on processors without instructions for it.
  mutating func runByLibrary() {
    hashByLibrary()
    count = 0
  }

  private func hashByLibrary() {
    for index in 0..<count { Self.hashByLibrary(messages[index]) }
  }

  private static func hashByLibrary(_ message: carillon_sha256_message) {
    var sha = SHA256()
    sha.update(bufferPointer: UnsafeRawBufferPointer(start: message.head, count: message.head_length))
    sha.update(bufferPointer: UnsafeRawBufferPointer(start: message.body, count: message.body_length))
    sha.finalize().withUnsafeBytes {
      UnsafeMutableRawBufferPointer(start: message.digest, count: 32).copyMemory(from: $0)
    }
  }

  /// The digest of one message that waits for no other.
  ///
  /// - Parameter head: fewer than 64 bytes, which come first.
  package static func digest(head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) -> Hash256 {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
      var message = carillon_sha256_message(
        head: head.baseAddress?.assumingMemoryBound(to: UInt8.self), head_length: head.count,
        body: body.baseAddress?.assumingMemoryBound(to: UInt8.self), body_length: body.count,
        digest: digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
      if hasInstructions { carillon_sha256(&message, 1) } else { hashByLibrary(message) }
      return Hash256(UnsafeRawBufferPointer(digest)) ?? .zero
    }
  }

  private mutating func grow() {
    let wider = UnsafeMutablePointer<carillon_sha256_message>.allocate(capacity: capacity * 2)
    wider.moveInitialize(from: messages, count: count)
    messages.deallocate()
    messages = wider
    capacity *= 2
  }
}
