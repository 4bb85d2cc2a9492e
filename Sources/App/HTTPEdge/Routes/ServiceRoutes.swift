import Engine
import Hummingbird
import JSONEnvelope

/// Making service instances. Spec: GMS 3.2.
struct ServiceRoutes {
  let engine: Engine
  let limits: EdgeLimits

  func create(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let name = try context.parameters.require("service")
    try ServiceAccess(engine: engine).check(request, service: name)
    let parameters = try await request.parameters(limits: limits)
    let serviceID = try await engine.chats.create(
      service: name, data: parameters.attachedData, userKey: try request.userKey(limits: limits))
    return .json { writer in
      writer.beginObject()
      writer.key("_id")
      writer.string(serviceID)
      writer.key("_chatIxnAPI-CREATE-URL")
      writer.string(ChatRoutes.path(of: serviceID))
      writer.endObject()
    }
  }
}
