import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
package import NotificationEngine
import PushDomain

/// Subscriptions, and publishing to them: JSON only. Spec: GMS 10.
///
/// | | |
/// |---|---|
/// | `POST /genesys/1/notification/subscription` | subscribes: `{"id":…}` |
/// | `GET`, `DELETE /genesys/1/notification/subscription/{id}` | shows it, ends it |
/// | `POST /genesys/1/notification/publish` `{"tag":…,"message":…,"subscriberId":…,"id":…}` | publishes: `{"delivered":…}` |
///
/// Subscribing is open to apps; what was made with a `gms_user` is seen and ended only with it. Publishing needs a bearer
/// token of the role `publisher` or `admin`.
package struct NotificationRoutes: TokenRoutes {
  let notifications: NotificationService
  let access: ServiceAccess
  package let tokens: TokenStore
  let limits: EdgeLimits
  /// Whether every user key that reaches a route is proven.
  let provesUsers: Bool

  package init(
    notifications: NotificationService, access: ServiceAccess, tokens: TokenStore, limits: EdgeLimits,
    provesUsers: Bool
  ) {
    self.notifications = notifications
    self.access = access
    self.tokens = tokens
    self.limits = limits
    self.provesUsers = provesUsers
  }

  func subscribe(_ request: Request) async throws -> Response {
    try access.check(request, service: nil)
    let body = try await body(of: request)
    var order = try SubscriptionOrder(body)
    order.owner = try request.userKey(limits: limits)
    // What goes to somebody's Comet sessions is that user's to ask for.
    if provesUsers, order.type == PushType.comet.rawValue, order.deviceID != order.owner {
      throw EdgeFailure.forbidden("The device of a subscription of type comet is the user who asks for it")
    }
    let id = try await notifications.subscribe(order)
    return .object { $0.member("id", id) }
  }

  func show(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try access.check(request, service: nil)
    guard
      let view = try await notifications.subscription(
        try context.parameters.require("id"), for: try request.userKey(limits: limits))
    else { throw EdgeFailure.unknownSubscription }
    return .object { Self.write(view, into: &$0) }
  }

  func unsubscribe(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try access.check(request, service: nil)
    guard
      try await notifications.unsubscribe(
        try context.parameters.require("id"), for: try request.userKey(limits: limits))
    else { throw EdgeFailure.unknownSubscription }
    return .object { _ in }
  }

  func publish(_ request: Request) async throws -> Response {
    let body = try await body(of: request)
    let count = try await notifications.publish(
      tag: try body.text("tag"), try body.publication("message"), subscriberID: try body.optionalText("subscriberId"),
      id: try body.optionalText("id"))
    return .object { $0.member("delivered", count) }
  }

  /// Spec: GMS 10, other content types 415.
  private func body(of request: Request) async throws -> JSONBody {
    let type = MediaType(request.headers[.contentType])
    guard type?.isJSON == true else { throw ParameterFailure.unsupportedContentType(type?.name ?? "none") }
    return try JSONBody(try await request.bytes(limits: limits))
  }

  /// Of a device id nothing is shown but the beginning of its hash: whoever has one can push to it.
  private static func write(_ view: SubscriptionView, into object: inout JSONObjectWriter) {
    let terms = view.terms
    object.member("id", view.id)
    object.member("subscriberId", terms.subscriberID)
    object.member("filter", terms.filter.text)
    object.object("notificationDetails") { details in
      details.member("deviceId", view.deviceHash)
      details.member("type", terms.address.type)
      details.object("properties") { properties in
        properties.member("debug", "\(terms.address.debug)")
        for property in terms.properties { properties.member(named: property.name, property.value) }
      }
    }
    object.member("providerName", ifPresent: terms.address.provider)
    object.member("createdAt", view.createdAt.iso8601)
    object.member("expiresAt", terms.expiresAt.iso8601)
  }
}

extension EdgeFailure {
  fileprivate static let unknownSubscription = EdgeFailure(
    .notFound, "There is no such subscription", exception: "SubscriptionNotFoundException")
}

extension SubscriptionOrder {
  /// - Throws: naming the member that is missing or cannot be used. Spec: GMS 10.1.
  fileprivate init(_ body: JSONBody) throws(EdgeFailure) {
    let (subscriberID, filter) = (try body.text("subscriberId"), try body.text("filter"))
    guard let details = try body.optionalObject("notificationDetails") else {
      throw .missingParameter("notificationDetails")
    }
    let inner = try JSONBody(details.text)
    self.init(
      subscriberID: subscriberID, filter: filter, type: try inner.text("type"), deviceID: try inner.text("deviceId"))
    provider = try body.optionalText("providerName").flatMap { $0.isEmpty ? nil : $0 }
    authorization = try body.optionalText("authorization").flatMap { $0.isEmpty ? nil : $0 }
    seconds = try body.optionalInteger("expire", in: Int(Int32.min)...Int(Int32.max))
    for member in try inner.optionalObject("properties")?.object?.members ?? [] where !member.value.isNull {
      guard let value = member.value.lenientString else { throw .badParameter(member.name, "is not a string") }
      if member.name == "debug" {
        debug = value.lowercased() == "true"
      } else {
        properties.append(NameValuePair(member.name, value))
      }
    }
  }
}

extension JSONBody {
  /// A string, which is handed on as it is, or an object, as its JSON text; a string that holds an object is one too.
  /// Spec: GMS 10.2.
  fileprivate func publication(_ name: String) throws(EdgeFailure) -> PublicationContent {
    if let object = try? optionalObject(name) { return PublicationContent(bytes: object.text, isObject: true) }
    let bytes = Array(try text(name).utf8)
    let isObject = (try? JSONValue(parsing: bytes, limits: JSONLimits(depthMaximum: 16)))?.object != nil
    return PublicationContent(bytes: bytes, isObject: isObject)
  }
}
