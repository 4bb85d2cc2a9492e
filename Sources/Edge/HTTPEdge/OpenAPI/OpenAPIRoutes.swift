import HTTPTypes
import Hummingbird

/// `GET /openapi.json`: what this server can be asked, in a form that tools read. Open to everybody, as is its source.
struct OpenAPIRoutes {
  func add(to router: EdgeRoutes) {
    router.resource("/openapi.json", [.get: { request, _ in Self.answer(request) }])
  }

  private static func answer(_ request: Request) -> Response {
    let headers: HTTPFields = [
      .eTag: APIDocumentText.entityTag, .cacheControl: "no-cache", .accessControlAllowOrigin: "*",
    ]
    guard request.headers[.ifNoneMatch] != APIDocumentText.entityTag else {
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers + [.contentType: MediaType.json],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: APIDocumentText.bytes)))
  }
}
