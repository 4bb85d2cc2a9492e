import CallbackDomain
import ChatDomain
import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What an app does with its callback: the URLs in pushes and dialogs. By POST, or by GET as newer apps do it; but a link
/// that is followed, or fetched beforehand, cancels nothing. Spec: GMS 9.2.
///
/// The id is the key: an app may come from a push with nothing else. Whoever shows another's `gms_user` finds nothing.
struct CallbackActionRoutes {
  let engine: Engine
  let limits: EdgeLimits
  let settings: MessagingEdgeSettings

  /// What an action does and answers.
  private typealias Action = @Sendable (_ id: String, Request, EdgeRequestContext) async throws -> Response

  func add(to router: EdgeRoutes) {
    let callbacks = engine.callbacks
    for dialog in CallbackDialog.allCases {
      add(dialog.action, to: router) { id, request, context in
        try await answer(request, context, with: dialog, of: try await callbacks.view(id))
      }
    }
    add("get-dialog-user-confirmation", to: router) { id, request, context in
      let view = try await callbacks.view(id)
      return try await answer(
        request, context, with: view.request.terms.providesCode ? .confirmWithCode : .confirm, of: view)
    }
    add("connect", to: router) { id, request, context in
      let (view, dialog) = try await Self.unlessOver { try await callbacks.connect(id) }
      return try await answer(request, context, with: dialog, of: view)
    }
    add("snooze", to: router) { id, request, context in
      let (view, dialog) = try await Self.unlessOver { try await callbacks.snooze(id) }
      return try await answer(request, context, with: dialog, of: view)
    }
    add("cancel", to: router, byGetToo: false) { id, request, context in
      let view = try await callbacks.cancel(id, note: "cancelled by the customer")
      return .object { dialogs(view, request, context).writeCancelled(into: &$0) }
    }
    add("not-used", to: router) { _, _, _ in .object { _ in } }
    add("check-queue-position", to: router) { id, _, _ in
      let position = try await callbacks.queuePosition(id)
      return .object { CallbackRendering.write(position, into: &$0) }
    }
  }

  private func add(
    _ name: String, to router: EdgeRoutes, byGetToo: Bool = true, _ perform: @escaping Action
  ) {
    let (access, callbacks, limits) = (ServiceAccess(engine: engine), engine.callbacks, limits)
    let route: EdgeRoute = { request, context in
      let id = try context.parameters.require("service")
      try await access.check(request, instance: id)
      // The instance of a chat has none of these.
      guard callbacks.serviceName(of: id) != nil else { throw EdgeFailure.notFound }
      guard await callbacks.obeys(id, try request.userKey(limits: limits)) == true else {
        throw EngineError.chat(.unknownService)
      }
      return try await perform(id, request, context)
    }
    router.resource(
      RouterPath("/genesys/1/service/:service/\(name)"), byGetToo ? [.post: route, .get: route] : [.post: route])
  }

  @Sendable private func answer(
    _ request: Request, _ context: EdgeRequestContext, with dialog: CallbackDialog, of view: CallbackView
  ) async throws -> Response {
    if view.status == .completed, dialog.asksCustomer { throw EdgeFailure.stale }
    var dialogs = dialogs(view, request, context)
    if dialog == .startChat {
      let userKey = try request.userKey(limits: limits)
      dialogs.userHeader = try await Self.unlessOver { try await engine.callbacks.chatKey(of: view, showing: userKey) }
    }
    return .object { [dialogs] in dialogs.write(dialog, into: &$0) }
  }

  private func dialogs(_ view: CallbackView, _ request: Request, _ context: EdgeRequestContext) -> CallbackDialogs {
    CallbackDialogs(view, ExternalURL(settings.address, engine.options.current, request, context), engine, request)
  }

  /// The push that brought the app here is stale if the callback is over.
  private static func unlessOver<Value>(_ perform: () async throws -> Value) async throws -> Value {
    do { return try await perform() } catch let error as EngineError where error == .callback(.finished) {
      throw EdgeFailure.stale
    }
  }
}

extension CallbackDialog {
  /// Whether it makes sense only while the callback lives.
  fileprivate var asksCustomer: Bool { action.hasPrefix("get-dialog-") }
}

extension EdgeFailure {
  /// For what a push or dialog of a callback that is over leads to.
  fileprivate static let stale: EdgeFailure = {
    var failure = EdgeFailure(CallbackRejection.finished)
    failure.status = .notFound
    return failure
  }()
}
