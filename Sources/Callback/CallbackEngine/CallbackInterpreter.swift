import CallbackDomain
import ChatEngine
import EngineKit
import EntityRuntime
import EventSourcing
import Logging
import OptionKit
import PushDomain
import PushEngine

/// Carries out what callbacks want done. Runs on the outbox's task, in journal order, and waits for nothing durable.
struct CallbackInterpreter: Sendable {
  /// Before the id, in the names of pushes' producers: a callback's chat has the same id, and pushes of its own.
  static let prefix = "callback/"

  let service: CallbackService
  let feed: AgentFeed
  let pushes: PushDispatcher
  let timers: KeyedTimers<CallbackTimer>
  let logger: Logger

  var directory: EntityDirectory<Callback> { service.directory }
  private var index: CallbackIndex { service.index }
  private var router: CallbackRouter { service.router }
  private var options: OptionStore { service.options }
  private var chats: ChatService { service.chats }

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
      case .keyIssued(let key): chats.index.setGuestKey(key, of: callback.id.key)
      case .forgotten: forget(callback)
      }
    }
  }

  private func note(of callback: Entity<Callback>) async -> CallbackNote { await callback.peek { note($0) } }

  private func changed(_ change: CallbackChange, _ callback: Entity<Callback>) async {
    let note = await note(of: callback)
    let before = index.set(callback.id.key, note)
    router.changed(callback.id.key, from: before, to: note)
    if note.chatKey != before?.chatKey { chats.index.setGuestKey(note.chatKey, of: callback.id.key) }
    if case .completed(let reason) = change { service.metrics.ended(reason) }
    guard feed.hasListeners, var view = await callback.peek({ CallbackView($0, id: callback.id.key) }) else { return }
    view.chatID = chats.index[view.id]?.chatSessionID
    var audience = AgentAudience(view).union(before.map { AgentAudience($0) })
    if let agent = change.agentID, !audience.agents.contains(agent) { audience.agents.append(agent) }
    feed.publish(
      chatID: view.chatID ?? "", serviceID: view.id, .other(CallbackNews(change: change, view: view)), to: audience)
  }

  /// Takes an agent for not ready.
  private func dismiss(_ agentID: String) async {
    router.changed(agent: agentID, .away)
    await service.desks[agentID]?.post(.away)
  }

  private func forget(_ callback: Entity<Callback>) {
    let before = index.set(callback.id.key, nil)
    router.changed(callback.id.key, from: before, to: nil)
    chats.index.callbackRemoved(callback.id.key)
    directory.remove(callback.id.key)
  }

  // MARK: Pushes. Spec: GMS 9.6

  private func dispatch(_ push: CallbackPush, of callback: Entity<Callback>) async {
    let id = PushID(producer: Self.prefix + callback.id.key, number: push.number)
    guard let request = await callback.peek({ $0.request }), let wanted = request.device else {
      return await pushes.producers.accepted(id)
    }
    let address = PushAddress(
      type: wanted.type,
      deviceID: (try? DeviceIdentifier.cleaned(wanted.deviceID, type: wanted.type)) ?? wanted.deviceID,
      provider: wanted.provider, language: wanted.language ?? request.language, debug: wanted.debug)
    // A key that was made for this callback is nobody's: it must not own the device.
    let owner = request.isUserKeyMade ? nil : request.userKey
    let settings = options.current
    let terms = settings.callback(request.serviceName, fields: request.fields)
    var order = PushDispatcher.Order(
      id: id, address: address, tag: push.dialog.tag, app: request.serviceName, owner: owner)
    order.alert = settings.texts.alert(for: push.dialog, language: request.language ?? wanted.language)
    order.content = CallbackRendering.push(push.dialog, id: callback.id.key)
    order.attemptsMaximum = terms[CallbackOptions.shared.pushAttempts]
    order.expiry = push.expiry
    order.collapseKey = "callback"
    await pushes.push(order)
  }
}

extension CallbackInterpreter: AlarmedHost {
  func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    guard phase == .origins else { return }
    let keys = scope.keys(of: .callback)
    for key in keys.sorted() {
      _ = try await directory[key]?.perform(CallbackCommand(.erase, policy: CallbackPolicy())) { _ in true }
    }
    feed.forget(keys)
  }

  var rearming: RearmPhase? { .owed }

  func fired(_ alarm: CallbackTimer, of key: String) async {
    guard let callback = directory[key] else { return }
    await callback.post(CallbackCommand(.alarm, policy: await options.policy(of: callback)))
  }

  func reserveCapacity(_ count: Int) { index.reserveCapacity(count) }

  func note(of callback: borrowing Callback) -> [UInt8] { note(callback).bytes }

  private func note(_ callback: borrowing Callback) -> CallbackNote {
    let options = options.current
    return CallbackNote(callback) { options.lookupKeys(ofCallback: $0).all }
  }

  func restored(_ key: String, _ callback: borrowing Callback) { restored(key, note(callback)) }

  func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    restored(key, try CallbackNote(bytes: note))
    return true
  }

  private func restored(_ key: String, _ note: CallbackNote) {
    index.set(key, note)
    if let chatKey = note.chatKey { chats.index.setGuestKey(chatKey, of: key) }
    router.changed(key, from: nil, to: note)
  }

  func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    switch phase {
    case .owed: await rearm(found)
    case .heard:
      // A kill may have come between the chat's record and the callback's.
      for id in index.chatting { await service.chatChanged(id) }
      router.open()
    case .revoked, .returned, .grace: break
    }
  }
}

extension CallbackInterpreter: PushProducer {
  func accepted(_ key: String, _ number: Int) async { await service.handedOver(key, number) }
}

extension CallbackInterpreter: DeskFollower {
  func deskRestored(_ agentID: String, _ readiness: AgentReadiness) {
    router.changed(agent: agentID, readiness)
  }

  /// What was offered and not taken goes to the next one.
  func readinessChanged(_ agentID: String, _ readiness: AgentReadiness) async {
    router.changed(agent: agentID, readiness)
    guard !readiness.isReady else { return }
    for id in index.keys(ofAgent: agentID) {
      guard let callback = directory[id],
        await callback.peek({ $0.agentID == agentID && !$0.agentHasAccepted && $0.status != .processing })
      else { continue }
      let policy = await options.policy(of: callback)
      await callback.post(CallbackCommand(.agentReleased(agentID: agentID), policy: policy))
    }
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

extension OptionStore {
  /// The options of a callback's service as they stand now, with what its request may override.
  func policy(of callback: Entity<Callback>) async -> CallbackPolicy {
    guard let (service, fields) = await callback.peek({ $0.request.map { ($0.serviceName, $0.fields) } }) else {
      return CallbackPolicy()
    }
    return CallbackPolicy(options: current, service: service, fields: fields)
  }
}
