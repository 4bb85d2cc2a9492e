import Gzip
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Answers that leave compressed, for clients that take them so.
///
/// Whoever sees how long an encrypted answer is, and has a word in it, finds out what else it says: what is repeated
/// takes no room (CRIME, BREACH). So an answer is compressed only where its site says so of the route
/// (`HTTPSite.mayCompress`): where it holds no secret and nobody's words, and is the same for everybody who may ask.
final class CompressedAnswers: Sendable {
  /// Below that the fields cost what is saved.
  static let bodyBytesMinimum = 1_024
  /// Larger ones leave as they are.
  static let bodyBytesMaximum = 4_194_304
  /// Bodies that are kept, and the bytes of one: those that have a tag, which says when they are others.
  static let keptMaximum = 64
  static let keptBytesMaximum = 1_048_576

  private let kept = Mutex<[String: ByteBuffer]>([:])

  /// The same answer as it leaves: compressed if that is worth it.
  func answer(_ response: Response, to request: Request) async throws -> Response {
    var response = response
    // Also where it is not compressed: another client's would be. Spec: RFC 9110, 12.5.5.
    response.headers[values: .vary].append("Accept-Encoding")
    guard request.method == .get, response.status == .ok, isWorthIt(response),
      AcceptedCodings.haveGzip(request.headers[values: .acceptEncoding])
    else { return response }
    let tag = response.headers[.eTag]
    let key = tag.map { request.uri.path + " " + $0 }
    let body: ByteBuffer
    if let key, let known = kept.withLock({ $0[key] }) {
      body = known
    } else {
      let collector = BodyCollector()
      try await response.body.write(collector)
      guard let packed = collector.buffer.withUnsafeReadableBytes({ Gzip.pack($0) }) else {
        response.body = ResponseBody(byteBuffer: collector.buffer)
        return response
      }
      body = ByteBuffer(bytes: packed)
      if let key, packed.count <= Self.keptBytesMaximum { keep(body, as: key) }
    }
    response.headers[.contentEncoding] = "gzip"
    response.headers[.contentLength] = nil
    // The bytes are others, what they say is the same.
    if let tag, !tag.hasPrefix("W/") { response.headers[.eTag] = "W/" + tag }
    response.body = ResponseBody(byteBuffer: body)
    return response
  }

  private func isWorthIt(_ response: Response) -> Bool {
    guard let length = response.body.contentLength, length >= Self.bodyBytesMinimum, length <= Self.bodyBytesMaximum,
      response.headers[.contentEncoding] == nil, response.headers[.setCookie] == nil,
      let type = response.headers[.contentType]?.prefix(while: { $0 != ";" }).lowercased()
    else { return false }
    return type.hasPrefix("text/") || Self.types.contains(type)
  }

  /// Beside text.
  private static let types: Set<String> = [
    "application/json", "application/javascript", "application/manifest+json", "application/typescript",
    "image/svg+xml",
  ]

  private func keep(_ body: ByteBuffer, as key: String) {
    kept.withLock { kept in
      if kept.count >= Self.keptMaximum { kept.removeAll() }
      kept[key] = body
    }
  }
}
