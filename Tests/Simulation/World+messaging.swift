import Engine
import GCMProtocol
import PushDomain

// What devices with connections of their own and app servers do.
extension World {
  func messagingStep(_ life: Life) {
    switch chance.below(100) {
    case 0..<45: deviceStep(life)
    case 45..<88: appServerStep(life)
    default: connectionStep(life)
    }
  }

  // MARK: Devices

  private func deviceStep(_ life: Life) {
    guard let device = chance.one(of: devices) else { return }
    trace.begin(step, "\(device.description) acts")
    guard let credentials = device.credentials else { return checkIn(device, life) }
    if !tokens.contains(where: { $0.device == device.key }) { return register(device, credentials, life) }
    switch chance.below(100) {
    case 0..<18: register(device, credentials, life)
    case 18..<30: changeTopic(device, credentials, life)
    case 30..<34: unregister(device, credentials, life)
    case 34..<58: if device.wire == nil { device.connect(life) } else { device.acknowledgeSome() }
    case 58..<66: device.disconnect()
    case 66..<76: device.setIdle(!(device.wire?.isIdle ?? true))
    case 76..<92: sendUpstream(device, credentials, life)
    case 92..<96: device.connect(life)
    case 96..<98: checkIn(device, life)
    case 98: knock(device, credentials, life)
    default:
      trace.note("\(device.description) is never seen again")
      device.vanish()
      devices.removeAll { $0 === device }
      addDevice()
    }
  }

  private func checkIn(_ device: SimulatedDevice, _ life: Life) {
    guard !device.isAsking else { return }
    device.isAsking = true
    let known = device.credentials
    ask("check-in", in: life) {
      try await $0.installations.checkIn(known)
    } then: { [self] result in
      device.isAsking = false
      switch result {
      case .success(let credentials):
        if let known, known != credentials {
          violated(.honestAnswers, "\(device.description) is another after check-in")
        }
        device.credentials = credentials
        if reference.installations[String(credentials.id.androidID)]?.isKnown != true {
          violated(.nothingAcknowledgedIsLost, "\(device.description) has checked in and is not in the journal")
        }
      case .failure(InstallationFailure.unauthenticated): deny(device)
      case .failure: break
      }
    }
  }

  /// Somebody else with a device's id is not let in.
  private func knock(_ device: SimulatedDevice, _ credentials: InstallationCredentials, _ life: Life) {
    let wrong = InstallationCredentials(id: credentials.id, securityToken: credentials.securityToken &+ 1)
    ask("a stranger", in: life) {
      try await $0.installations.checkIn(wrong)
    } then: { [self] result in
      if case .success = result { violated(.honestAnswers, "a stranger is let in as \(device.description)") }
    }
  }

  /// A device is not known any more: only if it was erased, or is just being erased.
  func deny(_ device: SimulatedDevice) {
    guard let key = device.key else { return }
    if reference.installations[key]?.isKnown == true, !device.isBeingForgotten {
      violated(.nothingAcknowledgedIsLost, "\(device.description) is not known any more")
    }
    device.isForgotten()
  }

  private func register(_ device: SimulatedDevice, _ credentials: InstallationCredentials, _ life: Life) {
    let app = SimulatedServices.apps[chance.below(SimulatedServices.apps.count)]
    let some = SimulatedServices.senders.filter { _ in chance.comes(45) }
    let senders = some.isEmpty ? [SimulatedServices.senders[0]] : some
    var form = RegistrationForm(app: app, senders: senders, platform: "ANDROID")
    if chance.comes(20) { form.instanceID = "abcdefghij\(chance.below(2))" }
    let wanted = form
    // What ends meanwhile may be this one.
    let (wasAlone, begun) = (device.endings == 0, device.endingsBegun)
    ask("register", in: life) {
      try await $0.installations.register(wanted, credentials)
    } then: { [self] result in
      switch result {
      case .success(let text):
        guard let token = GivenToken(text, app: app, senders: Set(senders)), token.device == device.key else {
          return violated(.honestAnswers, "a token that cannot be read")
        }
        let found = reference.installations[token.device]?.live[token.number]
        if found?.app != app || found?.senders != token.senders, wasAlone, device.endingsBegun == begun {
          violated(.nothingAcknowledgedIsLost, "the registration \(token.scope) is not in the journal")
        }
        if !tokens.contains(where: { $0.text == text }) { tokens.append(token) }
      case .failure(InstallationFailure.unauthenticated): deny(device)
      case .failure: break
      }
    }
  }

  private func unregister(_ device: SimulatedDevice, _ credentials: InstallationCredentials, _ life: Life) {
    guard let token = chance.one(of: tokens.filter { $0.device == device.key }) else { return }
    let senders = chance.comes(50) ? [] : [token.senders.sorted()[0]]
    device.endings += 1
    device.endingsBegun += 1
    ask("unregister", in: life) {
      try await $0.installations.unregister(app: token.app, subtype: nil, senders: senders, credentials)
    } then: { result in
      if case .success = result { device.endings -= 1 }
    }
  }

  private func changeTopic(_ device: SimulatedDevice, _ credentials: InstallationCredentials, _ life: Life) {
    guard let token = chance.one(of: tokens.filter { $0.device == device.key }) else { return }
    let topic = SimulatedServices.topics[chance.below(SimulatedServices.topics.count)]
    let (joins, sender) = (chance.comes(75), token.senders.sorted()[0])
    // Another request may change it meanwhile.
    let (wasAlone, begun) = (openRequests.isEmpty, requestsBegun + 1)
    if chance.comes(60) {
      ask(joins ? "join \(topic)" : "leave \(topic)", in: life) {
        try await $0.installations.subscribe(token.text, to: topic, on: joins, credentials)
      } then: { [self] result in
        guard wasAlone, requestsBegun == begun else { return }
        if case .success = result { checkTopic(topic, of: token, token.senders.sorted()[0], joins) }
      }
    } else {
      ask(joins ? "is joined to \(topic)" : "is taken from \(topic)", in: life) {
        try await $0.installations.setTopic(topic, of: token.text, sender: sender, on: joins)
      } then: { _ in
      }
    }
  }

  private func checkTopic(_ topic: String, of token: GivenToken, _ sender: String, _ joins: Bool) {
    guard let found = reference.installations[token.device]?.live[token.number] else { return }
    if found.topics.contains(SenderTopic(sender: sender, name: topic)) != joins {
      violated(.nothingAcknowledgedIsLost, "\(token.scope) and \(topic): the journal has it otherwise")
    }
  }

  private func sendUpstream(_ device: SimulatedDevice, _ credentials: InstallationCredentials, _ life: Life) {
    guard let token = chance.one(of: tokens.filter { $0.device == device.key }) else { return }
    let sender = token.senders.sorted()[0]
    // The numbers of two devices are the same now and then.
    if chance.comes(80) || device.upstreamNumber == 0 { device.upstreamNumber += 1 }
    let seconds = chance.comes(15) ? 0 : chance.comes(20) ? chance.number(in: 5...60) : 86_400
    let message = UpstreamMessage(
      id: "up-\(device.upstreamNumber)", category: token.app, pairs: [MailPair("n", "\(device.upstreamNumber)")],
      timeToLive: seconds)
    let recipient = chance.comes(50) ? "\(sender)@gcm.googleapis.com" : sender
    counts.upstream += 1
    ask("upstream \(message.id)", in: life) {
      await $0.messaging.send(message, to: recipient, from: credentials.id)
    } then: { [self] result in
      guard case .success(let outcome) = result else { return }
      switch outcome {
      case .accepted: checkUpstream(message, sender, token)
      case .refused("SENDER_ID_MISMATCH"), .refused("QUOTA_EXCEEDED"): break
      case .refused(let reason): violated(.honestAnswers, "upstream \(message.id) is refused: \(reason)")
      case .unavailable:
        if !life.mayRefuse { violated(.honestAnswers, "upstream \(message.id) is not taken now") }
      }
    }
  }

  private func checkUpstream(_ message: UpstreamMessage, _ sender: String, _ token: GivenToken) {
    let came = reference.mailboxes["ccs-\(sender)"]?.came ?? []
    let isThere = came.contains { $0.id == message.id && $0.scope.hasPrefix(token.device + "/") }
    if message.timeToLive > 60, !isThere {
      violated(.nothingAcknowledgedIsLost, "upstream \(message.id) was taken and is not in the journal")
    }
  }

  // MARK: App servers' connections

  private func connectionStep(_ life: Life) {
    guard let server = chance.one(of: appServers) else { return }
    trace.begin(step, "an app server of \(server.sender) acts")
    switch chance.below(10) {
    case 0..<5: if server.wires.count < 2 { server.connect(life) } else { server.acknowledgeSome() }
    case 5..<7: server.disconnect()
    default: server.acknowledgeSome()
    }
  }
}
