import ChatDomain
import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The customer's operations on a chat: for whoever shows the `gms_user` that it was made with; one without a user opens
/// to its service id alone. Spec: GMS 2.2, 3.3.
struct ChatRoutes {
  let engine: Engine
  let limits: EdgeLimits

  /// One operation: what it does with the parameters of its request, for the user whom the request shows.
  private typealias Operation =
    @Sendable (_ serviceID: String, RequestParameters, _ userKey: String?) async throws -> ChatReply

  /// Where the pushes of a running chat go from now on; nil: nowhere.
  private struct PushChange { let target: PushTarget? }

  static func path(of serviceID: String) -> String { "/genesys/1/service/\(serviceID)/ixn/chat" }

  func add(to router: EdgeRoutes) {
    let (engine, chats, callbacks) = (engine, engine.chats, engine.callbacks)
    operation("", on: router, namesDevice: true) { id, parameters, userKey in
      var start = try ChatStartRequest(parameters, userKey: userKey)
      if let subscription = try parameters.pushSubscription {
        start.pushTarget = try await engine.notifications.chatTarget(
          subscription, for: userKey, language: parameters.first(of: "push_notification_language"))
      }
      // A callback's chat takes over what its app left open. Spec: GMS 9.7.
      return try await chats.start(id, try await callbacks.prepareChat(id, start))
    }
    operation("/send", on: router) { id, parameters, userKey in
      guard let text = parameters.first(of: "message") else { throw EdgeFailure.missingParameter("message") }
      return try await chats.send(id, text: text, by: .customer(userKey: userKey))
    }
    operation("/refresh", on: router, alsoByGet: true) { id, parameters, userKey in
      try await chats.refresh(
        id, after: parameters.position("transcriptPosition"), message: parameters.first(of: "message"),
        by: .customer(userKey: userKey))
    }
    operation("/startTyping", on: router) { id, parameters, userKey in
      try await chats.typing(
        id, started: true, preview: parameters["message"] ?? "", by: .customer(userKey: userKey))
    }
    operation("/stopTyping", on: router) { id, parameters, userKey in
      try await chats.typing(
        id, started: false, preview: parameters["message"] ?? "", by: .customer(userKey: userKey))
    }
    operation("/disconnect", on: router) { id, _, userKey in
      try await chats.disconnect(id, by: .customer(userKey: userKey))
    }
    operation("/customNotice", on: router) { id, parameters, userKey in
      guard let text = parameters.first(of: "message") else { throw EdgeFailure.missingParameter("message") }
      return try await chats.notice(id, text: text, by: .customer(userKey: userKey))
    }
    operation("/pushUrl", on: router) { id, parameters, userKey in
      guard let url = parameters.first(of: "pushUrl", "message") else { throw EdgeFailure.missingParameter("pushUrl") }
      return try await chats.pushURL(id, url: url, by: .customer(userKey: userKey))
    }
    operation("/updateData", on: router, namesDevice: true) { id, parameters, userKey in
      if let change = try await Self.pushChange(parameters, userKey, engine) {
        try await chats.changePushTarget(id, to: change.target, by: .customer(userKey: userKey))
      }
      return try await chats.updateData(
        id, parameters.attachedData.filter { !$0.isPushRegistration }, by: .customer(userKey: userKey))
    }
  }

  /// What `updateData` says of the pushes of a running chat: nil if it says nothing. An empty device or subscription takes
  /// the registration away, as an empty value does with data. Spec: GMS 3.3, and 14 for where registrations travel.
  private static func pushChange(
    _ parameters: RequestParameters, _ userKey: String?, _ engine: Engine
  ) async throws -> PushChange? {
    if let subscription = try parameters.pushSubscription {
      return PushChange(
        target: try await engine.notifications.chatTarget(
          subscription, for: userKey, language: parameters.first(of: "push_notification_language")))
    }
    if let target = try parameters.pushTarget { return PushChange(target: target) }
    let isTakenAway = ["push_notification_deviceid", "subscriptionID"].contains { parameters[$0]?.isEmpty == true }
    return isTakenAway ? PushChange(target: nil) : nil
  }

  /// - Parameter namesDevice: it may name a device; its verbose reply says why nothing could be pushed there. Spec: GMS 7.1.
  private func operation(
    _ suffix: String, on router: EdgeRoutes, alsoByGet: Bool = false, namesDevice: Bool = false,
    _ perform: @escaping Operation
  ) {
    let (engine, access, limits) = (engine, ServiceAccess(engine: engine), limits)
    let (chats, callbacks) = (engine.chats, engine.callbacks)
    let route: EdgeRoute = { request, context in
      let serviceID = try context.parameters.require("service")
      try await access.check(request, instance: serviceID)
      let userKey = try request.userKey(limits: limits)
      // Before a word about the request itself: whose the chat is not, is told what there is to say of none.
      guard await callbacks.obeys(serviceID, userKey) != false,
        await chats.opens(serviceID, to: .customer(userKey: userKey))
      else { throw EngineError.chat(.unknownService) }
      let parameters = try await request.parameters(limits: limits)
      let reply = try await perform(serviceID, parameters, userKey)
      var verbose: VerboseFields?
      if parameters.isVerbose {
        verbose = VerboseFields(reply, parameters, request, context)
        if namesDevice, let target = try await chats.pushTarget(of: serviceID) {
          verbose?.pushObstacle = engine.obstacle(target, ofChat: serviceID)
        }
      }
      return .json { writer in
        writer.beginObject()
        ChatRendering.write(reply, into: &writer)
        verbose?.write(into: &writer)
        writer.endObject()
      }
    }
    router.resource(
      RouterPath("/genesys/1/service/:service/ixn/chat\(suffix)"),
      alsoByGet ? [.post: route, .get: route] : [.post: route])
  }
}
