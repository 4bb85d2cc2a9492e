import PeerFormats

/// Finds what a Comet response delivers, without decoding it: where each notification ends, how many events it has,
/// and the numbers that the load generator has put into the texts.
///
/// Texts of the load are `#` and nine digits and then words without quotation marks; other events have other texts.
struct DeliveryScanner {
  private static let positionKey = BytePattern("\"transcriptPosition\":\"")
  private static let eventsKey = BytePattern("\"transcriptToShow\":[")
  private static let success = BytePattern("\"successful\":true")
  private static let failure = BytePattern("\"successful\":false")

  struct Notification {
    var position = 0
    var events = 0
  }

  var notifications: [Notification] = []
  /// In order of their appearance.
  var sequences: [Int] = []

  /// - Returns: false if the text is not what the server sends.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Bool {
    notifications.removeAll(keepingCapacity: true)
    sequences.removeAll(keepingCapacity: true)
    var offset = 0
    // The two members of one message may stand in either order; the n-th of one belongs to the n-th of the other.
    while let found = Self.positionKey.firstIndex(in: bytes, from: offset) {
      offset = found + Self.positionKey.count
      var position = 0
      while offset < bytes.count, bytes[offset] >= 48, bytes[offset] <= 57 {
        position = position * 10 + Int(bytes[offset] - 48)
        offset += 1
      }
      notifications.append(Notification(position: position))
    }
    offset = 0
    var index = 0
    while let found = Self.eventsKey.firstIndex(in: bytes, from: offset) {
      guard index < notifications.count else { return false }
      offset = found + Self.eventsKey.count
      guard let events = scanEvents(bytes, &offset) else { return false }
      notifications[index].events = events
      index += 1
    }
    return index == notifications.count
  }

  /// Reads the array of tuples from behind its bracket.
  private mutating func scanEvents(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Int? {
    var events = 0
    var depth = 1
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "["):
        depth += 1
        events += 1
      case UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return events }
      case UInt8(ascii: "\""):
        if let number = NumberedText.number(in: bytes, at: offset) { sequences.append(number) }
        // To the end of the string.
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
          offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        offset += 1
      default: break
      }
    }
    return nil
  }

  /// True if some reply in the response is successful and none is not.
  static func isSuccessful(_ bytes: UnsafeRawBufferPointer) -> Bool {
    success.firstIndex(in: bytes) != nil && failure.firstIndex(in: bytes) == nil
  }
}
