package import HTTPKit
import HTTPTypes
import Hummingbird

/// The client for browsers, with its types, its service worker and the chat for a page. Files, and so no part of the
/// API and its description.
///
/// `GET /client/{file}`, for pages of all origins: who may use the server is said by its surfaces, not by its client. The
/// paths stay, so a browser asks each time whether the file is still the same.
package struct ClientRoutes: Sendable {
  /// The first part of all paths here.
  package static let folder = "client"

  /// A file as it is served.
  package struct File: Sendable, Equatable {
    package let type: String
    package let bytes: [UInt8]
    package let entityTag: String
  }

  /// By their names, as they were when the server was built.
  package static let files = Dictionary(
    uniqueKeysWithValues: EmbeddedPages.files.map { file in
      let bytes = Array(file.text.utf8)
      return (file.name, File(type: file.type, bytes: bytes, entityTag: EntityTag.of(bytes)))
    })

  package init() {}

  package func add(to router: EdgeRoutes) {
    router.resource(
      RouterPath("/\(Self.folder)/:file"),
      [
        .get: { request, context in
          guard let file = Self.files[try context.parameters.require("file")] else { throw EdgeFailure.notFound }
          return Self.answer(file, request)
        }
      ])
  }

  private static func answer(_ file: File, _ request: Request) -> Response {
    let headers: HTTPFields = [
      .eTag: file.entityTag, .cacheControl: "no-cache", .accessControlAllowOrigin: "*",
    ]
    if let known = request.headers[.ifNoneMatch], EntityTag.names(file.entityTag, known) {
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers + [.contentType: file.type],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }
}
