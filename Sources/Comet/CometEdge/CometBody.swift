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

  /// A script that calls this function of a page's with the array.
  ///
  /// The comment keeps the answer from beginning with what whoever asks has chosen. The two line ends that JSON allows
  /// in a text, and older scripts do not, are escaped: they stand in texts only. Spec: Bayeux reference, 14.2.
  func script(calling callback: String) -> [UInt8] {
    var array = ByteBuffer()
    write(into: &array)
    var script = Array("/**/\(callback)(".utf8)
    script.reserveCapacity(script.count + array.readableBytes + 2)
    let bytes = array.readableBytesView
    var rest = bytes.startIndex
    for index in bytes.indices.dropLast(2)
    where bytes[index] == 0xE2 && bytes[index + 1] == 0x80 && (bytes[index + 2] == 0xA8 || bytes[index + 2] == 0xA9) {
      script += bytes[rest..<index]
      script += (bytes[index + 2] == 0xA8 ? #"\u2028"# : #"\u2029"#).utf8
      rest = index + 3
    }
    script += bytes[rest...]
    script += ");".utf8
    return script
  }
}
