import HTTPTypes
import Hummingbird
import Synchronization

/// `GET /openapi.json`: what this server can be asked, in a form that tools read. Open to everybody, as is its source.
final class OpenAPIRoutes: Sendable {
  private let version: String
  /// Made when somebody asks, once.
  private let text = Mutex<APIDocumentText?>(nil)

  init(version: String) { self.version = version }

  func add(to router: EdgeRoutes) {
    router.resource("/openapi.json", [.get: { request, _ in self.answer(request) }])
  }

  private var document: APIDocumentText {
    text.withLock { text in
      if let text { return text }
      let made = APIDocumentText(version: version)
      text = made
      return made
    }
  }

  private func answer(_ request: Request) -> Response {
    let document = document
    let headers: HTTPFields = [
      .eTag: document.entityTag, .cacheControl: "no-cache", .accessControlAllowOrigin: "*",
    ]
    guard request.headers[.ifNoneMatch] != document.entityTag else {
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers + [.contentType: MediaType.json],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.bytes)))
  }
}
