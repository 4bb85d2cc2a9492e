import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportDomain
import SupportEngine

/// Devices that are told of answers. Spec: support requests 3, 7.1.
///
/// | | |
/// |---|---|
/// | `POST /api/mobile/push_notification_devices` | registers one: 201, or 200 if it was known |
/// | `DELETE /api/mobile/push_notification_devices/{identifier}` | unregisters one's own |
/// | `POST /api/v2/push_notification_devices/destroy_many` | unregisters anybody's, for back ends |
struct SupportDeviceRoutes: SupportBearerRoutes {
  let support: SupportService
  let access: SupportAccess
  let limits: EdgeLimits
  private let budget: CallBudget

  init(support: SupportService, access: SupportAccess, limits: EdgeLimits) {
    self.support = support
    self.access = access
    self.limits = limits
    budget = CallBudget(maximum: limits.bulkUnregistersMaximum, interval: limits.bulkUnregisterInterval)
  }

  func register(_ request: Request, for actor: SupportActor) async throws -> Response {
    let device = try await SupportForm(request, limits: limits).record("push_notification_device")
    let (view, isNew) = try await support.registerDevice(
      identifier: try device.optionalText("identifier") ?? "", type: try device.text("device_type"),
      locale: try device.optionalText("locale") ?? "en", tokenType: try device.optionalText("token_type"), by: actor)
    return .object(status: isNew ? .created : .ok) { answer in
      answer.object("push_notification_device") { Self.write(view, into: &$0) }
    }
  }

  func unregister(_ context: EdgeRequestContext, of actor: SupportActor) async throws -> Response {
    guard let identifier = PathText.decode(try context.parameters.require("identifier")) else {
      throw SupportFailure.notFound
    }
    try await support.unregisterDevice(identifier: identifier, by: actor)
    return Response(status: .ok)
  }

  /// Anybody's, for back ends.
  func unregister(_ request: Request) async throws -> Response {
    if let seconds = budget.secondsToWait() { throw EdgeFailure.tooManyCalls(retryAfter: seconds) }
    let form = try await SupportForm(request, limits: limits)
    guard let identifiers = try form.optionalTexts("push_notification_devices") else {
      throw SupportFailure.missing(field: "push_notification_devices")
    }
    let maximum = support.bulkUnregisterMaximum
    guard identifiers.count <= maximum else { throw EdgeFailure.tooMany("tokens a call", limit: maximum) }
    let (removed, unknown) = try await support.unregister(identifiers: identifiers)
    guard request.headers[.accept]?.contains(Self.ownMediaType) == true else { return .json { $0.value("") } }
    var answer = Response.object { object in
      object.member("removed", removed)
      object.member("unknown", unknown)
    }
    answer.headers[.contentType] = Self.ownMediaType
    return answer
  }

  /// Asks for more than Zendesk documents. Spec: support requests 7.1.
  private static let ownMediaType = "application/vnd.carillon+json"

  /// A device as its owner and operators see it.
  static func write(_ view: SupportDeviceView, into object: inout JSONObjectWriter) {
    object.member("id", view.id)
    object.member("identifier", view.device.identifier)
    object.member("device_type", view.device.platform.name)
    object.member("token_type", view.device.address == .airshipChannel ? airshipChannel : nil)
    object.member("locale", view.device.locale)
    object.member("active", view.device.isLive)
    object.member("created_at", view.device.createdAt.iso8601)
    object.member("updated_at", view.device.updatedAt.iso8601)
  }

  private static let airshipChannel: StaticString = "urban_airship_channel_id"
}
