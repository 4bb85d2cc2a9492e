import EntityRuntime
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import MCSProtocol
import MessagingEngine

/// A device gets its identity, shows it again every two days, and is told where to go. Protobuf both
/// ways. Spec: GCM D2.
struct CheckInRoutes {
  let installations: InstallationService
  let settings: MessagingEdgeSettings

  func checkIn(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let body = try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum)
    guard let checkIn = try? CheckIn(parsing: body) else { throw EdgeFailure.malformed("The body is no check-in") }
    let known = checkIn.androidID.map { id in
      InstallationCredentials(id: InstallationID(id), securityToken: checkIn.securityToken)
    }
    let credentials = try await installations.checkIn(known)
    let answer = CheckInAnswer(
      androidID: credentials.id.androidID, securityToken: credentials.securityToken,
      milliseconds: SystemTime().now.milliseconds,
      settings: settings.forDevices(origin: settings.address.origin(request, context)))
    return Response(
      status: .ok, headers: [.contentType: "application/x-protobuf", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.bytes)))
  }
}
