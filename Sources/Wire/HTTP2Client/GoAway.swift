internal import NIOHTTP2

/// What a server said when it sent a connection away. Spec: providers 2.1, GOAWAY.
struct GoAway: Equatable {
  /// Streams above it were not processed.
  var lastStreamID: Int
  let code: HTTP2ErrorCode
  /// `reason` of the JSON body, if it is a plain word.
  let word: String?

  init(lastStreamID: Int, code: HTTP2ErrorCode, opaque: [UInt8]) {
    self.lastStreamID = lastStreamID
    self.code = code
    word = Self.word(in: opaque)
  }

  var reason: String { "goaway" + (word.map { " \($0)" } ?? (code == .noError ? "" : " code \(code.networkCode)")) }

  func refuses(_ stream: HTTP2StreamID) -> Bool { Int(stream) > lastStreamID }

  /// A full JSON parser is not worth it: a reason that is not a short plain word is not shown to anybody.
  private static func word(in opaque: [UInt8]) -> String? {
    let text = String(decoding: opaque.prefix(512), as: UTF8.self)
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    guard let key = parts.firstIndex(of: "reason"), key + 2 < parts.count else { return nil }
    let word = parts[key + 2]
    let isPlain = word.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    return !word.isEmpty && word.utf8.count <= 64 && isPlain ? String(word) : nil
  }
}
