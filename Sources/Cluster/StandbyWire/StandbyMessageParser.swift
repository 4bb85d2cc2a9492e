import JournalFormat

/// Reads messages out of bytes that come in pieces, however they are cut.
///
/// Never holds more than what was added last and one message that is not whole yet. After an error the stream is at an
/// end: every later call throws the same.
public struct StandbyMessageParser: Sendable {
  private var buffer: [UInt8] = []
  /// What stands before it has been read.
  private var start = 0
  private var hasHello = false
  private var failure: StandbyWireError?

  public init() {}

  /// Adds what came over the wire; `next` is then to be called until it returns nil.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  public mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  /// Bytes of a message that has begun and is not whole yet; 0 where the stream may end.
  public var pendingByteCount: Int { buffer.count - start }

  /// The next message; nil if it is not whole yet.
  public mutating func next() throws(StandbyWireError) -> StandbyMessage? {
    if let failure { throw failure }
    do throws(StandbyWireError) {
      return try read()
    } catch {
      failure = error
      (buffer, start) = ([], 0)
      throw error
    }
  }

  private mutating func read() throws(StandbyWireError) -> StandbyMessage? {
    let found = buffer.withUnsafeBytes { all in
      Result { () throws(StandbyWireError) in
        try Self.frame(UnsafeRawBufferPointer(rebasing: all[start...]))
      }
    }
    guard let (message, byteCount) = try found.get() else { return nil }
    if case .hello = message {
      guard !hasHello else { throw .outOfOrder }
      hasHello = true
    } else if !hasHello {
      throw .outOfOrder
    }
    start += byteCount
    return message
  }

  /// Reads one message from the beginning of `bytes`. Kind and length are judged as soon as they are there, so that
  /// nobody makes this wait for what is refused anyway.
  private static func frame(
    _ bytes: UnsafeRawBufferPointer
  ) throws(StandbyWireError) -> (message: StandbyMessage, byteCount: Int)? {
    guard let base = bytes.baseAddress, let first = bytes.first else { return nil }
    guard let kind = StandbyMessage.Kind(rawValue: first) else { throw .unknownMessage(first) }
    var offset = 1
    guard let length = Varint.read(base, &offset, end: min(bytes.count, 1 + lengthByteCountMaximum)) else {
      guard bytes.count <= lengthByteCountMaximum else { throw .tooLong }
      return nil
    }
    guard let count = Int(exactly: length), count <= StandbyLimits.payloadByteCountMaximum else { throw .tooLong }
    let end = offset + count
    guard bytes.count >= end + checksumByteCount else { return nil }
    let checksum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
    guard UnsafeRawBufferPointer(rebasing: bytes[..<end]).checksum(seed: 0) == checksum else { throw .checksum }
    var fields = StandbyFieldReader(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
    return (try fields.message(kind), end + checksumByteCount)
  }

  /// The varint of the longest payload has no more.
  private static let lengthByteCountMaximum = 3
  private static let checksumByteCount = 4
}
