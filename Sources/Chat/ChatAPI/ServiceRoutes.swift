package import ChatEngine
import EngineKit
package import HTTPKit
import Hummingbird
import JSONEnvelope

/// Making service instances. Spec: GMS 3.2.
package struct ServiceRoutes: Sendable {
  let chats: ChatService
  let access: ServiceAccess
  let limits: EdgeLimits

  package init(chats: ChatService, access: ServiceAccess, limits: EdgeLimits) {
    self.chats = chats
    self.access = access
    self.limits = limits
  }

  func create(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let name = try context.parameters.require("service")
    try access.check(request, service: name)
    let parameters = try await request.parameters(limits: limits)
    let serviceID = try await chats.create(
      service: name, data: parameters.attachedData, userKey: try request.userKey(limits: limits))
    return .object { answer in
      answer.member("_id", serviceID)
      answer.member("_chatIxnAPI-CREATE-URL", ChatRoutes.path(of: serviceID))
    }
  }
}
