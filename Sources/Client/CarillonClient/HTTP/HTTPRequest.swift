public import NIOCore
import TextEncoding

/// One request, as bytes that are ready to be written.
public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", delete = "DELETE" }

  public var method: Method
  /// Path and query, without the server's base path.
  public var path: String
  /// Header fields besides `Host`, `Content-Length` and `Content-Type`.
  public var headers: [(name: String, value: String)]
  public var contentType: String?
  public var body: [UInt8]

  public init(
    _ method: Method, _ path: String, headers: [(name: String, value: String)] = [], contentType: String? = nil,
    body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.contentType = contentType
    self.body = body
  }

  /// The whole request as it goes over the wire. Characters that would end a header field are left out of its value.
  public func bytes(for address: ServerAddress, allocator: ByteBufferAllocator = ByteBufferAllocator()) -> ByteBuffer {
    var buffer = allocator.buffer(capacity: 256 + body.count)
    buffer.writeString(method.rawValue)
    buffer.writeString(" ")
    buffer.writeString(address.basePath)
    buffer.writeString(path)
    buffer.writeString(" HTTP/1.1\r\nHost: ")
    buffer.writeString(address.authority)
    if let contentType {
      buffer.writeString("\r\nContent-Type: ")
      buffer.writeString(contentType)
    }
    if !body.isEmpty || method == .post || method == .put {
      buffer.writeString("\r\nContent-Length: ")
      buffer.writeString(String(body.count))
    }
    for (name, value) in headers {
      buffer.writeString("\r\n")
      buffer.writeString(name)
      buffer.writeString(": ")
      buffer.writeString(String(value.unicodeScalars.filter { $0 != "\r" && $0 != "\n" && $0 != "\0" }))
    }
    buffer.writeString("\r\n\r\n")
    buffer.writeBytes(body)
    return buffer
  }
}

/// The body of a form: `name=value&…`, percent-encoded as UTF-8.
public func formEncoded(_ fields: [(name: String, value: String)]) -> [UInt8] {
  var bytes: [UInt8] = []
  for (name, value) in fields {
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    PercentEncoding.append(name, to: &bytes)
    bytes.append(UInt8(ascii: "="))
    PercentEncoding.append(value, to: &bytes)
  }
  return bytes
}

/// `Basic …` for the `Authorization` header field.
func basicAuthorization(username: String, password: String) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  let input = Array("\(username):\(password)".utf8)
  var output: [UInt8] = []
  for start in stride(from: 0, to: input.count, by: 3) {
    let group = input[start..<min(start + 3, input.count)]
    var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    bits <<= 8 * UInt32(3 - group.count)
    for index in 0..<4 {
      output.append(index <= group.count ? alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)] : UInt8(ascii: "="))
    }
  }
  return "Basic " + String(decoding: output, as: UTF8.self)
}
