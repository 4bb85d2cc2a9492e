package import NIOHPACK
package import NIOHTTP1

/// A request's head as HTTP/2 has it, in the form that all here know. Spec: RFC 9113, 8.2 and 8.3.
///
/// NIO has looked at which fields there are: every pseudo-field that has to be, no other one, each once and before all
/// others; no field of HTTP/1.1's connections; names in small letters. What values may be is looked at here, as strictly as
/// the parser of HTTP/1.1 does.
package struct HTTP2RequestHead {
  private var method = ""
  private var path: String?
  private var authority: String?
  private var host: String?
  /// Of a tunnel. Spec: RFC 8441, 4.
  private var tunneled: String?
  private var cookies = ""
  private var hasLength = false
  private var fields: [(String, String)] = []
  private var byteCount = 0

  /// - Throws: why it is no request that can be served.
  package static func read(
    _ block: HPACKHeaders, _ limits: HTTPConnectionLimits
  ) throws(HTTPRequestFlaw) -> HTTPRequestHead {
    var head = HTTP2RequestHead()
    head.fields.reserveCapacity(block.count)
    for (name, value, _) in block { try head.take(name, value, limits) }
    return try head.finish()
  }

  private mutating func take(
    _ name: String, _ value: String, _ limits: HTTPConnectionLimits
  ) throws(HTTPRequestFlaw) {
    byteCount += name.utf8.count + value.utf8.count
    guard byteCount <= limits.headBytesMaximum else { throw .headTooLarge }
    guard Self.isValue(value) else { throw .malformed }
    switch name {
    case ":method": method = value
    case ":path": path = value
    case ":authority": authority = value
    case ":scheme": break
    case ":protocol": tunneled = value
    case "host":
      guard host == nil else { throw .malformed }
      host = value
    // Clients may cut it, so that each part is told once. Spec: 8.2.3.
    case "cookie": cookies += cookies.isEmpty ? value : "; " + value
    case "content-length":
      guard !hasLength, !value.isEmpty, value.utf8.allSatisfy(HTTPOctet.isDigit), Int(value) != nil else {
        throw .malformed
      }
      hasLength = true
      fields.append((name, value))
    default: fields.append((name, value))
    }
    guard fields.count <= limits.headerFieldsMaximum else { throw .headTooLarge }
  }

  private mutating func finish() throws(HTTPRequestFlaw) -> HTTPRequestHead {
    guard !method.isEmpty, method.utf8.allSatisfy(HTTPOctet.isToken) else { throw .malformed }
    // A tunnel has no path: it is asked for at a server. Spec: 8.5.
    guard let target = path ?? authority, isTarget(target) else { throw .malformed }
    if let host, let authority, host.lowercased() != authority.lowercased() { throw .malformed }
    if let server = authority ?? host { fields.append(("host", server)) }
    if !cookies.isEmpty { fields.append(("cookie", cookies)) }
    if method == "CONNECT", tunneled?.lowercased() == "websocket" {
      // As HTTP/1.1 asks for it; nobody can say so over HTTP/2, where these fields are malformed.
      method = "GET"
      fields += [("upgrade", "websocket"), ("connection", "upgrade")]
    }
    return HTTPRequestHead(
      version: .http2, method: HTTPMethod(rawValue: method), uri: target, headers: HTTPHeaders(fields))
  }

  private func isTarget(_ target: String) -> Bool {
    guard !target.isEmpty, target.utf8.allSatisfy(HTTPOctet.isTarget) else { return false }
    guard path != nil else { return method == "CONNECT" }
    return target.utf8.first == UInt8(ascii: "/") || (target == "*" && method == "OPTIONS")
  }

  /// No control character, and no blank at either end. Spec: 8.2.1.
  private static func isValue(_ value: String) -> Bool {
    let bytes = value.utf8
    guard let first = bytes.first, let last = bytes.last else { return true }
    return bytes.allSatisfy(HTTPOctet.isText) && !HTTPOctet.isBlank(first) && !HTTPOctet.isBlank(last)
  }
}
