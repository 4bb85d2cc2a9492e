import CallbackDomain
import EntityRuntime
import EventSourcing
import Logging
import PushDomain

/// Carries out what callbacks want done. Runs on the outbox's task, in journal order, and waits for nothing durable.
struct CallbackInterpreter: Sendable {
  /// Before the id, in the names of pushes' producers: a callback's chat has the same id, and pushes of its own.
  static let producerPrefix = "callback/"

  let directory: EntityDirectory<Callback>
  let index: CallbackIndex
  let router: CallbackRouter
  let desks: EntityDirectory<AgentDesk>
  let feed: AgentFeed
  let pushes: PushDispatcher
  let timers: KeyedTimers<CallbackTimer>
  let options: OptionStore
  let context: RuntimeContext
  let metrics: CallbackMetrics
  let logger: Logger

  /// The one timer of a callback.
  enum CallbackTimer: Sendable { case alarm }

  func perform(_ effects: [CallbackEffect], of callback: Entity<Callback>) async {
    // Who has not reacted must not be the next whom it is offered to.
    for case .agentMissed(let agentID) in effects { await dismiss(agentID) }
    for effect in effects {
      switch effect {
      case .changed(let change): await changed(change, callback)
      case .setAlarm(let deadline): timers.start(.alarm, of: callback.id.key, at: deadline)
      case .cancelAlarm: timers.cancel(.alarm, of: callback.id.key)
      case .push(let push): await dispatch(push, of: callback)
      case .agentMissed: break
      case .keyIssued(let key): pushes.chats.index.setGuestKey(key, of: callback.id.key)
      case .forgotten: forget(callback)
      }
    }
  }

  /// What the alarms do: made once, since there is one for each callback.
  static func alarmed(
    _ directory: EntityDirectory<Callback>, _ options: OptionStore, _ context: RuntimeContext
  ) -> KeyedTimers<CallbackTimer>.Firing {
    { _, key in
      // By its key, not by itself: a timer must not keep a callback from its sleep.
      context.lanes[EntityID(directory.kind, key).hashValue].enqueue {
        guard let callback = directory[key] else { return }
        await callback.post(CallbackCommand(.alarm, policy: await options.policy(of: callback)))
      }
    }
  }

  func note(of callback: Entity<Callback>) async -> CallbackNote {
    let options = options.current
    return await callback.peek { CallbackNote($0) { options.lookupKeys(ofCallback: $0).all } }
  }

  private func changed(_ change: CallbackChange, _ callback: Entity<Callback>) async {
    let note = await note(of: callback)
    let before = index.set(callback.id.key, note)
    router.changed(callback.id.key, from: before, to: note)
    if note.chatKey != before?.chatKey { pushes.chats.index.setGuestKey(note.chatKey, of: callback.id.key) }
    if case .completed(let reason) = change { metrics.ended(reason) }
    guard feed.hasListeners, var view = await callback.peek({ CallbackView($0, id: callback.id.key) }) else { return }
    view.chatID = pushes.chats.index[view.id]?.chatSessionID
    var audience = AgentAudience(view).union(before.map { AgentAudience($0) })
    if let agent = change.concernedAgent, !audience.agents.contains(agent) { audience.agents.append(agent) }
    feed.publish(chatID: view.chatID ?? "", serviceID: view.id, .callback(change, view), to: audience)
  }

  /// An agent is ready, or is not any more: what was offered and not taken goes to the next one.
  func perform(_ effects: [AgentDesk.Effect], of desk: Entity<AgentDesk>) async {
    let agentID = desk.id.key
    for case .readinessChanged(let readiness) in effects {
      router.changed(agent: agentID, readiness)
      if feed.hasListeners {
        // Colleagues, not customers: whoever serves all services sees who is there.
        feed.publish(
          chatID: "", serviceID: "", .agent(id: agentID, isReady: readiness.isReady),
          to: AgentAudience(service: nil, isOpen: true, agents: [agentID]))
      }
      guard !readiness.isReady else { continue }
      for id in index.keys(ofAgent: agentID) {
        guard let callback = directory[id],
          await callback.peek({ $0.agentID == agentID && !$0.agentHasAccepted && $0.status != .processing })
        else { continue }
        let policy = await options.policy(of: callback)
        await callback.post(CallbackCommand(.agentReleased(agentID: agentID), policy: policy))
      }
    }
  }

  /// Takes an agent for not ready.
  private func dismiss(_ agentID: String) async {
    router.changed(agent: agentID, .away)
    await desks[agentID]?.post(.away)
  }

  private func forget(_ callback: Entity<Callback>) {
    let before = index.set(callback.id.key, nil)
    router.changed(callback.id.key, from: before, to: nil)
    pushes.chats.index.callbackRemoved(callback.id.key)
    directory.remove(callback.id.key)
  }

  // MARK: Pushes. Spec: GMS 9.6

  private func dispatch(_ push: CallbackPush, of callback: Entity<Callback>) async {
    let id = PushID(producer: Self.producerPrefix + callback.id.key, number: push.number)
    guard let request = await callback.peek({ $0.request }), let wanted = request.device else {
      return await pushes.handedOver(id)
    }
    let address = PushAddress(
      type: wanted.type,
      deviceID: (try? DeviceIdentifier.cleaned(wanted.deviceID, type: wanted.type)) ?? wanted.deviceID,
      provider: wanted.provider, language: wanted.language ?? request.language, debug: wanted.debug)
    if let obstacle = pushes.hindrance(address, tag: push.dialog.tag) {
      pushes.metrics.skipped(type: address.type)
      logger.warning(
        "push not sent",
        metadata: ["service": "\(request.serviceName)", "type": "\(address.type)", "reason": "\(obstacle)"])
      return await pushes.handedOver(id)
    }
    // A key that was made for this callback is nobody's: it must not own the device.
    let owner = request.isUserKeyMade ? nil : request.userKey
    let device = await pushes.devices.standing(
      of: DeviceRegistration(address: address, app: request.serviceName, owner: owner))
    guard device.mayGet(pushesOf: owner) else {
      pushes.metrics.skipped(type: address.type)
      logger.notice("push not sent", metadata: ["reason": "the device has another owner now"])
      return await pushes.decline(id, for: device.address, reason: "the device has another owner now")
    }
    let settings = options.current
    let lifetime = pushes.pushOptions(device.address, tag: push.dialog.tag).integer("push.time_to_live") ?? 3_600
    let attempts = settings.callback(request.serviceName, "_max_notify_delivery_attempts", fields: request.fields)
    let message = PushMessage(
      producer: id.producer, number: id.number, tag: push.dialog.tag,
      alert: settings.texts.alert(for: push.dialog, language: request.language ?? wanted.language),
      content: CallbackRendering.push(push.dialog, id: callback.id.key), service: request.serviceName,
      target: device.address, attemptsMaximum: attempts.flatMap { Int($0) } ?? 3,
      expiry: push.expiry ?? context.time.now.advanced(by: .seconds(lifetime)), collapseKey: "callback",
      owner: owner, registeredAt: device.registeredAt)
    _ = await pushes.enqueue(message)
  }
}

extension AgentAudience {
  /// Whom a callback concerns: as long as nobody has it, all who serve its service.
  init(_ view: CallbackView) {
    self.init(
      service: view.request.serviceName, isOpen: view.status != .completed && view.agentID == nil,
      agents: (view.agentID ?? view.lastAgentID).map { [$0] } ?? [])
  }

  init(_ note: CallbackNote) {
    self.init(
      service: note.serviceName, isOpen: note.isOpen && note.agentID == nil, agents: note.agentID.map { [$0] } ?? [])
  }
}

extension CallbackChange {
  /// Whom it is about.
  fileprivate var concernedAgent: String? {
    switch self {
    case .offered(let id), .accepted(let id), .released(let id), .connected(let id): id
    case .scheduled, .queued, .confirming, .snoozed, .routing, .completed, .updated: nil
    }
  }
}

extension OptionStore {
  /// The options of a callback's service as they stand now, with what its request may override.
  func policy(of callback: Entity<Callback>) async -> CallbackPolicy {
    guard let (service, fields) = await callback.peek({ $0.request.map { ($0.serviceName, $0.fields) } }) else {
      return CallbackPolicy()
    }
    return CallbackPolicy(options: current, service: service, fields: fields)
  }
}
