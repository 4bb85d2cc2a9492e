import CallbackDomain
package import CallbackEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Making callbacks and managing them. Spec: GMS 9.1, 9.5.
///
/// | | |
/// |---|---|
/// | `POST /genesys/1/service/callback/{name}` | makes one; answered with a dialog |
/// | `GET /genesys/1/service/callback/{name}?operand=AND&_customer_number=…` | finds them |
/// | `GET /genesys/1/service/callback?_id=…` | the same over all services that the request's credentials open |
/// | `GET /genesys/1/service/callback/{name}/availability?start=&end=&number-of-days=&max-time-slots=` | free slots |
/// | `GET`, `PUT`, `DELETE /genesys/1/service/callback/{name}/{id}` | shows, changes, cancels one |
///
/// What was ordered with a `gms_user` is found, shown, changed and cancelled only with it. A query names a key such as the
/// number; lists, and queries by anything else, are for whoever bears an operator's token.
package struct CallbackRoutes: Sendable {
  let callbacks: CallbackService
  let access: ServiceAccess
  let tokens: TokenStore
  let limits: EdgeLimits
  let address: PublicAddress

  package init(
    callbacks: CallbackService, access: ServiceAccess, tokens: TokenStore, limits: EdgeLimits, address: PublicAddress
  ) {
    self.callbacks = callbacks
    self.access = access
    self.tokens = tokens
    self.limits = limits
    self.address = address
  }

  func create(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let service = try service(request, context)
    let order = try CallbackOrder(try await request.parameters(limits: limits), request, limits: limits)
    let (view, dialog) = try await callbacks.create(service: service, order)
    var dialogs = self.dialogs(view, request, context)
    if dialog == .startChat {
      dialogs.userHeader = try await callbacks.chatKey(of: view, showing: order.userKey)
    }
    return .object { [dialogs] in dialogs.write(dialog, into: &$0) }
  }

  func find(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let name = try context.parameters.require("name")
    let seeker = try seeker(request) { () throws(EdgeFailure) in try access.check(request, service: name) }
    return try await found(name, by: seeker, request, context) { _ in true }
  }

  /// What a service's own credentials protect, the server's do not show.
  func findEverywhere(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let seeker = try seeker(request) { () throws(EdgeFailure) in try access.check(request, service: nil) }
    return try await found(nil, by: seeker, request, context) {
      seeker == .operator || access.opens($0, request)
    }
  }

  private func found(
    _ service: String?, by seeker: CallbackSeeker, _ request: Request, _ context: EdgeRequestContext,
    inServices isOpen: (_ service: String) -> Bool
  ) async throws -> Response {
    let parameters = try await request.parameters(limits: limits)
    let page = try await callbacks.find(
      try CallbackQuery(parameters, service: service), for: seeker, inServices: isOpen)
    return .json(adding: parameters.link(request.uri.path, "_after", next: page.next)) { writer in
      let url = self.url(request, context)
      writer.objects(page.elements) { CallbackRendering.write($0, url, into: &$1) }
    }
  }

  func availability(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let service = try service(request, context)
    let parameters = try await request.parameters(limits: limits)
    let slots = try await callbacks.availability(
      service: service, from: try parameters.time("start"), to: try parameters.time("end"),
      days: try parameters.integer("number-of-days", in: 1...EdgeLimits.availabilityDaysMaximum),
      slotsMaximum: try parameters.integer("max-time-slots", in: 1...EdgeLimits.availabilitySlotsMaximum))
    return .object { CallbackRendering.write(slots, into: &$0) }
  }

  func show(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let view = try await callbacks.view(try await callback(request, context))
    return .object { CallbackRendering.write(view, self.url(request, context), into: &$0) }
  }

  func update(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let id = try await callback(request, context)
    let fields = try await request.parameters(limits: limits).callbackFields
    let view = try await callbacks.update(id, fields: fields)
    return .object { CallbackRendering.write(view, self.url(request, context), into: &$0) }
  }

  func cancel(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    _ = try await callbacks.cancel(try await callback(request, context), note: "cancelled by DELETE")
    return .object { _ in }
  }

  // MARK: Parts of requests

  /// Who looks for callbacks. How often strangers may is a budget of the connection (`callback_queries`): numbers can be
  /// tried out.
  /// - Parameter check: what customers have to show beside.
  private func seeker(
    _ request: Request, _ check: () throws(EdgeFailure) -> Void
  ) throws(EdgeFailure) -> CallbackSeeker {
    // Whoever asks as a customer needs no proof, also from a browser in which an operator is signed in.
    if let token = try? request.shownToken(in: tokens), token.role == .admin { return .operator }
    try check()
    return .customer(userKey: try request.userKey(limits: limits))
  }

  private func url(_ request: Request, _ context: EdgeRequestContext) -> ExternalURL {
    ExternalURL(address, access.options.current, request, context)
  }

  func dialogs(_ view: CallbackView, _ request: Request, _ context: EdgeRequestContext) -> CallbackDialogs {
    CallbackDialogs(view, url(request, context), access.options.current.texts, request)
  }

  /// The service of the path, for somebody who may use it.
  private func service(_ request: Request, _ context: EdgeRequestContext) throws -> String {
    let name = try context.parameters.require("name")
    try access.check(request, service: name)
    return name
  }

  /// The callback of the path; one of another service, or of another user, is not there.
  private func callback(_ request: Request, _ context: EdgeRequestContext) async throws -> String {
    let name = try service(request, context)
    let id = try context.parameters.require("id")
    guard callbacks.serviceName(of: id) == name,
      await callbacks.opens(id, to: try request.userKey(limits: limits)) == true
    else { throw EngineError.callback(.unknown) }
    return id
  }
}
