public import NIOCore

/// One response. Header fields stay bytes until somebody asks for one.
public struct HTTPResponse: Sendable {
  public let status: Int
  /// The header fields, without the status line and the empty line.
  let head: ByteBuffer
  /// Empty in the response that a streaming receiver sees.
  public internal(set) var body: ByteBuffer
  /// False if the server closes the connection after this response.
  public let keepsAlive: Bool

  /// The value of the first header field of this name, without blanks around it; nil if there is none.
  public func header(_ name: String) -> String? {
    let wanted = Array(name.utf8)
    return head.withUnsafeReadableBytes { bytes in
      var start = 0
      while start < bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\r") { end += 1 }
        if let value = HeaderField.value(named: wanted, in: UnsafeRawBufferPointer(rebasing: bytes[start..<end])) {
          return String(decoding: value, as: UTF8.self)
        }
        start = end + 2
      }
      return nil
    }
  }

  /// The body's bytes.
  public var bodyBytes: [UInt8] { Array(body.readableBytesView) }
}

/// Reads one line of a head.
enum HeaderField {
  /// The value of `line` if it is the field `name` (lower or upper case), else nil.
  @inline(__always)
  static func value(named name: [UInt8], in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard line.count > name.count, line[name.count] == UInt8(ascii: ":") else { return nil }
    for index in 0..<name.count where lowercased(line[index]) != lowercased(name[index]) { return nil }
    var start = name.count + 1
    var end = line.count
    while start < end, line[start] == 32 || line[start] == 9 { start += 1 }
    while end > start, line[end - 1] == 32 || line[end - 1] == 9 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 0x20 : byte }

  /// True if `value`, a list of tokens, holds `token` (in lower case).
  static func contains(_ token: StaticString, in value: UnsafeRawBufferPointer) -> Bool {
    let length = token.utf8CodeUnitCount
    guard value.count >= length else { return false }
    return (0...(value.count - length)).contains { start in
      (0..<length).allSatisfy { lowercased(value[start + $0]) == token.utf8Start[$0] }
    }
  }
}
