import CallbackDomain
import ChatDomain
public import ChatEngine
public import EngineKit
import EntityRuntime

// The chat inside a callback: the same service id. Spec: GMS 9.7.
extension CallbackService: ChatFollower {
  /// Adds the chat instance of this callback, should it not be there yet, and fills in what the app left open.
  /// Nothing for an id that is no callback's.
  ///
  /// The chat is its orderer's: started by them, or with the key that was made for this callback alone. Of a callback
  /// without a user it is whoever's starts it.
  /// - Throws: `.callback` if it is over, or its time has not come; `.chat(.unknownService)` for somebody else.
  public func prepareChat(_ id: String, _ request: ChatStartRequest) async throws(EngineError) -> ChatStartRequest {
    guard index[id] != nil else { return request }
    let view = try await view(id)
    let order = view.request
    var request = request
    request.userKey = try chatUser(of: order, shown: request.userKey)
    switch view.status {
    case .completed: throw .callback(.finished)
    case .scheduled: throw .callback(.wrongState(.scheduled))
    case .queued, .routing, .processing: break
    }
    request.instance = ChatStartRequest.Instance(
      serviceName: order.serviceName, data: order.fields, userKey: order.user)
    if request.subject.isEmpty { request.subject = order["subject"] ?? "" }
    if request.pushTarget == nil, let device = order.device {
      request.pushTarget = PushTarget(
        type: device.type, deviceID: device.deviceID, provider: device.provider,
        language: device.language ?? order.language, debug: device.debug)
    }
    return request
  }

  /// Whose the chat is that somebody starts who shows this `gms_user`, or none.
  private func chatUser(of order: CallbackRequest, shown: String?) throws(EngineError) -> String? {
    guard let user = order.user else {
      // Of an erased one nobody knows whose it was.
      guard order.isUserKeyMade else { throw .chat(.unknownService) }
      return shown == order.userKey ? nil : shown
    }
    let policy = chats.policies.policy(service: order.serviceName, request: [])
    guard shown == user || (shown != nil && shown == order.chatKey) || (shown == nil && policy.opensByServiceID) else {
      throw .chat(.unknownService)
    }
    return user
  }

  /// Tells a callback what its chat has come to; nothing for an id that is no callback's. What it knows already, or what
  /// does not fit any more, changes nothing.
  package func chatChanged(_ id: String) async {
    guard index[id] != nil, let callback = directory[id] else { return }
    let chat = await chats.directory.peek(id) { (isStarted: $0.isStarted, isEnded: $0.isEnded, agents: $0.agents) }
    guard let chat = chat ?? nil, chat.isStarted else { return }
    let policy = await options.policy(of: callback)
    await callback.post(CallbackCommand(.chatStarted, policy: policy))
    let (status, held) = await callback.peek { ($0.status, $0.agentID) }
    if status == .queued || status == .routing {
      // Whoever was asked to come goes before those who only look on.
      let agents = chat.agents.filter { $0.role == .agent }
      if let agent = agents.first(where: { $0.id == held }) ?? agents.first {
        await callback.post(CallbackCommand(.agentConnected(agentID: agent.id), policy: policy))
      }
    }
    if chat.isEnded { await callback.post(CallbackCommand(.chatEnded, policy: policy)) }
  }

  /// The chat under this id has been forgotten: its callback, if it is one's and that has not heard, is over too. Left
  /// open, it would have another chat made under an id that the journal has done with.
  package func chatIsGone(_ id: String) async {
    guard index[id]?.isOpen == true, let callback = directory[id] else { return }
    await callback.post(CallbackCommand(.chatEnded, policy: await options.policy(of: callback)))
  }
}
