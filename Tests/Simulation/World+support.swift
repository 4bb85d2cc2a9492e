import Engine
import EventSourcing
import PushDomain
import SupportDomain

// End users with requests, their phones, and the agents who answer.
extension World {
  /// Requests that are worked on at a time.
  private static let openRequestsMaximum = 8
  /// Addresses that phones have; some phones have more than one owner.
  private static let addresses = (1...6).map { "address-\($0)" }

  var options: Options { SimulatedServices.options(integrations, reports: reportsSupport) }

  func addSupport() {
    for app in SimulatedServices.supportApps {
      integrations[app] = chance.one(of: SupportIntegration.allCases)
      reference.support.configure(app, integrations[app], epoch: 0)
    }
    supportPeople = (1...5).map { number in
      let isVerified = number > 3
      return SupportPerson(world: self, number: number, app: isVerified ? "shop" : "mobile", isVerified: isVerified)
    }
  }

  func supportStep(_ life: Life) {
    switch chance.below(100) {
    case 0..<62:
      guard let person = chance.one(of: supportPeople) else { return }
      guard let token = person.token, chance.comes(94) else { return signIn(person, life) }
      guard let actor = life.engine.support.endUser(bearing: token) else { return check(token, of: person) }
      personStep(person, actor, token, life)
    case 62..<94: agentAnswers(life)
    default: operatorStep(life)
    }
  }

  private func personStep(_ person: SupportPerson, _ actor: SupportActor, _ token: String, _ life: Life) {
    switch chance.below(100) {
    case 0..<26: register(person, actor, life)
    case 26..<34: unregister(person, actor, life)
    case 34..<52: write(person, actor, life)
    case 52..<64: comment(person, actor, life)
    case 64..<88: useStream(person, token, life)
    default: look(person, actor, life)
    }
  }

  // MARK: Who they are

  private func signIn(_ person: SupportPerson, _ life: Life) {
    guard !person.isAsking else { return }
    trace.begin(step, "\(person.description) signs in")
    person.isAsking = true
    let (app, guid, external) = (person.app, person.guid, person.externalID)
    if !person.isVerified, chance.comes(12) { person.name = "Name \(chance.below(3))" }
    let name = person.name
    let repeats = chance.comes(20) ? chance.one(of: person.shownIDs) : nil
    let tokenID = repeats ?? "jti-\(person.number)-\(person.shownIDs.count)"
    if person.isVerified, repeats == nil { person.shownIDs.append(tokenID) }
    if let user = person.user { reference.support.touch(String(user), epoch: epoch) }
    let isVerified = person.isVerified
    ask("sign in", in: life) { engine in
      isVerified
        ? try await engine.support.signIn(
          externalID: external, name: "Kim", email: "\(external)@shop.example", tokenID: tokenID, app: app)
        : try await engine.support.signIn(anonymous: guid, name: name, email: nil, app: app)
    } then: { [self] result in
      person.isAsking = false
      switch result {
      case .success(let secret):
        guard let user = life.engine.support.endUser(bearing: secret)?.number else {
          return violated(.nothingAcknowledgedIsLost, "a fresh access token opens nothing")
        }
        person.signedIn(secret, as: user, generation: reference.support.users[String(user)]?.generation ?? 0)
      case .failure(SupportFailure.replayed):
        let isKnown = reference.support.users.values.contains { $0.hasUsed(tokenID) }
        if !isKnown { violated(.honestAnswers, "\(tokenID) was never used") }
      case .failure: break
      }
    }
  }

  /// A token that opens nothing: only another identity ends it.
  private func check(_ token: String, of person: SupportPerson) {
    // One that is being given another identity is told so once that is durable, and may be somebody else before.
    guard let user = person.user, !person.isAsking else { return }
    learn()
    if reference.support.users[String(user)]?.generation == person.generation {
      violated(.nothingAcknowledgedIsLost, "the access token of \(person.description) opens nothing")
    }
    person.signedOut()
  }

  // MARK: Their phones

  private func register(_ person: SupportPerson, _ actor: SupportActor, _ life: Life) {
    let address = Self.addresses[chance.below(Self.addresses.count)]
    let isChannel = chance.comes(integrations[person.app] == .airship ? 70 : 15)
    let (type, language) = (address.hashed % 2 == 0 ? "android" : "iphone", chance.comes(30) ? "de_DE" : "en-us")
    trace.begin(step, "\(person.description) registers \(address)\(isChannel ? ", a channel" : "")")
    for name in [address, String(actor.number)] { reference.support.touch(name, epoch: epoch) }
    ask("register", in: life) {
      try await $0.support.registerDevice(
        identifier: address, type: type, locale: language,
        tokenType: isChannel ? "urban_airship_channel_id" : nil, by: actor)
    } then: { [self] result in
      guard case .success(let (view, _)) = result else { return }
      if reference.support.users[String(actor.number)]?.devices[view.device.id]?.key != view.device.key {
        violated(.nothingAcknowledgedIsLost, "device \(view.id) is not in the journal")
      }
    }
  }

  private func unregister(_ person: SupportPerson, _ actor: SupportActor, _ life: Life) {
    let address = chance.comes(70) ? liveAddress(of: actor) : Self.addresses[chance.below(Self.addresses.count)]
    guard let address else { return }
    if chance.comes(30) {
      let others = [address, "<\(address)>", Self.addresses[chance.below(Self.addresses.count)], "never seen"]
      let all = chance.comes(50) ? others.dropLast() : ["<\(address)>"]
      trace.begin(step, "the customer's back end unregisters \(Array(all))")
      for name in others { reference.support.touch(name, epoch: epoch) }
      return ask("bulk unregister", in: life) {
        try await $0.support.unregister(identifiers: Array(all))
      } then: { [self] result in
        guard case .success = result else { return }
        let named = Set(all.map { $0.filter { $0 != "<" && $0 != ">" } })
        for user in reference.support.users.values { haveEnded(named, of: user) }
      }
    }
    trace.begin(step, "\(person.description) unregisters \(address)")
    reference.support.touch(address, epoch: epoch)
    ask("unregister", in: life) {
      try await $0.support.unregisterDevice(identifier: address, by: actor)
    } then: { [self] result in
      guard case .success = result, let user = reference.support.users[String(actor.number)] else { return }
      haveEnded([address], of: user, app: person.app)
    }
  }

  private func liveAddress(of actor: SupportActor) -> String? {
    let live = reference.support.users[String(actor.number)]?.live.sorted { $0.key < $1.key } ?? []
    return chance.one(of: live)?.value.key.identifier
  }

  /// - Parameter app: nil for all.
  private func haveEnded(_ identifiers: Set<String>, of user: SupportUserTrack, app: String? = nil) {
    for device in user.live.values where identifiers.contains(device.key.identifier) {
      // One that was registered meanwhile may live.
      guard app ?? device.app == device.app, device.registered.epoch < epoch, !isDisputed(device.key) else { continue }
      violated(.nothingAcknowledgedIsLost, "\(device.key.identifier) was unregistered and is live")
    }
  }

  /// Registered by two at once, and one has not heard of the other yet.
  private func isDisputed(_ key: SupportDevice.Key) -> Bool { reference.support.disputed.contains(key) }

  // MARK: Their requests

  private func write(_ person: SupportPerson, _ actor: SupportActor, _ life: Life) {
    let open = reference.support.requests.values.count { $0.isOpen }
    guard open < Self.openRequestsMaximum else { return comment(person, actor, life) }
    trace.begin(step, "\(person.description) makes a request")
    textNumber += 1
    var order = SupportRequestOrder()
    order.comment.body = "request says \(textNumber)"
    make(order, by: actor, life)
  }

  private func make(_ order: SupportRequestOrder, by actor: SupportActor, _ life: Life) {
    ask("make a request", in: life) {
      try await $0.support.create(order, by: actor)
    } then: { [self] result in
      guard case .success(let view) = result else { return }
      counts.requests += 1
      acknowledgedRequests.insert(String(view.number))
      let body = reference.support.requests[String(view.number)]?.comments[1]?.body
      if body != order.comment.body {
        violated(.nothingAcknowledgedIsLost, "request \(view.number) is not in the journal")
      }
    }
  }

  private func comment(_ person: SupportPerson, _ actor: SupportActor, _ life: Life) {
    let own = reference.support.requests.filter { $0.value.requester == String(actor.number) }
    guard let key = chance.one(of: own.keys.sorted()) else { return }
    trace.begin(step, "\(person.description) comments on request \(key)")
    var update = SupportUpdate()
    if chance.comes(85) { update.comment = text("requester") }
    if chance.comes(10) { update.status = .solved }
    change(key, update, by: actor, life)
  }

  private func text(_ author: String) -> SupportCommentOrder {
    textNumber += 1
    var order = SupportCommentOrder()
    order.body = "\(author) says \(textNumber)"
    return order
  }

  private func change(_ key: String, _ update: SupportUpdate, by actor: SupportActor, _ life: Life) {
    ask("change", in: life) {
      try await $0.support.update(Int64(key) ?? 0, update, by: actor)
    } then: { [self] result in
      switch result {
      case .success(let view):
        shown(view, to: actor)
        guard let body = update.comment?.body else { return }
        counts.comments += 1
        let found = reference.support.requests[key]?.comments.values.count { $0.body == body } ?? 0
        if found != 1 { violated(.nothingAcknowledgedIsLost, "\(body) is \(found) times in the journal") }
      case .failure(SupportFailure.notFound):
        if reference.support.requests[key]?.isErased == false {
          violated(.nothingAcknowledgedIsLost, "request \(key) is unknown")
        }
      case .failure(SupportFailure.request(.closed)):
        if reference.support.requests[key]?.status != .closed {
          violated(.honestAnswers, "request \(key) is not closed")
        }
      case .failure: break
      }
    }
  }

  private func agentAnswers(_ life: Life) {
    let names = ["Ann", "Ben"]
    let name = names[chance.below(names.count)]
    let open = reference.support.requests.filter { $0.value.isOpen }.keys.sorted()
    var update = SupportUpdate()
    if chance.comes(80) { update.comment = text(name) }
    if chance.comes(22) { update.comment?.isPublic = false }
    let isLast = chance.comes(4)
    if isLast || chance.comes(20) {
      update.status = isLast ? .closed : chance.one(of: [.open, .pending, .hold, .solved])
    }
    // Rather where somebody looks on.
    let followers = Set(supportPeople.filter(\.stream.isOpen).compactMap { $0.user.map { String($0) } })
    let followed = open.filter { reference.support.requests[$0].map { followers.contains($0.requester) } == true }
    let choice = chance.one(of: chance.comes(50) && !followed.isEmpty ? followed : open)
    let (key, change) = (chance.comes(96) ? choice : nil, update)
    trace.begin(step, "\(name) acts on \(key.map { "request \($0)" } ?? "behalf of somebody")")
    start("agent", in: life) { [self] engine in
      guard let actor = try? await engine.support.agent(named: name), !life.isOver else { return }
      guard let key else {
        var order = SupportRequestOrder()
        order.requesterEmail = "somebody-\(textNumber % 3)@example.org"
        order.comment.body = "by mail \(textNumber)"
        order.status = change.status
        return make(order, by: actor, life)
      }
      self.change(key, change, by: actor, life)
    }
  }

  // MARK: Streams

  private func useStream(_ person: SupportPerson, _ token: String, _ life: Life) {
    guard !life.isStopping else { return }
    guard person.stream.isOpen else {
      trace.begin(step, "\(person.description) opens a stream")
      return person.stream.open(in: life, token: token)
    }
    guard chance.comes(20) else { return }
    trace.begin(step, "\(person.description) closes its stream")
    person.stream.close()
  }

  /// Says that a comment was shown on a phone: mostly at once, sometimes when it is too late, or on somebody else's.
  func acknowledgeShown(by person: SupportPerson) {
    guard person.stream.isOpen, !person.stream.shown.isEmpty, let user = person.user else { return }
    let actor = SupportActor.endUser(number: user, app: person.app)
    let known = chance.comes(90) ? liveAddress(of: actor) : nil
    person.stream.acknowledge(
      chance.below(person.stream.shown.count), on: known ?? Self.addresses[chance.below(Self.addresses.count)])
  }

  // MARK: Operators

  private func operatorStep(_ life: Life) {
    guard let app = chance.one(of: SimulatedServices.supportApps) else { return }
    if chance.comes(35) {
      trace.begin(step, "the URL of \(app) is rotated")
      return ask("rotate", in: life) {
        try await $0.support.setWebhook(
          of: app, base: nil, isRandom: true, overlap: .seconds(3_600), by: "operator")
      } then: { [self] result in
        guard case .success(let view) = result, let track = reference.support.apps[app] else { return }
        if track.url == nil {
          violated(.nothingAcknowledgedIsLost, "the URL \(view.maskedURL ?? "") is not in the journal")
        }
      }
    }
    let choices: [SupportIntegration?] = chance.comes(10) ? [nil] : SupportIntegration.allCases
    integrations[app] = chance.one(of: choices) ?? nil
    trace.begin(step, "\(app) uses \(integrations[app]?.name ?? "nothing") from now on")
    learn()
    reference.support.configure(app, integrations[app], epoch: epoch)
    life.engine.options.replace(options)
    start("configured", in: life) { await $0.support.configured() }
  }
}

extension String {
  /// The same in every run.
  fileprivate var hashed: Int { utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } }
}
