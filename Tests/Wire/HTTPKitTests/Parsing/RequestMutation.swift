import TestSupport

/// Damage to messages.
enum RequestMutation {
  /// What means something in HTTP, and what must not stand there.
  private static let bytes = Array("\r\n\t \0:;,=\"\\/?*#0123AaFfGgXx-_chunked\u{7F}".utf8) + [0x80, 0xC3, 0xFF]

  /// One of `messages`, or two of them, with up to three bytes changed, left out or put in.
  static func mutated(_ messages: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
    var message = messages.randomElement(using: &random) ?? []
    if Bool.random(using: &random), let other = messages.randomElement(using: &random) {
      message = Array(message.prefix(Int.random(in: 0...message.count, using: &random)) + other)
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) where !message.isEmpty {
      let place = Int.random(in: message.indices, using: &random)
      let byte = bytes.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<3, using: &random) {
      case 0: message[place] = byte
      case 1: message.remove(at: place)
      default: message.insert(byte, at: place)
      }
    }
    return message
  }

  /// Without blanks before the ends of lines.
  static func withoutBlanks(_ message: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    for byte in message {
      if byte == 0x0D { while let last = kept.last, last == 0x20 || last == 0x09 { kept.removeLast() } }
      kept.append(byte)
    }
    return kept
  }
}
