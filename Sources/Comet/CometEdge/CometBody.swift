import Bayeux
import CometEngine
import NIOCore

/// The messages of a request's body, or of a frame.
enum CometBody {
  static func decode(_ body: ByteBuffer?) -> Result<[BayeuxMessage], BayeuxDecodingError> {
    guard let body else { return .failure(.empty) }
    return body.withUnsafeReadableBytes { bytes in
      Result { () throws(BayeuxDecodingError) -> [BayeuxMessage] in try BayeuxDecoder.decode(bytes) }
    }
  }
}

extension CometReply {
  /// Bytes that `write` writes.
  var length: Int { 2 + messages.reduce(0) { $0 + $1.count + stamp.count } + max(0, messages.count - 1) }

  /// Writes the JSON array of messages that are JSON already.
  func write(into buffer: inout ByteBuffer) {
    buffer.writeStaticString("[")
    var isFirst = true
    for message in messages {
      if !isFirst { buffer.writeStaticString(",") }
      isFirst = false
      if stamp.isEmpty {
        buffer.writeBytes(message)
      } else {
        buffer.writeStaticString("{")
        buffer.writeBytes(stamp)
        buffer.writeBytes(message.dropFirst())
      }
    }
    buffer.writeStaticString("]")
  }
}
