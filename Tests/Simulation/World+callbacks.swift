import CallbackDomain
import ChatDomain
import Engine
import EventSourcing
import PushDomain

/// What a customer knows of one callback.
///
/// Safe to share: the whole simulation is one thread.
final class CallbackBook: @unchecked Sendable {
  let userKey: String
  let deviceID: String?
  var id: String?
  var isOver = false

  init(userKey: String, deviceID: String?) {
    self.userKey = userKey
    self.deviceID = deviceID
  }
}

// Who orders callbacks, and who serves them.
extension World {
  /// Callbacks that are worked on at a time.
  private static let openCallbacksMaximum = 10
  /// Integrations: they take what they like, and never wait to be chosen.
  private static let walkers = ["walker-1", "walker-2"]

  func callbackStep(_ life: Life) {
    switch chance.below(100) {
    case 0..<55: orderOrChange(life)
    case 55..<92: serve(life)
    default: talk(life)
    }
  }

  // MARK: Customers

  private func orderOrChange(_ life: Life) {
    callbackBooks.removeAll { $0.isOver || $0.id.map { reference.callbacks[$0]?.isForgotten == true } == true }
    guard callbackBooks.count >= Self.openCallbacksMaximum || chance.comes(55),
      let book = chance.one(of: callbackBooks), let id = book.id
    else { return callbackBooks.count < Self.openCallbacksMaximum ? order(life) : () }
    trace.begin(step, "the customer of \(id.prefix(8)) acts")
    switch chance.below(100) {
    case 0..<25:
      ask("connect", in: life) {
        try await $0.callbacks.connect(id)
      } then: { _ in
      }
    case 25..<45:
      ask("snooze", in: life) {
        try await $0.callbacks.snooze(id)
      } then: { _ in
      }
    case 45..<60: cancel(id, book, life)
    case 60..<85: move(id, life)
    case 85..<92:
      ask("look", in: life) {
        try await $0.callbacks.view(id)
      } then: { [self] result in
        judge(id, result.map { _ in })
        // What is told is durable.
        guard case .success(let view) = result, view.status == .completed else { return }
        if reference.callbacks[id]?.isOpen == true {
          violated(.nothingVisibleBeforeDurable, "\(id) is said to be over")
        }
      }
    default:
      ask("position", in: life) {
        try await $0.callbacks.queuePosition(id)
      } then: { _ in
      }
    }
  }

  private func order(_ life: Life) {
    guard let customer = chance.one(of: customers) else { return }
    let book = CallbackBook(userKey: customer.userKey, deviceID: customer.deviceID)
    let service = SimulatedServices.callbackNames[chance.below(SimulatedServices.callbackNames.count)]
    var fields = [NameValuePair("_customer_number", "555\(customer.number)")]
    func flag(_ name: String, _ percent: Int) {
      fields.append(NameValuePair(name, chance.comes(percent) ? "true" : "false"))
    }
    flag("_wait_for_agent", 80)
    flag("_wait_for_user_confirm", 50)
    flag("_provide_code", 30)
    fields.append(NameValuePair("_call_direction", chance.comes(50) ? "USERORIGINATED" : "USERTERMINATED"))
    fields.append(NameValuePair("_media_type", chance.comes(60) ? "voice" : "chat"))
    if let device = customer.deviceID {
      fields.append(NameValuePair("_device_os", SimulatedServices.pushType))
      fields.append(NameValuePair("_device_notification_id", device))
    }
    if chance.comes(50) { fields.append(NameValuePair("_desired_time", someTime().iso8601)) }
    trace.begin(step, "\(customer.userKey) orders a callback of \(service)")
    callbackBooks.append(book)
    let order = CallbackOrder(fields: fields, userKey: customer.userKey)
    ask("order", in: life) {
      try await $0.callbacks.create(service: service, order).view.id
    } then: { [self] result in
      guard case .success(let id) = result else { return book.isOver = true }
      book.id = id
      counts.callbacks += 1
      if reference.callbacks[id] == nil { violated(.nothingAcknowledgedIsLost, "callback \(id) is not in the journal") }
    }
  }

  /// Few different ones, so that slots fill up.
  private func someTime() -> Timestamp {
    let bucket = SimulatedServices.slotSeconds * 1_000
    let base = time.now.milliseconds / bucket * bucket
    return Timestamp(milliseconds: base + bucket * Int64(chance.number(in: 0...3)) + Int64(chance.below(200)) * 1_000)
  }

  private func cancel(_ id: String, _ book: CallbackBook, _ life: Life) {
    ask("cancel", in: life) {
      try await $0.callbacks.cancel(id, note: "changed my mind")
    } then: { [self] result in
      judge(id, result.map { _ in })
      guard case .success = result else { return }
      book.isOver = true
      if reference.callbacks[id]?.isOpen != false {
        violated(.nothingAcknowledgedIsLost, "the cancellation of \(id) is not in the journal")
      }
    }
  }

  private func move(_ id: String, _ life: Life) {
    let field =
      switch chance.below(3) {
      case 0: NameValuePair("subject", "order \(chance.below(5))")
      case 1: NameValuePair("_new_desired_time", "")
      default: NameValuePair("_new_desired_time", someTime().iso8601)
      }
    ask("update", in: life) {
      try await $0.callbacks.update(id, fields: [field])
    } then: { [self] result in
      judge(id, result.map { _ in })
    }
  }

  /// Nobody is told that a callback is unknown that was not let go.
  private func judge(_ id: String, _ result: Result<Void, any Error>) {
    guard case .failure(let error) = result, error as? EngineError == .callback(.unknown),
      let callback = reference.callbacks[id]
    else { return }
    if !callback.isForgotten { violated(.nothingAcknowledgedIsLost, "callback \(id) is unknown") }
  }

  // MARK: Agents

  private func serve(_ life: Life) {
    if chance.comes(30), let agent = chance.one(of: agents) {
      let (id, isReady) = (agent.id, chance.comes(75))
      trace.begin(step, "\(id) is \(isReady ? "" : "not ")ready")
      return ask("ready", in: life) {
        try await $0.agents.setReady(AgentViewer(id: id), isReady)
      } then: { _ in
      }
    }
    let open = reference.callbacks.filter { $0.value.isOpen }.sorted { $0.key < $1.key }
    let held = open.filter { $0.value.hold != nil }
    guard let (id, callback) = chance.one(of: held.isEmpty || chance.comes(15) ? open : held) else { return }
    // Mostly the one whom it is about; sometimes an integration, or an agent who has nothing to say.
    let walker = Self.walkers[chance.below(Self.walkers.count)]
    let isWalker = callback.hold == nil || chance.comes(5)
    let agent = isWalker ? walker : callback.hold?.agentID ?? walker
    let report: CallbackReport =
      switch chance.below(100) {
      case 0..<30: .accepted
      case 30..<60: .connected
      case 60..<78: .ended
      case 78..<84: .failed(.callToCustomerFailed)
      case 84..<90: .available
      default: .released
      }
    trace.begin(step, "\(agent) reports \(report) of \(id.prefix(8))")
    ask("report", in: life) {
      try await $0.callbacks.report(report, of: id, by: agent)
    } then: { [self] result in
      judge(id, result.map { _ in })
      guard case .success = result, report == .ended, let callback = reference.callbacks[id] else { return }
      if callback.isOpen { violated(.nothingAcknowledgedIsLost, "the end of \(id) is not in the journal") }
    }
  }

  // MARK: The chat inside

  private func talk(_ life: Life) {
    let chats = reference.callbacks.filter { $0.value.isChat && $0.value.isOpen && $0.value.status != .scheduled }
    guard let (id, callback) = chance.one(of: chats.sorted { $0.key < $1.key }) else { return }
    guard reference.chats[id]?.isStarted == true else {
      trace.begin(step, "the chat of \(id.prefix(8)) begins")
      let request = ChatStartRequest(userKey: callback.userKey, notifiesByComet: false, nickname: "caller", subject: "")
      return ask("start", in: life) { engine in
        _ = try await engine.chats.start(id, try await engine.callbacks.prepareChat(id, request))
      } then: { _ in
      }
    }
    trace.begin(step, "the chat of \(id.prefix(8)) goes on")
    let userKey = callback.userKey
    guard chance.comes(75), let chatID = reference.chats[id]?.chatSessionID else {
      return ask("leave", in: life) {
        try await $0.chats.disconnect(id, by: .customer(userKey: userKey))
      } then: { _ in
      }
    }
    let agent = callback.hold?.agentID ?? Self.walkers[0]
    ask("join", in: life) {
      try await $0.agents.join(chatID, agentID: agent, nickname: agent, role: .agent)
    } then: { _ in
    }
  }

  // MARK: What holds at rest

  /// Nobody waits while an agent is free, what was to be pushed is in its queue, and each slot is counted right.
  func checkCallbacks(_ life: Life) {
    let busy = Set(reference.callbacks.values.compactMap { $0.isOpen ? $0.hold?.agentID : nil })
    let idle = reference.readyAgents.subtracting(busy)
    for (id, callback) in reference.callbacks.sorted(by: { $0.key < $1.key }) {
      if callback.wantsAgent, let agent = idle.sorted().first {
        return violated(.noCallbackIsStuck, "\(id) waits, and \(agent) is free")
      }
      if let number = callback.owed,
        reference.acceptedBy[PushID(producer: CallbackTrack.producer(id), number: number)] == nil
      {
        return violated(.conservation, "push \(number) of callback \(id) came to no queue")
      }
    }
    guard life.engine.isJournalSettled else { return }
    let end = time.now.advanced(by: .seconds(2 * 3_600))
    for service in SimulatedServices.callbackNames {
      start("slots", in: life) { [self] engine in
        guard
          let free = try? await engine.callbacks.availability(
            service: service, from: nil, to: end, days: nil, slotsMaximum: nil)
        else { return }
        compare(free, of: service, until: end)
      }
    }
    SeededExecutor.run()
  }

  private func compare(_ free: [FreeSlot], of service: String, until end: Timestamp) {
    let taken = reference.slots(of: service)
    let said = Dictionary(uniqueKeysWithValues: free.map { ($0.start, $0.free) })
    let bucket = SimulatedServices.slotSeconds * 1_000
    var start = Timestamp(milliseconds: (time.now.milliseconds + bucket - 1) / bucket * bucket)
    while start < end, violation == nil {
      let left = SimulatedServices.slotCapacity - (taken[start] ?? 0)
      if said[start] ?? 0 != left {
        violated(
          .slotsHold, "the slot \(start) of \(service) is said to have room for \(said[start] ?? 0), not \(left)")
      }
      start = start.advanced(by: .seconds(SimulatedServices.slotSeconds))
    }
  }

  /// Time enough has gone by: no deadline is left behind.
  func checkCallbacksDue(after over: Timestamp) {
    for (id, callback) in reference.callbacks where !callback.isForgotten {
      if let late = callback.deadlines.first(where: { $0.value < over }) {
        violated(.timersFireInTime, "\(late.key) of callback \(id) at \(late.value) never passes")
      }
    }
  }
}

extension CallbackTrack {
  /// As queues name whose pushes they are.
  static func producer(_ id: String) -> String { "callback/\(id)" }
}
