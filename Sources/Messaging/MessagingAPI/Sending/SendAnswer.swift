import GCMProtocol
import HTTPKit
import HTTPTypes
import NIOCore

/// The answer to a request that sends: small, and complete. Spec: GCM B4, B5, E4.
struct SendAnswer: Sendable {
  let status: HTTPResponse.Status
  let contentType: StaticString
  let body: [UInt8]
  /// Seconds. Never on a 200: one client library would send everything again. Spec: GCM B4.7.
  var retryAfter: Int?

  static let json: StaticString = "application/json; charset=UTF-8"
  static let text: StaticString = "text/plain; charset=UTF-8"

  static func json(_ body: [UInt8]) -> SendAnswer { SendAnswer(status: .ok, contentType: json, body: body) }

  static func text(_ body: String, _ status: HTTPResponse.Status = .ok) -> SendAnswer {
    SendAnswer(status: status, contentType: text, body: Array(body.utf8))
  }

  /// What has neither JSON nor a code: a page, as the front of the real service shows it. Spec: GCM B1.1.
  static func page(_ status: HTTPResponse.Status, retryAfter: Int? = nil) -> SendAnswer {
    let title = status.reasonPhrase.isEmpty ? "Error" : status.reasonPhrase
    return SendAnswer(
      status: status, contentType: "text/html; charset=UTF-8",
      body: Array(
        """
        <html><head><title>\(title)</title></head><body><h1>\(title)</h1><h2>Error \(status.code)</h2></body></html>\n
        """.utf8), retryAfter: retryAfter)
  }

  static func v1(_ answer: V1Answer, retryAfter: Int? = nil) -> SendAnswer {
    SendAnswer(
      status: HTTPResponse.Status(code: answer.status), contentType: json, body: answer.body,
      retryAfter: retryAfter ?? (answer.status == 503 || answer.status == 429 ? EdgeLimits.retryAfterSeconds : nil))
  }

  /// The whole response; to HEAD without its body.
  func write(into buffer: inout ByteBuffer, isHead: Bool, closing: Bool, _ security: SecurityFields) {
    ResponseSerializer.statusLine(status, into: &buffer)
    buffer.writeStaticString("Content-Type: ")
    buffer.writeStaticString(contentType)
    buffer.writeStaticString("\r\nCache-Control: no-cache, no-store\r\n")
    if status == .unauthorized { buffer.writeStaticString("WWW-Authenticate: Bearer realm=\"carillon\"\r\n") }
    if status == .methodNotAllowed { buffer.writeStaticString("Allow: POST, OPTIONS\r\n") }
    if let retryAfter { buffer.writeString("Retry-After: \(retryAfter)\r\n") }
    ResponseSerializer.finishHead(.length(body.count), closing: closing, security, into: &buffer)
    if !isHead { buffer.writeBytes(body) }
  }
}
