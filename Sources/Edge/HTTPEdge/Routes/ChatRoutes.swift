import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The customer's operations on a chat. Spec: GMS 3.3.
struct ChatRoutes {
  let engine: Engine
  let limits: EdgeLimits

  /// One operation: what it does with the parameters of its request.
  private typealias Operation = @Sendable (_ serviceID: String, RequestParameters, Request) async throws -> ChatReply

  static func path(of serviceID: String) -> String { "/genesys/1/service/\(serviceID)/ixn/chat" }

  func add(to router: EdgeRoutes) {
    let (chats, callbacks, limits) = (engine.chats, engine.callbacks, limits)
    operation("", on: router) { id, parameters, request in
      let start = try ChatStartRequest(parameters, userKey: try request.userKey(limits: limits))
      // A callback's chat takes over what its app left open. Spec: GMS 9.7.
      return try await chats.start(id, try await callbacks.prepareChat(id, start))
    }
    operation("/send", on: router) { id, parameters, _ in
      guard let text = parameters.first(of: "message") else { throw EdgeFailure.missingParameter("message") }
      return try await chats.send(id, text: text)
    }
    operation("/refresh", on: router, alsoByGet: true) { id, parameters, _ in
      try await chats.refresh(
        id, after: parameters.position("transcriptPosition"), message: parameters.first(of: "message"))
    }
    operation("/startTyping", on: router) { id, parameters, _ in
      try await chats.typing(id, started: true, preview: parameters["message"] ?? "")
    }
    operation("/stopTyping", on: router) { id, parameters, _ in
      try await chats.typing(id, started: false, preview: parameters["message"] ?? "")
    }
    operation("/disconnect", on: router) { id, _, _ in try await chats.disconnect(id) }
    operation("/customNotice", on: router) { id, parameters, _ in
      guard let text = parameters.first(of: "message") else { throw EdgeFailure.missingParameter("message") }
      return try await chats.notice(id, text: text)
    }
    operation("/pushUrl", on: router) { id, parameters, _ in
      guard let url = parameters.first(of: "pushUrl", "message") else { throw EdgeFailure.missingParameter("pushUrl") }
      return try await chats.pushURL(id, url: url)
    }
    operation("/updateData", on: router) { id, parameters, _ in
      try await chats.updateData(id, parameters.attachedData)
    }
  }

  private func operation(
    _ suffix: String, on router: EdgeRoutes, alsoByGet: Bool = false, _ perform: @escaping Operation
  ) {
    let (access, limits) = (ServiceAccess(engine: engine), limits)
    let route: EdgeRoute = { request, context in
      let serviceID = try context.parameters.require("service")
      try await access.check(request, instance: serviceID)
      let parameters = try await request.parameters(limits: limits)
      let reply = try await perform(serviceID, parameters, request)
      return .json { writer in
        writer.beginObject()
        ChatRendering.write(reply, into: &writer)
        if parameters.isVerbose { VerboseFields(reply, parameters, request, context).write(into: &writer) }
        writer.endObject()
      }
    }
    router.resource(
      RouterPath("/genesys/1/service/:service/ixn/chat\(suffix)"),
      alsoByGet ? [.post: route, .get: route] : [.post: route])
  }
}
