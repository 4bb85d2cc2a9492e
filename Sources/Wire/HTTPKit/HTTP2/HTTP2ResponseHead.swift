package import NIOCore
package import NIOHPACK

/// The head of an answer as HTTP/2 has it, read out of the bytes that `ResponseSerializer` and its users have written: each
/// answer is made once, whatever the connection speaks. Spec: RFC 9113, 8.3.2.
package struct HTTP2ResponseHead {
  package let fields: HPACKHeaders
  package let status: Int

  /// Another head follows.
  package var isInterim: Bool { status < 200 }

  /// Takes the head off the front of an answer, with the blank line behind it.
  package init(takenFrom bytes: inout ByteBuffer) {
    var (status, fields, length) = (0, HPACKHeaders(), 0)
    bytes.withUnsafeReadableBytes { bytes in
      let start = Self.line(bytes, from: 0)
      status = Self.status(bytes[start])
      fields.reserveCapacity(Self.fieldsExpected)
      fields.add(name: ":status", value: String(status))
      length = start.upperBound + 2
      while true {
        let line = Self.line(bytes, from: length)
        length = line.upperBound + 2
        guard !line.isEmpty else { return }
        Self.add(bytes[line], to: &fields)
      }
    }
    bytes.moveReaderIndex(forwardBy: length)
    (self.status, self.fields) = (status, fields)
  }

  private static let fieldsExpected = 16
  /// `HTTP/1.1 200`: where the status begins.
  private static let statusOffset = 9

  /// The line that begins at `start`, without its end.
  private static func line(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int> {
    guard let end = bytes[start...].firstIndex(of: HTTPOctet.carriageReturn) else {
      preconditionFailure("an answer's head leaves in one write")
    }
    return start..<end
  }

  private static func status(_ line: Slice<UnsafeRawBufferPointer>) -> Int {
    line.dropFirst(statusOffset).prefix(3).reduce(0) { $0 * 10 + Int($1 &- 0x30) }
  }

  private static func add(_ line: Slice<UnsafeRawBufferPointer>, to fields: inout HPACKHeaders) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = lowercase(line[..<colon])
    let value = line[line.index(after: colon)...].drop(while: HTTPOctet.isBlank)
    switch name {
    // What HTTP/1.1 says of its connections. Spec: 8.2.2.
    case "connection", "transfer-encoding": return
    // Nobody finds out by the size of what follows what stands in it. Spec: RFC 7541, 7.1.3.
    case "set-cookie": fields.add(name: name, value: text(value), indexing: .neverIndexed)
    // Each answer's own: it would only push others out of the table.
    case "content-length", "etag": fields.add(name: name, value: text(value), indexing: .nonIndexable)
    default: fields.add(name: name, value: text(value))
    }
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  private static func lowercase(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(unsafeUninitializedCapacity: bytes.count) { name in
      for (at, byte) in bytes.enumerated() { name[at] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
      return bytes.count
    }
  }
}
