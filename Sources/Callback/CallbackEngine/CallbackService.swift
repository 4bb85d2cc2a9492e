public import CallbackDomain
public import ChatEngine
public import EngineKit
import EntityRuntime
public import EventSourcing
import OptionKit

/// Callbacks, for apps, agents and operators. Each call returns once what it did is durable. Spec: GMS 9.
///
/// Throws `.unknownServiceName`, `.missing(field:)`, `.invalid(field:reason:)`, `.slotUnavailable(_:)`,
/// `.limitReached`, `.callback(_:)`, `.unavailable`, `.storageFull`.
public final class CallbackService: Sendable {
  let directory: EntityDirectory<Callback>
  let index: CallbackIndex
  let router: CallbackRouter
  let grids: SlotGrids
  let options: OptionStore
  let chats: ChatService
  let desks: EntityDirectory<AgentDesk>
  let context: RuntimeContext
  let limits: EngineLimits
  let identifiers: Identifiers
  let metrics: CallbackMetrics

  init(
    directory: EntityDirectory<Callback>, index: CallbackIndex, router: CallbackRouter, grids: SlotGrids,
    options: OptionStore, chats: ChatService, desks: EntityDirectory<AgentDesk>, context: RuntimeContext,
    limits: EngineLimits, identifiers: Identifiers, metrics: CallbackMetrics
  ) {
    self.directory = directory
    self.index = index
    self.router = router
    self.grids = grids
    self.options = options
    self.chats = chats
    self.desks = desks
    self.context = context
    self.limits = limits
    self.identifiers = identifiers
    self.metrics = metrics
  }

  // MARK: Apps

  /// Makes a callback. Spec: GMS 9.1. - Returns: it, and the dialog that answers the request.
  public func create(
    service: String, _ order: CallbackOrder
  ) async throws(EngineError) -> (view: CallbackView, dialog: CallbackDialog) {
    let current = options.current
    guard current.hasCallbackService(service) else { throw .unknownServiceName(service) }
    var request = try CallbackRequest(order, service: service, options: current, identifiers: identifiers)
    request.slot = try slot(at: request.desiredTime, of: service)
    if request.terms.providesCode { request.accessCode = accessCode() }
    let id = identifiers.callbackID()
    guard let callback = directory.entity(id, limit: limits.callbacksMaximum) else { throw .limitReached("callbacks") }
    do {
      try reserve(id, request)
      let view = try await perform(.create(request), on: callback)
      return (view, Self.answer(to: view))
    } catch {
      index.release(id)
      directory.remove(id)
      throw error
    }
  }

  public func view(_ id: String) async throws(EngineError) -> CallbackView {
    let callback = try entity(id)
    let view: CallbackView?
    do { view = try await callback.read { CallbackView($0, id: id) } } catch { throw EngineError(error) }
    return completed(try known(view))
  }

  /// Whether its record is there for somebody who shows this `gms_user`, or none. Nil if there is no such callback.
  /// Spec: GMS 9.5. Whose a callback is never changes.
  public func opens(_ id: String, to userKey: String?) async -> Bool? {
    await directory.peek(id) { $0.request?.opens(to: userKey) } ?? nil
  }

  /// Whether somebody who has its id, and shows this `gms_user` or none, may ask for its dialogs and act.
  /// Nil if there is no such callback. Spec: GMS 9.2.
  public func obeys(_ id: String, _ userKey: String?) async -> Bool? {
    await directory.peek(id) { $0.request?.obeys(userKey) } ?? nil
  }

  /// What somebody who shows `userKey`, or nothing, is to send as `gms_user` with the chat inside: the same, if the
  /// callback was ordered with it; else a key that opens this chat alone, since the orderer's opens all of theirs.
  /// Spec: GMS 9.3, `_user_header`.
  public func chatKey(of view: CallbackView, showing userKey: String?) async throws(EngineError) -> String {
    if let user = view.request.user, user == userKey { return user }
    if let key = view.request.chatKey {
      // Notes of an earlier version do not speak of it.
      chats.index.setGuestKey(key, of: view.id)
      return key
    }
    let issued = try await perform(.issueKey(identifiers.clientID()), on: try entity(view.id))
    guard let key = issued.request.chatKey else { throw .callback(.unknown) }
    return key
  }

  /// The name of the callback's service; nil if there is no such callback. Cheap.
  public func serviceName(of id: String) -> String? { index[id]?.serviceName }

  /// `connect`. - Throws: `.callback(.finished)` on one that is over. Spec: GMS 9.2.
  /// - Returns: it, and the dialog that answers.
  public func connect(_ id: String) async throws(EngineError) -> (view: CallbackView, dialog: CallbackDialog) {
    let view = try await perform(.connect, on: try entity(id))
    return (view, view.status == .scheduled ? .waitForAgent : .connection(view.request.terms))
  }

  /// `snooze`, as `connect`.
  public func snooze(_ id: String) async throws(EngineError) -> (view: CallbackView, dialog: CallbackDialog) {
    (try await perform(.snooze, on: try entity(id)), .waitForAgent)
  }

  /// - Parameter note: by whom or why, for the record.
  public func cancel(_ id: String, note: String) async throws(EngineError) -> CallbackView {
    try await perform(.cancel(note: note), on: try entity(id))
  }

  public func queuePosition(_ id: String) async throws(EngineError) -> CallbackQueuePosition {
    let view = try await view(id)
    let position = router.queuePosition(of: id)
    return CallbackQueuePosition(
      position: position.position, etaSeconds: position.etaSeconds, totalWaiting: position.totalWaiting,
      agentIsReady: view.agentID != nil)
  }

  /// PUT: merges fields; `_new_desired_time`, else `_desired_time`, moves it. Spec: GMS 9.5, C13.
  public func update(_ id: String, fields: [NameValuePair]) async throws(EngineError) -> CallbackView {
    let callback = try entity(id)
    let before = try await view(id)
    let service = before.request.serviceName
    let reader = CallbackFieldReader(service: service, fields: fields, options: options.current)
    let name = fields.contains { $0.name == "_new_desired_time" } ? "_new_desired_time" : "_desired_time"
    let merged = fields.filter { !["_new_desired_time", "_desired_time", "_callback_state"].contains($0.name) }
    for key in options.current.lookupKeys(ofCallback: service).mandatory
    where merged.contains(where: { $0.name == key && $0.value.isEmpty }) { throw .missing(field: key) }
    guard fields.contains(where: { $0.name == name }) else {
      return try await perform(.update(fields: merged, schedule: nil), on: callback)
    }
    let time = try reader.time(name)
    let slot = try slot(at: time, of: service)
    let schedule = CallbackSchedule(desiredTime: time, slot: slot)
    guard let slot else {
      return try await perform(.update(fields: merged, schedule: schedule), on: callback)
    }
    let place = CallbackIndex.Slot(service: service, start: slot)
    do throws(CallbackIndex.Obstacle) {
      try index.reserve(place, for: id, capacity: grids[service].capacity)
    } catch { throw .refused(NoSlot(alternatives: alternatives(of: service, to: slot))) }
    defer { index.release(place) }
    return try await perform(.update(fields: merged, schedule: schedule), on: callback)
  }

  // MARK: Agents

  /// Those that somebody sees: waiting in the order in which they are served, others in the order of their times. None that
  /// is over.
  /// - Throws: `.invalid` for a cursor that no such list has given.
  public func list(
    _ query: AgentListQuery, for viewer: AgentViewer
  ) async throws(EngineError) -> ListPage<CallbackView> {
    let limit = query.limit(limits)
    let found: [(key: String, cursor: String)]
    // One more than is wanted says whether there are more.
    switch query.filter {
    case .waiting:
      found = try router.waiting(after: query.after, limit: limit + 1) { service in
        viewer.serves(service) && (query.service == nil || query.service == service)
      }
    case .own, .all:
      let after = try query.after.map { text throws(EngineError) in
        guard let place = CallbackIndex.Place(cursor: text) else {
          throw .invalid(field: "after", reason: ListPage<CallbackView>.noCursor)
        }
        return place
      }
      let places =
        query.filter == .own
        ? index.places(ofAgent: viewer.id, after: after, limit: limit + 1) { note in
          query.service == nil || query.service == note.serviceName
        }
        : index.places(after: after, limit: limit + 1) { _, note in
          note.isOpen && (query.service == nil || query.service == note.serviceName)
            && viewer.sees(AgentAudience(note))
        }
      found = places.map { ($0.key, $0.cursor) }
    }
    let page = found.prefix(limit)
    let views = try await views(page.map(\.key)) { view in
      view.status != .completed && viewer.sees(AgentAudience(view))
        && (query.filter != .own || view.agentID == viewer.id)
    }
    return ListPage(elements: views, next: found.count > limit ? page.last?.cursor : nil)
  }

  /// A customer's that somebody sees, the newest first, also those that are over.
  public func list(ofCustomer userKey: String, limit: Int, for viewer: AgentViewer) async throws(EngineError)
    -> [CallbackView]
  {
    let found = try await views(index.keys(ofUser: userKey)) { viewer.sees(AgentAudience($0)) }
    return Array(found.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }.prefix(limit))
  }

  /// - Throws: `.callback(.unknown)` also for one that is none of the viewer's business.
  public func view(_ id: String, for viewer: AgentViewer) async throws(EngineError) -> CallbackView {
    let view = try await view(id)
    guard viewer.sees(AgentAudience(view)) else { throw .callback(.unknown) }
    return view
  }

  /// As below, by somebody whose business it is.
  public func report(
    _ report: CallbackReport, of id: String, for viewer: AgentViewer
  ) async throws(EngineError) -> CallbackView {
    _ = try await view(id, for: viewer)
    return try await self.report(report, of: id, by: viewer.id)
  }

  /// What an agent, or an integration in an agent's place, says of a callback. Spec: GMS 12.3.
  public func report(
    _ report: CallbackReport, of id: String, by agentID: String
  ) async throws(EngineError) -> CallbackView {
    let action: CallbackAction =
      switch report {
      case .available: .agentAvailable(agentID: agentID)
      case .accepted: .agentAccepted(agentID: agentID)
      case .released: .agentReleased(agentID: agentID)
      case .connected: .agentConnected(agentID: agentID)
      case .ended: .agentEnded(agentID: agentID)
      case .failed(let reason): .agentFailed(agentID: agentID, reason: reason)
      }
    let callback = try entity(id)
    guard report == .released else { return try await perform(action, on: callback) }
    // Who sends a callback away would get it again at once: until they say so, they are not ready.
    router.changed(agent: agentID, .away)
    do throws(EngineError) {
      let view = try await perform(action, on: callback)
      await desks[agentID]?.post(.away)
      return view
    } catch {
      router.changed(agent: agentID, await desks[agentID]?.peek { $0.readiness } ?? .away)
      throw error
    }
  }

  // MARK: Operators

  /// Brings the gauges up to date.
  public func report() { metrics.report(index.counts, router.load, now: context.time.now) }

  // MARK: Parts

  /// The queue of its device has taken over a push.
  func handedOver(_ id: String, _ number: Int) async {
    let command = CallbackCommand(.pushHandedOver(number: number), policy: CallbackPolicy())
    await directory[id]?.post(command, lazy: true)
  }

  /// Not by the index, which follows a moment after the callback is durable: it says itself whether it is there.
  func entity(_ id: String) throws(EngineError) -> Entity<Callback> {
    guard let callback = directory[id] else { throw .callback(.unknown) }
    return callback
  }

  func perform(_ action: CallbackAction, on callback: Entity<Callback>) async throws(EngineError) -> CallbackView {
    let id = callback.id.key
    var policy = await options.policy(of: callback)
    if case .create(let request) = action {
      policy = CallbackPolicy(options: options.current, service: request.serviceName, fields: request.fields)
    }
    let command = CallbackCommand(action, policy: policy)
    let view: CallbackView?
    do throws(TurnError<CallbackRejection>) {
      view = try await callback.perform(command) { CallbackView($0, id: id) }
    } catch { throw EngineError(error) }
    return completed(try known(view))
  }

  /// Views of these callbacks, as far as they are there and fit.
  func views(
    _ keys: some Sequence<String>, where fits: (CallbackView) -> Bool
  ) async throws(EngineError) -> [CallbackView] {
    var views: [CallbackView] = []
    for key in keys {
      // What sleeps is looked at where it lies.
      guard let view = await directory.peek(key, { CallbackView($0, id: key) }) ?? nil, fits(view) else { continue }
      views.append(completed(view))
    }
    do throws(EventLogError) { try await context.untilDurable() } catch {
      throw error == .failed ? .unavailable : .limitReached("journal")
    }
    return views
  }

  /// With what the options say about it, and its chat.
  private func completed(_ view: CallbackView) -> CallbackView {
    var view = view
    let (current, request) = (options.current, view.request)
    view.chatID = chats.index[view.id]?.chatSessionID
    view.lookupKeys = current.lookupKeys(ofCallback: request.serviceName).all
    let snooze =
      CallbackPolicy(options: current, service: request.serviceName, fields: request.fields).snoozeDuration
    view.snoozeMinutes = Int((snooze.components.seconds + 59) / 60)
    view.cancelItemSnoozes = current.callback(request.serviceName)[CallbackOptions.keys.cancelItem] == .snooze
    return view
  }

  private func known(_ view: CallbackView?) throws(EngineError) -> CallbackView {
    guard let view else { throw .callback(.unknown) }
    return view
  }

  private static func answer(to view: CallbackView) -> CallbackDialog {
    let waits = view.request.terms.waitsForAgent || view.status == .scheduled
    return waits ? .waitForAgent : .connection(view.request.terms)
  }

  /// Digits that no other open callback has: the voice platform finds the callback by them.
  private func accessCode() -> String {
    for _ in 0..<8 {
      let code = identifiers.digits(limits.accessCodeDigits)
      if index.keys("_access_code", code).isEmpty { return code }
    }
    return identifiers.digits(2 * limits.accessCodeDigits)
  }
}
