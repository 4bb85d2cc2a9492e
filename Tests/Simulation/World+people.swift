import Bayeux
import ChatDomain
import Engine
import EventSourcing

// What customers and agents do.
extension World {
  func customerStep(_ life: Life) {
    guard let customer = chance.one(of: customers) else { return }
    guard let book = customer.books.last, book.stage != .over else {
      if customer.books.count >= 2 || customer.comet.mustState || chance.comes(30) { return replace(customer) }
      return create(for: customer, in: life)
    }
    trace.begin(step, "\(customer.comet.description) acts")
    if customer.comet.isFrozen {
      if chance.comes(25) { customer.comet.thaw() }
      return
    }
    switch book.stage {
    case .created: return start(book, of: customer, in: life)
    case .creating, .starting, .over: return act(customer)
    case .started: break
    }
    guard let serviceID = book.serviceID, chance.comes(45) else { return act(customer) }
    let caller = ChatCaller.customer(userKey: customer.userKey)
    switch chance.below(100) {
    case 0..<55: send(book, serviceID, by: caller, in: life)
    case 55..<65:
      let starts = chance.comes(50)
      ask("typing", in: life) {
        try await $0.chats.typing(serviceID, started: starts, preview: "…", by: caller)
      } then: { _ in
      }
    case 65..<90: refresh(book, serviceID, by: caller, in: life)
    case 90..<94:
      let data = [NameValuePair("k\(chance.below(3))", "v\(chance.below(9))")]
      ask("data", in: life) {
        try await $0.chats.updateData(serviceID, data, by: caller)
      } then: { _ in
      }
    case 94..<96:
      ask("leave", in: life) {
        try await $0.chats.disconnect(serviceID, by: caller)
      } then: { result in
        if case .success = result { book.stage = .over }
      }
    default: act(customer)
    }
  }

  /// Another customer comes, the old one is not heard of again.
  private func replace(_ customer: Customer) {
    trace.begin(step, "\(customer.comet.description) goes for good")
    customer.comet.abandon()
    customers.removeAll { $0 === customer }
    addCustomer()
  }

  /// The Comet half of the app.
  private func act(_ customer: Customer) {
    let comet = customer.comet
    switch chance.below(100) {
    case 0..<68: comet.proceed()
    case 68..<76: comet.vanish()
    case 76..<80: comet.abandon()
    case 80..<86:
      // What it says is true or too little, never too much.
      let has = customer.books.last?.has ?? 0
      let position: Int? =
        chance.comes(60) || comet.mustState ? has : chance.comes(50) ? chance.below(has + 1) : nil
      // Who does not say what it has must have got what was written.
      if position == nil { while !comet.inFlight.isEmpty { comet.arrive() } }
      comet.disconnect(position: position)
    case 86..<90: comet.repeatConnect()
    case 90..<92: comet.unsubscribe()
    case 92..<94: comet.publish()
    case 94..<95: comet.lose()
    case 95..<96: comet.freeze()
    case 96..<97: comet.shakeHands()
    case 97..<98: comet.loseAfterTheWrite()
    default: comet.transport = comet.transport == .longPolling ? .webSocket : .longPolling
    }
  }

  private func text(_ author: String) -> String {
    textNumber += 1
    return "\(author) says \(textNumber)"
  }

  private func create(for customer: Customer, in life: Life) {
    let name = SimulatedServices.names[chance.below(SimulatedServices.names.count)]
    let book = ChatBook(
      world: self, number: customer.books.count + 1, serviceName: name, notifiesByComet: chance.comes(85))
    trace.begin(step, "\(customer.comet.description) asks for a chat of \(name)")
    customer.books.append(book)
    ask("create", in: life) {
      try await $0.chats.create(service: name, data: [])
    } then: { [self] result in
      guard case .success(let serviceID) = result else { return book.stage = .over }
      book.serviceID = serviceID
      book.stage = .created
      enter(book, as: serviceID)
      if reference.chats[serviceID] == nil {
        violated(.nothingAcknowledgedIsLost, "\(serviceID) is not in the journal")
      }
    }
  }

  private func start(_ book: ChatBook, of customer: Customer, in life: Life) {
    guard let serviceID = book.serviceID else { return }
    book.stage = .starting
    let first = chance.comes(40) ? text(customer.userKey) : nil
    let target = customer.deviceID.map { PushTarget(type: SimulatedServices.pushType, deviceID: $0) }
    let request = ChatStartRequest(
      userKey: customer.userKey, notifiesByComet: book.notifiesByComet, nickname: customer.userKey, subject: "Order",
      firstMessage: first, pushTarget: target)
    ask("start", in: life) {
      try await $0.chats.start(serviceID, request)
    } then: { [self] result in
      switch result {
      case .success(let reply):
        book.stage = .started
        seen(reply, after: 0)
        book.learns(start: reply.position)
        if let first { acknowledge(first, in: serviceID) }
      case .failure(EngineError.refused(let refusal)):
        book.stage = refusal as? ChatRejection == .alreadyStarted ? .started : .over
      case .failure: book.stage = .created
      }
    }
  }

  private func send(_ book: ChatBook, _ serviceID: String, by caller: ChatCaller, in life: Life) {
    let text = text("customer")
    ask("send \(textNumber)", in: life) {
      try await $0.chats.send(serviceID, text: text, by: caller)
    } then: { [self] result in
      switch result {
      case .success(let reply):
        seen(reply, after: nil)
        acknowledge(text, in: serviceID)
      case .failure(EngineError.refused(let rejection as ChatRejection)): note(rejection, book)
      case .failure: break
      }
    }
  }

  private func refresh(_ book: ChatBook, _ serviceID: String, by caller: ChatCaller, in life: Life) {
    let position = chance.comes(70) ? book.has : chance.comes(50) ? 0 : nil
    let message = chance.comes(20) ? text("customer") : nil
    ask("refresh", in: life) {
      try await $0.chats.refresh(serviceID, after: position, message: message, by: caller)
    } then: { [self] result in
      switch result {
      case .success(let reply):
        seen(reply, after: position)
        if let position {
          book.refreshed(after: position, upTo: reply.position)
          if position == 0 { book.learns(start: reply.position) }
        }
        if let message, reply.state != .disconnected { acknowledge(message, in: serviceID) }
        if reply.state == .disconnected, chance.comes(30) { book.stage = .over }
      case .failure(EngineError.refused(let rejection as ChatRejection)): note(rejection, book)
      case .failure: break
      }
    }
  }

  private func note(_ rejection: ChatRejection, _ book: ChatBook) {
    guard let serviceID = book.serviceID else { return }
    switch rejection {
    case .unknownService:
      // Of an erased one nobody knows any more whose it is.
      let chat = reference.chats[serviceID]
      if chat?.isExpired != true, chat?.isErased != true {
        violated(.nothingAcknowledgedIsLost, "\(serviceID) is unknown")
      }
      book.stage = .over
    case .ended: if chance.comes(50) { book.stage = .over }
    default: break
    }
  }

  // MARK: Agents

  func agentStep(_ life: Life) {
    guard let agent = chance.one(of: agents) else { return }
    trace.begin(step, "\(agent.id) acts")
    if !agent.isListening, chance.comes(50) { return agent.listen(in: life) }
    if agent.isListening, chance.comes(3) { return agent.stopListening() }
    let started = customers.compactMap { $0.books.last?.serviceID }.filter { reference.chats[$0]?.isStarted == true }
    guard let serviceID = chance.one(of: started), let chatID = reference.chats[serviceID]?.chatSessionID else {
      return
    }
    let id = agent.id
    switch chance.below(100) {
    case 0..<25:
      let nickname = agent.nickname
      ask("join", in: life) {
        try await $0.agents.join(chatID, agentID: id, nickname: nickname, role: .agent)
      } then: { _ in
      }
    case 25..<72:
      let text = text(id)
      ask("say \(textNumber)", in: life) {
        try await $0.agents.send(chatID, agentID: id, text: text)
      } then: { [self] result in
        guard case .success(let position) = result else { return }
        acknowledge(text, in: serviceID)
        if let position, reference.chats[serviceID]?.line(at: position)?.text != text {
          violated(.transcriptAsJournalled, "\(text) was not line \(position) of \(serviceID)")
        }
      }
    case 72..<80:
      let starts = chance.comes(50)
      ask("agent types", in: life) {
        try await $0.agents.typing(chatID, agentID: id, started: starts)
      } then: { _ in
      }
    case 80..<86:
      ask("agent leaves", in: life) {
        try await $0.agents.leave(chatID, agentID: id)
      } then: { _ in
      }
    case 86..<88:
      ask("agent closes", in: life) {
        try await $0.agents.close(chatID, agentID: id)
      } then: { _ in
      }
    case 88..<92:
      let isReady = chance.comes(50)
      ask("ready", in: life) {
        try await $0.agents.setReady(AgentViewer(id: id), isReady)
      } then: { _ in
      }
    case 92..<96:
      ask("list", in: life) {
        try await $0.agents.list(AgentListQuery(.all), for: .overseer)
      } then: { _ in
      }
    default:
      ask("transcript", in: life) {
        try await $0.agents.transcript(chatID, after: 0, for: .overseer)
      } then: { [self] result in
        guard case .success(let transcript) = result else { return }
        for line in transcript.lines {
          guard let position = line.position else { continue }
          seen(position: position, ChatView.Line(line.content), of: serviceID, by: id)
        }
      }
    }
  }
}
