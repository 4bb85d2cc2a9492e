internal import NIOHTTP2

/// What the end of a stream without a whole answer means. Spec: providers 7, "the rule that holds".
enum StreamVerdict {
  /// The server reset the stream.
  static func reset(_ code: HTTP2ErrorCode) -> HTTP2Outcome {
    switch code {
    case .refusedStream: .unprocessed(reason: "stream refused", isTransport: false)
    case .enhanceYourCalm: .calm(reason: "enhance your calm")
    default: .unknown(reason: "stream reset, code \(code.networkCode)")
    }
  }

  /// The connection ended, or we gave up waiting.
  static func ended(isWritten: Bool, reason: String) -> HTTP2Outcome {
    isWritten ? .unknown(reason: reason) : .unprocessed(reason: reason, isTransport: false)
  }
}
