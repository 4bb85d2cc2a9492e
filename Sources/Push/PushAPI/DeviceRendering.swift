import EventSourcing
import JSONEnvelope
import PushDomain
import PushEngine

/// Devices as JSON. Of a token nothing is shown but the beginning of its hash: whoever has one can push to it.
enum DeviceRendering {
  static func write(_ view: DeviceView, into object: inout JSONObjectWriter) {
    let registration = view.registration
    let address = registration.address
    object.member("id", view.id)
    object.member("type", address.type)
    object.member("token", "#\(view.id.prefix(8))")
    object.member("debug", address.debug)
    object.member("state", view.ending == nil ? "live" : "ended")
    object.member("firstRegisteredAt", view.firstRegisteredAt.iso8601)
    object.member("registeredAt", view.registeredAt.iso8601)
    object.member("provider", ifPresent: address.provider)
    object.member("locale", ifPresent: address.language)
    object.member("platform", ifPresent: registration.platform)
    object.member("app", ifPresent: registration.app)
    object.member("owner", ifPresent: registration.owner)
    object.member("endReason", ifPresent: view.ending?.reason)
    object.member("endedAt", ifPresent: view.ending?.at.iso8601)
  }
}
