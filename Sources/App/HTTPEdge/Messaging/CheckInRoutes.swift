import Engine
import HTTPTypes
import Hummingbird
import MCSProtocol

/// `POST /checkin`: a device gets its identity, shows it again every two days, and is told where to go. Protobuf both
/// ways. Spec: GCM D2.
struct CheckInRoutes {
  let engine: Engine
  let settings: MessagingEdgeSettings

  func add(to router: EdgeRoutes) { router.resource("/checkin", [.post: { try await checkIn($0, $1) }]) }

  @Sendable private func checkIn(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let body = try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum)
    guard let checkIn = try? CheckIn(parsing: body) else { throw EdgeFailure.malformed("The body is no check-in") }
    let known = checkIn.androidID.map { id in
      InstallationCredentials(id: InstallationID(id), securityToken: checkIn.securityToken)
    }
    let credentials = try await engine.installations.checkIn(known)
    let answer = CheckInAnswer(
      androidID: credentials.id.androidID, securityToken: credentials.securityToken,
      milliseconds: WallClock.milliseconds(), settings: settings.forDevices(origin: settings.origin(request, context)))
    return Response(
      status: .ok, headers: [.contentType: "application/x-protobuf", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.bytes)))
  }
}

extension MessagingEdgeSettings {
  var address: PublicAddress { PublicAddress(url: publicURL) }

  /// Scheme and authority under which we are reached, without a slash at the end.
  func origin(_ request: Request, _ context: EdgeRequestContext) -> String { address.origin(request, context) }

  /// The settings by which a device is steered to this server. Spec: GCM D2.5.
  func forDevices(origin: String) -> [(name: String, value: String)] {
    let interval = max(checkInInterval.components.seconds, EdgeLimits.checkInIntervalMinimum)
    var settings = [
      (name: "checkin_interval", value: "\(interval)"), (name: "checkin_url", value: origin + "/checkin"),
      (name: "gcm_registration_url", value: origin + "/c2dm/register3"),
    ]
    if let deviceHost {
      settings += [(name: "gcm_hostname", value: deviceHost), (name: "gcm_secure_port", value: "\(devicePort)")]
    }
    return settings
  }
}
