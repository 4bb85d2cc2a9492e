package import EventSourcing
import Synchronization

/// Makes notification ids: 32 hex digits, a time-based (version 1) UUID without dashes, as the samples decode to.
/// Spec: GMS 1.1, notification id.
package final class NotificationIDs: Sendable {
  private struct State {
    /// 100-nanosecond intervals since 1582-10-15, the last one given out.
    var last: UInt64 = 0
  }

  private let clockSequenceAndNode: UInt64
  private let state = Mutex(State())

  /// - Parameter randomBytes: tells this process from every other.
  package init(randomBytes: @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
    var random = [UInt8](repeating: 0, count: 8)
    random.withUnsafeMutableBytes { randomBytes($0) }
    random[0] = random[0] & 0x3F | 0x80
    // The multicast bit says that this is no network card's address.
    random[2] |= 1
    clockSequenceAndNode = random.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The next id as a text.
  package func next(now: Timestamp) -> String {
    var digits: [UInt8] = []
    append(to: &digits, now: now)
    return String(decoding: digits, as: UTF8.self)
  }

  /// Writes the next id's digits. Ids of one process rise strictly.
  func append(to bytes: inout [UInt8], now: Timestamp) {
    let wanted = UInt64(max(0, now.milliseconds)) * 10_000 + Self.gregorianEpoch
    let time = state.withLock { state in
      state.last = max(state.last + 1, wanted)
      return state.last
    }
    Self.write(time, clockSequenceAndNode, to: &bytes)
  }

  /// Writes the digits of the id under which these events of a chat are told, however often: a client that gets them
  /// again, before or after a restart of the server, knows them by it.
  package static func append(to bytes: inout [UInt8], of chat: String, _ positions: ClosedRange<Int>, time: Timestamp) {
    // FNV-1a: nothing but chance has to be kept off.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    for byte in chat.utf8 { mix(byte) }
    for position in [positions.lowerBound, positions.upperBound] {
      for shift in stride(from: 0, to: 32, by: 8) { mix(UInt8(truncatingIfNeeded: position >> shift)) }
    }
    // The variant, and the multicast bit, which says that this is no network card's address.
    hash = hash & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0100_0000_0000
    let fraction = UInt64(positions.upperBound % 10_000)
    write(UInt64(max(0, time.milliseconds)) * 10_000 + gregorianEpoch + fraction, hash, to: &bytes)
  }

  /// 1970-01-01 in 100-nanosecond intervals since 1582-10-15.
  private static let gregorianEpoch: UInt64 = 0x01B2_1DD2_1381_4000

  private static func write(_ time: UInt64, _ clockSequenceAndNode: UInt64, to bytes: inout [UInt8]) {
    hex(UInt64(UInt32(truncatingIfNeeded: time)), digits: 8, to: &bytes)
    hex(time >> 32 & 0xFFFF, digits: 4, to: &bytes)
    hex(time >> 48 & 0x0FFF | 0x1000, digits: 4, to: &bytes)
    hex(clockSequenceAndNode, digits: 16, to: &bytes)
  }

  private static func hex(_ value: UInt64, digits: Int, to bytes: inout [UInt8]) {
    for digit in (0..<digits).reversed() {
      let nibble = UInt8(value >> (UInt64(digit) * 4) & 15)
      bytes.append(nibble < 10 ? 48 + nibble : 87 + nibble)
    }
  }
}
