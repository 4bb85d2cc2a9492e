import HTTPTypes
package import Hummingbird
import Synchronization

/// The description of a server as it is served: open to everybody, as is its source.
package final class ServedDocument: Sendable {
  private let document: APIDocument
  private let version: String
  /// Made when somebody asks, once.
  private let text = Mutex<APIDocumentText?>(nil)

  /// - Parameter version: the server's.
  package init(_ document: APIDocument, version: String) {
    self.document = document
    self.version = version
  }

  private var made: APIDocumentText {
    text.withLock { text in
      if let text { return text }
      let made = APIDocumentText(document, version: version)
      text = made
      return made
    }
  }

  package func answer(_ request: Request) -> Response {
    let document = made
    let headers: HTTPFields = [
      .eTag: document.entityTag, .cacheControl: "no-cache", .accessControlAllowOrigin: "*",
    ]
    if let known = request.headers[.ifNoneMatch], EntityTag.names(document.entityTag, known) {
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers + [.contentType: MediaType.json],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.bytes)))
  }
}
