package import ChatAPI
import ChatDomain
import ChatEngine
import EngineKit
package import FileEngine
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import StorageAPI

/// Files in chats, for their customers and for agents.
///
/// | | |
/// |---|---|
/// | `POST /genesys/1/service/{id}/ixn/chat/file?name=` | the customer's: the body is the file, or a form that has it |
/// | `GET /genesys/1/service/{id}/ixn/chat/file/{file}` | for whoever the chat opens to |
/// | `POST /agent/1/chats/{chat}/file?name=` | an agent's who is in the chat |
/// | `GET /agent/1/chats/{chat}/file/{file}` | for whoever may read the transcript |
package struct FileRoutes: TokenRoutes {
  let files: FileService
  /// Who may have a customer's chat.
  let chats: ChatRoutes
  package let tokens: TokenStore
  let limits: EdgeLimits
  let address: PublicAddress

  package init(
    files: FileService, chats: ChatRoutes, tokens: TokenStore, limits: EdgeLimits, address: PublicAddress
  ) {
    self.files = files
    self.chats = chats
    self.tokens = tokens
    self.limits = limits
    self.address = address
  }

  func send(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let (serviceID, userKey) = try await chats.admit(request, context)
    let url = customersURL(request, context)
    let posted = try await files.send(
      try await FileUpload(request, limits: limits), in: serviceID, by: .customer(userKey: userKey),
      from: context.storageSource
    ) { url(serviceID, $0) }
    return Self.answer(posted, url: posted.file.url)
  }

  func send(_ token: AccessToken, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let chatID = try context.parameters.require("chat")
    try await files.admit(token.viewer, to: chatID)
    let posted = try await files.send(
      try await FileUpload(request, limits: limits), inChat: chatID, for: token.viewer,
      url: customersURL(request, context))
    let base = address.origin(request, context)
    return Self.answer(posted, url: AgentRendering.fileURL(posted.file, of: chatID, base: base))
  }

  func file(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let (serviceID, userKey) = try await chats.admit(request, context)
    return Self.response(
      try await files.file(try id(context), in: serviceID, for: .customer(userKey: userKey)), to: request)
  }

  func file(_ token: AccessToken, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let chatID = try context.parameters.require("chat")
    return Self.response(try await files.file(try id(context), inChat: chatID, for: token.viewer), to: request)
  }

  // MARK: Parts

  /// Where customers get files: at the address that the operator has said, else at the one that the sender has used.
  private func customersURL(
    _ request: Request, _ context: EdgeRequestContext
  ) -> @Sendable (_ serviceID: String, _ fileID: String) -> String {
    let external = ExternalURL(origin: address.origin(request, context))
    return { "\(external.instance($0))/ixn/chat/file/\(PathText.encode($1))" }
  }

  private func id(_ context: EdgeRequestContext) throws -> String {
    guard let id = PathText.decode(try context.parameters.require("file")) else { throw FileFailure.unknown }
    return id
  }

  private static func answer(_ posted: PostedFile, url: String) -> Response {
    .object(status: .created) { answer in
      ChatRendering.write(posted.file, url: url, into: &answer)
      answer.member("position", posted.position)
    }
  }

  /// Only pictures are for the browser to show; and nothing of a file runs, should it be shown all the same.
  private static func response(_ content: FileContent, to request: Request) -> Response {
    let tag = EntityTag.of(digest: content.digest)
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
    if request.headers[.ifNoneMatch].map({ EntityTag.names(tag, $0) }) == true {
      return Response(status: .notModified, headers: headers)
    }
    let file = content.file
    headers[.contentType] = file.contentType
    headers[.contentDisposition] = PathText.disposition(file.name, isShown: FileType.isPicture(file.contentType))
    headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.bytes)))
  }
}
