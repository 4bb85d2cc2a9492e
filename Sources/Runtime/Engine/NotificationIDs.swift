import EventSourcing
import Synchronization

/// Makes notification ids: 32 hex digits, a time-based (version 1) UUID without dashes, as the samples decode to.
/// Spec: GMS 1.1, notification id.
final class NotificationIDs: Sendable {
  private struct State {
    /// 100-nanosecond intervals since 1582-10-15, the last one given out.
    var last: UInt64 = 0
  }

  private let clockSequenceAndNode: [UInt8]
  private let state = Mutex(State())

  /// - Parameter randomBytes: tells this process from every other.
  init(randomBytes: @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
    var random = [UInt8](repeating: 0, count: 8)
    random.withUnsafeMutableBytes { randomBytes($0) }
    random[0] = random[0] & 0x3F | 0x80
    // The multicast bit says that this is no network card's address.
    random[2] |= 1
    clockSequenceAndNode = random
  }

  /// The next id as a text.
  func next(now: Timestamp) -> String {
    var digits: [UInt8] = []
    append(to: &digits, now: now)
    return String(decoding: digits, as: UTF8.self)
  }

  /// Writes the next id's digits. Ids of one process rise strictly.
  func append(to bytes: inout [UInt8], now: Timestamp) {
    let gregorian: UInt64 = 0x01B2_1DD2_1381_4000
    let wanted = UInt64(max(0, now.milliseconds)) * 10_000 + gregorian
    let time = state.withLock { state in
      state.last = max(state.last + 1, wanted)
      return state.last
    }
    Self.hex(UInt64(UInt32(truncatingIfNeeded: time)), digits: 8, to: &bytes)
    Self.hex(time >> 32 & 0xFFFF, digits: 4, to: &bytes)
    Self.hex(time >> 48 & 0x0FFF | 0x1000, digits: 4, to: &bytes)
    for byte in clockSequenceAndNode { Self.hex(UInt64(byte), digits: 2, to: &bytes) }
  }

  private static func hex(_ value: UInt64, digits: Int, to bytes: inout [UInt8]) {
    for digit in (0..<digits).reversed() {
      let nibble = UInt8(value >> (UInt64(digit) * 4) & 15)
      bytes.append(nibble < 10 ? 48 + nibble : 87 + nibble)
    }
  }
}
