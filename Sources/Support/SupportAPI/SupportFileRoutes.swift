import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import StorageAPI
import SupportDomain
import SupportEngine

/// Files of comments: uploaded first, then named by a comment. Spec: support requests 8.
///
/// | | |
/// |---|---|
/// | `POST /api/v2/uploads?filename=` | the body is the file: 201 with its token |
/// | `DELETE /api/v2/uploads/{token}` | one's own, unless a comment has taken it |
/// | `GET /attachments/token/{token}/` | the file, for whoever has the address |
struct SupportFileRoutes: SupportBearerRoutes {
  let support: SupportService
  let access: SupportAccess
  let limits: EdgeLimits
  let address: PublicAddress

  func upload(
    _ request: Request, _ context: EdgeRequestContext, by actor: SupportActor
  ) async throws -> Response {
    guard let name = try request.queryParameters()["filename"], !name.isEmpty else {
      throw SupportFailure.missing(field: "filename")
    }
    let attachment = try await support.upload(
      try await request.bytes(upTo: limits.storageBodyBytesMaximum), fileName: name,
      contentType: StorageBody.contentType(MediaType(request.headers[.contentType])?.name ?? ""), by: actor,
      from: context.storageSource)
    let base = address.origin(request, context)
    return .object(status: .created) { answer in
      answer.object("upload") { upload in
        upload.member("token", attachment.token)
        upload.object("attachment") { SupportRendering.attachment(attachment, base: base, into: &$0) }
        upload.objects("attachments", [attachment]) { SupportRendering.attachment($0, base: base, into: &$1) }
      }
    }
  }

  func delete(_ context: EdgeRequestContext, by actor: SupportActor) async throws -> Response {
    try await support.deleteUpload(try Self.token(context), by: actor)
    return Response(status: .noContent)
  }

  /// Not for the browser to show: a customer's file may be a page, and it would be one of ours.
  func file(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let (bytes, attachment) = try await support.attachment(try Self.token(context))
    let tag = EntityTag.of(bytes)
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
    if request.headers[.ifNoneMatch].map({ EntityTag.names(tag, $0) }) == true {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = attachment.contentType
    headers[.contentDisposition] = PathText.attachment(attachment.fileName)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  private static func token(_ context: EdgeRequestContext) throws -> String {
    guard let token = PathText.decode(try context.parameters.require("token")) else { throw SupportFailure.notFound }
    return token
  }
}
