import ChatDomain
package import ChatEngine
import EngineKit
package import HTTPKit
import HTTPTypes
package import Hummingbird
import JSONEnvelope

/// The customer's operations on a chat: for whoever shows the `gms_user` that it was made with; one without a user opens
/// to its service id alone. Spec: GMS 2.2, 3.3.
package struct ChatRoutes: Sendable {
  let chats: ChatService
  let neighbours: any ChatNeighbours
  let access: ServiceAccess
  let limits: EdgeLimits

  package init(chats: ChatService, neighbours: any ChatNeighbours, access: ServiceAccess, limits: EdgeLimits) {
    self.chats = chats
    self.neighbours = neighbours
    self.access = access
    self.limits = limits
  }

  /// What an operation does with the parameters of its request, for the user whom the request shows.
  typealias Performance =
    @Sendable (ChatRoutes, _ serviceID: String, RequestParameters, _ userKey: String?) async throws -> ChatReply

  /// Where the pushes of a running chat go from now on; nil: nowhere.
  private struct PushChange { let target: PushTarget? }

  package static func path(of serviceID: String) -> String { "/genesys/1/service/\(serviceID)/ixn/chat" }

  func start(_ id: String, _ parameters: RequestParameters, _ userKey: String?) async throws -> ChatReply {
    var start = try ChatStartRequest(parameters, userKey: userKey)
    if let subscription = try parameters.pushSubscription {
      start.pushTarget = try await neighbours.pushTarget(
        ofSubscription: subscription, for: userKey, language: parameters.first(of: "push_notification_language"))
    }
    // A callback's chat takes over what its app left open. Spec: GMS 9.7.
    return try await chats.start(id, try await neighbours.prepareChat(id, start))
  }

  func updateData(_ id: String, _ parameters: RequestParameters, _ userKey: String?) async throws -> ChatReply {
    if let change = try await pushChange(parameters, userKey) {
      try await chats.changePushTarget(id, to: change.target, by: .customer(userKey: userKey))
    }
    return try await chats.updateData(
      id, parameters.attachedData.filter { !$0.isPushRegistration }, by: .customer(userKey: userKey))
  }

  /// What `updateData` says of the pushes of a running chat: nil if it says nothing. An empty device or subscription takes
  /// the registration away, as an empty value does with data. Spec: GMS 3.3, and 14 for where registrations travel.
  private func pushChange(_ parameters: RequestParameters, _ userKey: String?) async throws -> PushChange? {
    if let subscription = try parameters.pushSubscription {
      return PushChange(
        target: try await neighbours.pushTarget(
          ofSubscription: subscription, for: userKey, language: parameters.first(of: "push_notification_language")))
    }
    if let target = try parameters.pushTarget { return PushChange(target: target) }
    let isTakenAway = ["push_notification_deviceid", "subscriptionID"].contains { parameters[$0]?.isEmpty == true }
    return isTakenAway ? PushChange(target: nil) : nil
  }

  /// Whose chat the path names, for whom, where the request may have it.
  /// - Throws: before a word about the request itself: whose the chat is not, is told what there is to say of none.
  package func admit(
    _ request: Request, _ context: EdgeRequestContext
  ) async throws -> (serviceID: String, userKey: String?) {
    let serviceID = try context.parameters.require("service")
    try await access.check(request, instance: serviceID)
    let userKey = try request.userKey(limits: limits)
    guard await neighbours.obeys(serviceID, userKey) != false,
      await chats.opens(serviceID, to: .customer(userKey: userKey))
    else { throw EngineError.chat(.unknownService) }
    return (serviceID, userKey)
  }

  /// The position of the last event of a chat's transcript; nil if there is none such.
  package func lastPosition(of serviceID: String) async -> Int? { await chats.lastPosition(of: serviceID) }

  /// What a customer does in the chat of the path.
  /// - Parameters:
  ///   - namesDevice: it may name a device; its verbose reply says why nothing could be pushed there. Spec: GMS 7.1.
  func answer(
    _ request: Request, _ context: EdgeRequestContext, namesDevice: Bool = false, _ perform: Performance
  ) async throws -> Response {
    let (serviceID, userKey) = try await admit(request, context)
    let parameters = try await request.parameters(limits: limits)
    let reply = try await perform(self, serviceID, parameters, userKey)
    var verbose: VerboseFields?
    if parameters.isVerbose {
      verbose = VerboseFields(reply, parameters, request, context)
      if namesDevice, let target = try await chats.pushTarget(of: serviceID) {
        verbose?.pushObstacle = neighbours.obstacle(target, ofChat: serviceID)
      }
    }
    return .object { object in
      ChatRendering.write(reply, into: &object)
      verbose?.write(into: &object)
    }
  }
}
