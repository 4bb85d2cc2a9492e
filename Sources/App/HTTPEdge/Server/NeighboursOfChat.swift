import CallbackDomain
import ChatAPI
import ChatDomain
import Engine
import PushDomain
import SupportDomain

/// The capabilities beside chat, as one server has them.
struct NeighboursOfChat: ChatNeighbours {
  let engine: Engine

  func obeys(_ serviceID: String, _ userKey: String?) async -> Bool? {
    await engine.callbacks.obeys(serviceID, userKey)
  }

  func prepareChat(_ serviceID: String, _ request: ChatStartRequest) async throws -> ChatStartRequest {
    try await engine.callbacks.prepareChat(serviceID, request)
  }

  func pushTarget(ofSubscription id: String, for userKey: String?, language: String?) async throws -> PushTarget {
    try await engine.notifications.chatTarget(id, for: userKey, language: language)
  }

  func dealings(with userKey: String, limit: Int, for viewer: AgentViewer) async throws -> CustomerDealings {
    var dealings = CustomerDealings()
    dealings.callbacks = try await engine.callbacks.list(ofCustomer: userKey, limit: limit, for: viewer).map { view in
      CustomerDealings.Callback(
        id: view.id, service: view.request.serviceName, state: view.status.name, createdAt: view.createdAt,
        desiredTime: view.request.desiredTime)
    }
    let actor = try await engine.support.agent(named: viewer.id, services: viewer.services)
    let requests = try await engine.support.requests(ofCustomer: userKey, limit: limit, for: actor)
    dealings.requests = requests.map { view in
      CustomerDealings.Request(
        number: view.number, subject: view.terms.subject, status: view.status.name, updatedAt: view.updatedAt)
    }
    let devices = try await engine.devices.list(DeviceFilter(owner: userKey), limit: limit)
    dealings.devices = devices.map { view in
      CustomerDealings.Device(
        type: view.registration.address.type, deviceID: view.registration.address.deviceID,
        app: view.registration.app, isLive: view.ending == nil, registeredAt: view.registeredAt)
    }
    return dealings
  }

  func obstacle(_ target: PushTarget, ofChat serviceID: String) -> String? {
    engine.obstacle(target, ofChat: serviceID)
  }
}
