import Engine
import EventSourcing
import GCMProtocol
import PushDomain

// What app servers send.
extension World {
  func appServerStep(_ life: Life) {
    let sender = SimulatedServices.senders[chance.below(SimulatedServices.senders.count)]
    trace.begin(step, "\(sender) sends")
    if chance.comes(8) { return changeGroups(of: sender, life) }
    guard let target = target(of: sender) else { return }
    var request = DownstreamRequest(target: target)
    textNumber += 1
    request.data = [MailPair("n", "\(textNumber)")]
    if chance.comes(45) { request.collapseKey = "k\(chance.below(6))" }
    if chance.comes(10) { request.notification = [MailPair("title", "t\(textNumber)")] }
    if chance.comes(50) { request.priority = chance.comes(50) ? .high : .normal }
    request.delayWhileIdle = chance.comes(10)
    if chance.comes(12) {
      request.timeToLive = 0
    } else if chance.comes(20) {
      request.timeToLive = chance.number(in: 5...60)
    }
    if chance.comes(20) {
      request.messageID = "m\(textNumber)"
      request.wantsReceipt = true
    }
    if chance.comes(8), case .recipient(let token) = target { flood(&request, token) }
    let (sent, settings, began) = (request, time.settings, time.now)
    ask("send \(textNumber)", in: life) {
      try await $0.messaging.send(sent, sender: sender)
    } then: { [self] result in
      guard case .success(let answer) = result else { return }
      // What had so little time may be over before it is stored.
      let mayBeOver =
        time.settings != settings || time.now.milliseconds - began.milliseconds >= Int64(sent.timeToLive) * 1_000
      check(answer, to: sent, mayBeOver: mayBeOver, in: life)
    }
  }

  /// So many to one registration that they cannot all be stored.
  private func flood(_ request: inout DownstreamRequest, _ token: String) {
    request.target = .tokens(Array(repeating: token, count: chance.number(in: 40...130)))
    if chance.comes(80) { request.collapseKey = nil }
  }

  private func target(of sender: String) -> DownstreamTarget? {
    switch chance.below(100) {
    case 0..<62:
      let own = tokens.filter { $0.senders.contains(sender) }
      // Mostly one of a device that is still there.
      let present = own.filter { token in devices.contains { $0.key == token.device } }
      return chance.one(of: present.isEmpty || chance.comes(10) ? own : present).map { .recipient($0.text) }
    case 62..<70:
      let some = tokens.filter { _ in chance.comes(30) }.map(\.text)
      return some.isEmpty ? nil : .tokens(some)
    case 70..<84: return .topic(SimulatedServices.topics[chance.below(SimulatedServices.topics.count)])
    case 84..<92:
      let text = ["'dogs' in topics && !('cats' in topics)", "'cats' in topics || 'birds' in topics"]
      return (try? TopicCondition(parsing: text[chance.below(2)])).map { .condition($0) }
    default: return chance.one(of: groups.filter { $0.sender == sender }).map { .recipient($0.key) }
    }
  }

  private func changeGroups(of sender: String, _ life: Life) {
    let members = tokens.filter { $0.senders.contains(sender) && chance.comes(40) }.map(\.text)
    let name = "group-\(chance.below(2))"
    if let group = groups.first(where: { $0.sender == sender && $0.name == name }), chance.comes(70) {
      let leaves = chance.comes(50)
      return ask("change \(name)", in: life) {
        try await $0.messaging.changeGroup(
          group.key, name: name, add: leaves ? [] : members, remove: leaves ? members : [], sender: sender)
      } then: { [self] result in
        if case .success(let key) = result, key != group.key { violated(.honestAnswers, "a group's key changes") }
      }
    }
    ask("make \(name)", in: life) {
      try await $0.messaging.createGroup(name, tokens: members, sender: sender)
    } then: { [self] result in
      guard case .success(let key) = result else { return }
      groups.removeAll { $0.sender == sender && $0.name == name }
      groups.append(GivenGroup(key: key, name: name, sender: sender))
      let known = reference.states.state(DeviceGroup.self, EntityID(.deviceGroup, "\(sender) \(name)"))?.key
      if known != key, openRequests.count <= 1 {
        violated(.nothingAcknowledgedIsLost, "\(name) was made and is not in the journal")
      }
    }
  }

  // MARK: What is answered

  private func check(_ answer: DownstreamAnswer, to request: DownstreamRequest, mayBeOver: Bool, in life: Life) {
    switch answer {
    case .topic(.success(let number)):
      counts.broadcasts += 1
      let digits = String(number, radix: 16)
      let ending = String(repeating: "0", count: 16 - digits.count) + digits
      if request.timeToLive > 0, !reference.broadcasts.keys.contains(where: { $0.hasSuffix(ending) }) {
        violated(.nothingAcknowledgedIsLost, "a broadcast was accepted and is not in the journal")
      }
    case .topic(.failure(let error)):
      violated(.honestAnswers, "a broadcast is refused: \(error)")
    case .group: break
    case .targets(let results):
      let tokens: [String]
      switch request.target {
      case .recipient(let token): tokens = [token]
      case .tokens(let all): tokens = all
      case .topic, .condition: tokens = []
      }
      for (token, result) in zip(tokens, results) { check(result, token, request, mayBeOver: mayBeOver, in: life) }
    }
  }

  private func check(
    _ result: TargetResult, _ text: String, _ request: DownstreamRequest, mayBeOver: Bool, in life: Life
  ) {
    guard let token = tokens.first(where: { $0.text == text }) else { return }
    switch result {
    case .accepted(let id, _):
      counts.mails += 1
      let box = reference.mailboxes["gcm-\(token.device)"]
      let isThere = box?.known[id] != nil || box?.dropped.contains(id) == true
      if !isThere, request.timeToLive > 0, !mayBeOver {
        violated(.nothingAcknowledgedIsLost, "message \(id) was accepted and is not in the journal")
      }
    case .failed(.notRegistered), .failed(.invalidRegistration):
      let device = devices.first { $0.key == token.device }
      if let installation = reference.installations[token.device], installation.live[token.number] != nil,
        device?.endings == 0
      {
        violated(.honestAnswers, "\(token.scope) is said to be not registered")
      }
    case .failed(.mismatchSenderID): break
    case .failed(.unavailable):
      if !life.mayRefuse { violated(.honestAnswers, "\(token.scope) is said to be unavailable") }
    case .failed(let error): violated(.honestAnswers, "a message to \(token.scope) is refused: \(error)")
    }
  }
}
