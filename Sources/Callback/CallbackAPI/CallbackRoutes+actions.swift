import CallbackDomain
import CallbackEngine
import ChatDomain
import ChatEngine
import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What an app does with its callback: the URLs in pushes and dialogs. By POST, or by GET as newer apps do it; but a link
/// that is followed, or fetched beforehand, cancels nothing. Spec: GMS 9.2.
///
/// The id is the key: an app may come from a push with nothing else. Whoever shows another's `gms_user` finds nothing.
extension CallbackRoutes {
  /// What an action does and answers.
  typealias Action = @Sendable (CallbackRoutes, _ id: String, Request, EdgeRequestContext) async throws -> Response

  /// What an app asks of the callback of the path.
  func act(_ request: Request, _ context: EdgeRequestContext, _ perform: Action) async throws -> Response {
    let id = try context.parameters.require("service")
    try await access.check(request, instance: id)
    // The instance of a chat has none of these.
    guard callbacks.serviceName(of: id) != nil else { throw EdgeFailure.notFound }
    guard await callbacks.obeys(id, try request.userKey(limits: limits)) == true else {
      throw EngineError.chat(.unknownService)
    }
    return try await perform(self, id, request, context)
  }

  /// The question that suits.
  func confirm(_ id: String, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let view = try await callbacks.view(id)
    return try await answer(
      request, context, with: view.request.terms.providesCode ? .confirmWithCode : .confirm, of: view)
  }

  func connect(_ id: String, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let (view, dialog) = try await Self.unlessOver { try await callbacks.connect(id) }
    return try await answer(request, context, with: dialog, of: view)
  }

  func snooze(_ id: String, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let (view, dialog) = try await Self.unlessOver { try await callbacks.snooze(id) }
    return try await answer(request, context, with: dialog, of: view)
  }

  func cancel(_ id: String, _ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let view = try await callbacks.cancel(id, note: "cancelled by the customer")
    return .object { dialogs(view, request, context).writeCancelled(into: &$0) }
  }

  func queuePosition(_ id: String) async throws -> Response {
    let position = try await callbacks.queuePosition(id)
    return .object { CallbackRendering.write(position, into: &$0) }
  }

  func answer(
    _ request: Request, _ context: EdgeRequestContext, with dialog: CallbackDialog, of view: CallbackView
  ) async throws -> Response {
    if view.status == .completed, dialog.asksCustomer { throw EdgeFailure.stale }
    var dialogs = dialogs(view, request, context)
    if dialog == .startChat {
      let userKey = try request.userKey(limits: limits)
      dialogs.userHeader = try await Self.unlessOver { try await callbacks.chatKey(of: view, showing: userKey) }
    }
    return .object { [dialogs] in dialogs.write(dialog, into: &$0) }
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
