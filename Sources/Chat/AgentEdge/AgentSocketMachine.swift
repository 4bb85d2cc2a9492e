import ChatAPI
import HTTPKit
import HTTPTypes

/// What an agent's socket does, without one: messages in, messages and what is to be done out.
///
///     anonymous ──token──> open ──server stops──> leaving ──all answered──┐
///         └── no token in time, close, violation, token revoked ──────────┴─> closing ──client's close, or time──> ended
///
/// Times are milliseconds of one clock.
struct AgentSocketMachine {
  private enum Phase: Equatable {
    /// Nobody has shown a token yet.
    case anonymous(until: Int64)
    case open, leaving
    case closing(until: Int64)
    case ended
  }

  private let limits: AgentSocketLimits
  private let pingAfter: Int64
  private let closeTimeout: Int64
  /// What may be done, and whether in a chat.
  private let acts: [String: Bool]
  private var phase = Phase.anonymous(until: .max)
  private var queue: AgentRequestQueue
  private var memory: AgentRequestMemory
  private var lastHeard: Int64 = 0
  private var awaitsPong = false

  /// - Parameter acts: what may be done, by its word, and whether in a chat.
  init(acts: [String: Bool], _ limits: AgentSocketLimits, of sockets: EdgeLimits) {
    self.acts = acts
    self.limits = limits
    pingAfter = sockets.webSocketPingInterval.milliseconds
    closeTimeout = sockets.webSocketCloseTimeout.milliseconds
    queue = AgentRequestQueue(maximum: limits.requestsMaximum)
    memory = AgentRequestMemory(keptMaximum: limits.answersKeptMaximum)
  }

  /// Whether events may be written.
  var takesEvents: Bool { phase == .open || phase == .leaving }
  /// Whether the client's next words are to be read.
  var takesInput: Bool { phase != .open || !queue.isFull }
  /// Our close frame is out: only the client's is of interest.
  var isClosing: Bool { if case .closing = phase { true } else { false } }
  var isEnded: Bool { phase == .ended }

  /// The client has said something, whatever it was.
  mutating func heard(now: Int64) {
    lastHeard = now
    awaitsPong = false
  }

  mutating func received(_ input: AgentSocketInput, now: Int64) -> [AgentSocketAction] {
    guard phase != .ended else { return [] }
    switch input {
    case .opened(let isKnown):
      lastHeard = now
      phase = isKnown ? .open : .anonymous(until: now + limits.loginTimeout.milliseconds)
      return isKnown ? [.follow] : []
    case .text(let text): return read(text, now)
    case .admitted(let request):
      phase = .open
      return [.follow] + add(request)
    case .refused(let request, let failure):
      return [.write(AgentSocketMessage.refusal(request.id, failure))] + close(.policyViolation, now)
    case .answered(let id, let result): return answer(id, result, now)
    case .eventsEnded: return phase == .open ? close(.goingAway, now) : []
    case .checked(let isGood): return check(isGood, now)
    case .peerCloses: return peerCloses()
    case .violated(let closing): return close(closing, now)
    case .serverStops: return leave(now)
    case .ended:
      phase = .ended
      return []
    }
  }

  // MARK: Requests

  private mutating func read(_ text: [UInt8], _ now: Int64) -> [AgentSocketAction] {
    guard !isClosing else { return [] }
    do throws(AgentSocketRequest.Flaw) {
      let request = try AgentSocketRequest(text, idBytesMaximum: limits.idBytesMaximum)
      if case .anonymous = phase {
        guard request.word == Self.login else { throw AgentSocketRequest.Flaw(id: request.id, failure: .tokenRequired) }
        return [.logIn(request)]
      }
      if let failure = self.failure(of: request) { throw AgentSocketRequest.Flaw(id: request.id, failure: failure) }
      return add(request)
    } catch {
      guard String(validating: text, as: UTF8.self) != nil else { return close(.invalidText, now) }
      return [.write(AgentSocketMessage.refusal(error.id, error.failure))]
    }
  }

  private static let login = "login"

  private func failure(of request: AgentSocketRequest) -> EdgeFailure? {
    guard phase == .open else { return .unavailable("The server is not ready") }
    guard let isInChat = acts[request.word] else {
      return .badParameter("do", "is not one of \(acts.keys.sorted().joined(separator: ", "))")
    }
    return isInChat && request.chat.isEmpty ? .missingParameter("chat") : nil
  }

  private mutating func add(_ request: AgentSocketRequest) -> [AgentSocketAction] {
    queue.add(request)
    return goOn()
  }

  /// Begins what may be begun.
  private mutating func goOn() -> [AgentSocketAction] {
    var actions: [AgentSocketAction] = []
    while let request = queue.next() {
      switch memory.find(request) {
      case .unknown:
        memory.begin(request)
        actions.append(.perform(request))
      case .answered(let answer):
        queue.end(in: request.chat)
        actions.append(.write(AgentSocketMessage.answer(request.id, answer)))
      case .other:
        queue.end(in: request.chat)
        actions.append(.write(AgentSocketMessage.refusal(request.id, .idOfAnother)))
      }
    }
    return actions
  }

  private mutating func answer(
    _ id: String, _ result: Result<[UInt8], EdgeFailure>, _ now: Int64
  ) -> [AgentSocketAction] {
    guard let chat = memory.end(id, answer: try? result.get()) else { return [] }
    queue.end(in: chat)
    guard takesEvents else { return [] }
    switch result {
    case .success(let answer):
      return [.write(AgentSocketMessage.answer(id, answer))] + goOn() + closeIfLeft(now)
    case .failure(let failure):
      let refusal = [AgentSocketAction.write(AgentSocketMessage.refusal(id, failure))]
      guard failure.status != .unauthorized else { return refusal + close(.policyViolation, now) }
      return refusal + goOn() + closeIfLeft(now)
    }
  }

  // MARK: The end

  private mutating func check(_ isGood: Bool, _ now: Int64) -> [AgentSocketAction] {
    switch phase {
    case .anonymous(let until): return now < until ? [] : refuse(now)
    case .open, .leaving: return isGood ? listen(now) : refuse(now)
    case .closing(let until): return now < until ? [] : cut()
    case .ended: return []
    }
  }

  /// There is no token that is good.
  private mutating func refuse(_ now: Int64) -> [AgentSocketAction] {
    [.write(AgentSocketMessage.refusal(nil, .tokenRequired))] + close(.policyViolation, now)
  }

  /// A client that is not read from is not silent.
  private mutating func listen(_ now: Int64) -> [AgentSocketAction] {
    if !takesInput { heard(now: now) }
    guard now - lastHeard >= pingAfter else { return [] }
    guard awaitsPong else {
      awaitsPong = true
      return [.ping]
    }
    return now - lastHeard >= 2 * pingAfter ? cut() : []
  }

  private mutating func leave(_ now: Int64) -> [AgentSocketAction] {
    guard phase == .open else { return close(.goingAway, now) }
    phase = .leaving
    let refusals = queue.giveUp().map { request in
      AgentSocketAction.write(AgentSocketMessage.refusal(request.id, .unavailable("The server is not ready")))
    }
    return refusals + closeIfLeft(now)
  }

  private mutating func closeIfLeft(_ now: Int64) -> [AgentSocketAction] {
    phase == .leaving && queue.isEmpty ? close(.goingAway, now) : []
  }

  private mutating func close(_ closing: AgentSocketClosing, _ now: Int64) -> [AgentSocketAction] {
    guard !isClosing else { return [] }
    phase = .closing(until: now + closeTimeout)
    return [.close(closing)]
  }

  private mutating func peerCloses() -> [AgentSocketAction] {
    guard !isClosing else { return cut() }
    phase = .ended
    return [.answerClose]
  }

  private mutating func cut() -> [AgentSocketAction] {
    phase = .ended
    return [.cut]
  }
}

extension EdgeFailure {
  fileprivate static let idOfAnother = EdgeFailure(
    .conflict, "Another request of this connection has this id", exception: "RepeatedIDException")
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
