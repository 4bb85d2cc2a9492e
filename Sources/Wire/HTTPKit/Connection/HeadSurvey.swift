import HTTPTypes
package import NIOHTTP1
import TextEncoding

/// What a head says and must say, whatever is asked for: found in one go through its fields.
package struct HeadSurvey {
  /// Nil if there is nothing to complain of. The parser has refused already what it takes for no HTTP, and a length
  /// beside a transfer coding.
  package private(set) var refusal: EdgeFailure?
  /// There is an `Authorization`.
  package private(set) var showsCredential = false
  /// It is a name and a password, which can be guessed.
  package private(set) var showsPassword = false
  /// There is a `Cookie`.
  package private(set) var showsCookie = false
  /// There is a `Content-Encoding`.
  private var namesCoding = false
  /// How the body is coded.
  package private(set) var coding = ContentCoding.none

  package init(_ head: HTTPRequestHead) {
    refusal = look(at: head)
    if namesCoding { coding = ContentCoding(head.headers) }
  }

  private mutating func look(at head: HTTPRequestHead) -> EdgeFailure? {
    var hosts = 0
    var host: Substring?
    var codings: String?
    for (name, value) in head.headers {
      switch name.utf8.count {
      case Self.hostName.utf8.count where name.lowercased() == Self.hostName:
        hosts += 1
        guard hosts == 1 else { return .malformed("The request has more than one Host") }
        host = Self.trimmed(value)
        guard Self.isAuthority(Self.trimmed(value)) else { return .malformed("Host is not the name of a server") }
      case Self.codingName.utf8.count where name.lowercased() == Self.codingName:
        codings = codings.map { "\($0),\(value)" } ?? value
      case Self.credentialName.utf8.count where name.lowercased() == Self.credentialName:
        showsCredential = true
        if value.prefix(6).lowercased() == "basic " { showsPassword = true }
      case ContentCoding.fieldName.utf8.count where name.lowercased() == ContentCoding.fieldName: namesCoding = true
      case Self.cookieName.utf8.count where name.lowercased() == Self.cookieName: showsCookie = true
      default: break
      }
    }
    if let authority = Self.authority(of: head.uri), authority.lowercased() != host?.lowercased() {
      return .malformed("The request target and Host name two servers")
    }
    // HTTP/1.0 knows no such field. Spec: RFC 9112, 3.2.
    if hosts == 0, head.version != .http1_0 { return .malformed("The request has no Host") }
    return codings.flatMap { Self.refusal(ofCodings: $0, head.version) }
  }

  /// Path and query string of a target that names scheme and server too, as clients of proxies send it: all that looks
  /// at targets here sees the one form. Nil for a target that is in it. Spec: RFC 9112, 3.2.
  package static func originForm(_ target: String) -> String? {
    guard let authority = authority(of: target) else { return nil }
    let rest = target[authority.endIndex...]
    return rest.first == "/" ? String(rest) : "/" + rest
  }

  /// The target with one slash where its path has several behind each other: what looks at the beginning of a path and
  /// what looks at its segments mean the same then. Nil if there are none.
  package static func withoutEmptySegments(_ target: String) -> String? {
    let (slash, mark) = (UInt8(ascii: "/"), UInt8(ascii: "?"))
    var before: UInt8 = 0
    let hasEmpty = target.utf8.contains { byte in
      defer { before = byte == mark || before == mark ? mark : byte }
      return byte == slash && before == slash
    }
    guard hasEmpty else { return nil }
    let path = target.utf8.prefix { $0 != mark }
    var bytes: [UInt8] = []
    for byte in path where byte != slash || bytes.last != slash { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self) + target[path.endIndex...]
  }

  /// The server that such a target names; nil for the usual form.
  private static func authority(of target: String) -> Substring? {
    guard target.utf8.first != UInt8(ascii: "/"), let start = target.firstRange(of: "://")?.upperBound else {
      return nil
    }
    return target[start...].prefix { $0 != "/" && $0 != "?" }
  }

  private static let hostName = "host"
  private static let codingName = "transfer-encoding"
  private static let credentialName = "authorization"
  private static let cookieName = "cookie"

  /// `chunked` is the one coding that we undo, and no body has it twice. Spec: RFC 9112, 6.1, 7.
  private static func refusal(ofCodings list: String, _ version: HTTPVersion) -> EdgeFailure? {
    let codings = list.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    if let unknown = codings.first(where: { $0 != "chunked" && !$0.isEmpty }) {
      return EdgeFailure(
        .notImplemented, "Unknown transfer coding \(unknown.prefix(32))", exception: "TransferCodingException")
    }
    guard codings == ["chunked"], version != .http1_0 else { return .malformed("The transfer coding is malformed") }
    return nil
  }

  private static func trimmed(_ value: String) -> Substring {
    guard let end = value.utf8.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { return "" }
    return value[...end]
  }

  /// Whether it can stand in a URL in front of the path: a name or address, with or without a port. Spec: RFC 9110, 7.2;
  /// RFC 3986, 3.2.2.
  static func isAuthority(_ text: some StringProtocol) -> Bool {
    let bytes = Substring(text).utf8
    guard bytes.count <= authorityBytesMaximum else { return false }
    let host: Substring.UTF8View
    let rest: Substring.UTF8View
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
      host = bytes[bytes.index(after: bytes.startIndex)..<end]
      rest = bytes[bytes.index(after: end)...]
      // An IPv6 address; whether it is a good one is nobody's business here.
      guard host.contains(UInt8(ascii: ":")), host.allSatisfy({ Hexadecimal.isDigit($0) || $0 == 0x3A || $0 == 0x2E })
      else { return false }
    } else {
      host = bytes.prefix { $0 != UInt8(ascii: ":") }
      rest = bytes[host.endIndex...]
      guard !host.isEmpty, host.allSatisfy(isOfName) else { return false }
    }
    guard let colon = rest.first else { return true }
    let port = rest.dropFirst()
    return colon == UInt8(ascii: ":") && port.count <= 5 && port.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static let authorityBytesMaximum = 262

  /// Letters, digits and what else a host's name may hold; `%` begins an escape.
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "%"):
      true
    default: false
    }
  }
}
