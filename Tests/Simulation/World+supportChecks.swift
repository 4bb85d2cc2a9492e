import Engine
import EventSourcing
import JSONEnvelope
import PushDomain
import SupportDomain

// What people, receivers and streams get to see of support requests.
extension World {
  // MARK: Looking

  func look(_ person: SupportPerson, _ actor: SupportActor, _ life: Life) {
    let own = reference.support.requests.filter { $0.value.requester == String(actor.number) && !$0.value.isErased }
    trace.begin(step, "\(person.description) looks")
    guard let key = chance.one(of: own.keys.sorted()), let number = Int64(key), chance.comes(60) else {
      // One that is durable and not answered for yet is found a moment later.
      let least = own.keys.count { acknowledgedRequests.contains($0) }
      return ask("list", in: life) {
        try await $0.support.requests(SupportQuery(), for: actor)
      } then: { [self] result in
        guard case .success(let (views, count)) = result else { return }
        for view in views { shown(view, to: actor) }
        if count < least { violated(.nothingAcknowledgedIsLost, "\(count) requests of \(least)") }
      }
    }
    let least = own[key]?.publicCount ?? 0
    ask("comments", in: life) {
      try await $0.support.comments(of: number, since: nil, role: nil, readOn: nil, for: actor)
    } then: { [self] result in
      guard case .success(let list) = result else { return }
      shown(list.request, to: actor)
      for comment in list.comments {
        let known = reference.support.requests[key]?.comments[comment.number]
        if known?.body != comment.body || known?.isPublic != true {
          violated(
            .nothingVisibleBeforeDurable, "comment \(comment.number) of request \(key) is not the requester's to see")
        }
      }
      if list.comments.count < least {
        violated(.nothingAcknowledgedIsLost, "\(list.comments.count) comments of \(least) of request \(key)")
      }
    }
  }

  /// What anybody is shown of a request is durable, and what agents are shown stays so.
  func shown(_ view: SupportRequestView, to actor: SupportActor) {
    guard let request = reference.support.requests[String(view.number)] else {
      return violated(.nothingVisibleBeforeDurable, "request \(view.number) is shown and not in the journal")
    }
    let most = actor.role == .agent ? request.comments.count : request.publicCount
    if view.commentCount > most || (actor.role == .endUser && String(actor.number) != request.requester) {
      violated(.nothingVisibleBeforeDurable, "request \(view.number) is shown with \(view.commentCount) comments")
    }
    guard actor.role == .agent else { return }
    if let before = shownRequests[view.number], before.version == view.version, before != view {
      violated(.replayGivesTheSame, "request \(view.number) was another one at version \(view.version)")
    }
    if view.version >= shownRequests[view.number]?.version ?? 0 { shownRequests[view.number] = view }
  }

  // MARK: Receivers

  /// Whom a notification goes to, under which id, and what of.
  func checkNotification(_ delivery: PushDelivery) {
    let (message, support) = (delivery.message, reference.support)
    if let before = wireIDs.updateValue(delivery.id, forKey: message.id), before != delivery.id {
      return violated(.toldOnce, "push \(message.number) goes out as \(before) and as \(delivery.id)")
    }
    guard let key = SupportLedger.request(ofProducer: message.producer), let request = support.requests[key] else {
      return violated(.nothingVisibleBeforeDurable, "\(message.producer) owes a notification and is not in the journal")
    }
    switch request.duties[message.number] {
    case .report?:
      if message.target.type != "support-events" { violated(.toldWhoFits, "a report goes to \(message.target.type)") }
    case .notify(let comment, let part)?:
      guard request.isToBeTold(comment) else {
        return violated(.toldWhoFits, "comment \(comment) of request \(key) is not the requester's to hear of")
      }
      counts.told += 1
      check(recipients(of: message, ticket: key), of: part, by: request, message)
    case .keepFiles?, nil:
      violated(.nothingVisibleBeforeDurable, "push \(message.number) of request \(key) is none that it owes")
    }
  }

  private func check(
    _ told: [String], of part: SupportPartDraft, by request: SupportRequestTrack, _ message: PushMessage
  ) {
    let support = reference.support
    var fitting: Set<String> = []
    for id in part.devices {
      guard let device = support.users[request.requester]?.devices[id] else { continue }
      let name = device.key.identifier
      if support.isSteady(id, of: request.requester, epoch), !told.contains(name) {
        violated(.commentIsTold, "\(name) is left out of push \(message.number)")
      }
      // It cannot be recalled any more if it was on its way already.
      let began = support.attempts[message.id] ?? 0
      if device.ended.map({ $0.position >= began }) ?? true { fitting.insert(name) }
      if told.contains(name), time.settings == 0, support.isOthers(id, of: request.requester, before: began) {
        violated(.toldWhoFits, "\(name) has another owner, and gets push \(message.number)")
      }
    }
    if let name = told.first(where: { !fitting.contains($0) }) {
      violated(.toldWhoFits, "\(name) is told by push \(message.number), and was unregistered")
    }
    guard let app = request.app, let track = support.apps[app], message.target.type == "support-webhook",
      track.urlSince < epoch
    else { return }
    if message.target.deviceID != track.url ?? SimulatedServices.webhookURL(of: app) {
      violated(.toldWhoFits, "push \(message.number) goes to a URL that is not \(app)'s any more")
    }
  }

  /// As the receiver reads it: exactly what is agreed on.
  private func recipients(of message: PushMessage, ticket: String) -> [String] {
    switch message.target.type {
    case "support-webhook":
      guard let body = try? JSONValue(parsing: message.content), let devices = body["devices"]?.array, !devices.isEmpty,
        body["notification"]?["ticket_id"]?.string == ticket, body.object?.members.count == 2
      else {
        violated(.honestAnswers, "a webhook cannot be read")
        return []
      }
      return devices.compactMap { $0["identifier"]?.string }
    case "airship":
      return message.target.deviceID.split(separator: ",").compactMap { $0.split(separator: ":").last.map(String.init) }
    default: return [message.target.deviceID]
    }
  }

  // MARK: Streams

  /// A live event is of a request of one's own, and of a public comment of an agent's that is in the journal.
  func check(streamed bytes: [UInt8], to person: SupportPerson?) {
    learn()
    guard let value = try? JSONValue(parsing: bytes), let id = value["data"]?["comment_id"]?.lenientInteger else {
      return
    }
    let (number, comment) = SupportIDs.parts(ofComment: Int64(id))
    guard let request = reference.support.requests[String(number)], let known = request.comments[comment] else {
      return violated(.nothingVisibleBeforeDurable, "comment \(id) is streamed and not in the journal")
    }
    if request.requester != person?.user.map({ String($0) }) || !known.isPublic || known.role != .agent {
      violated(.toldWhoFits, "comment \(id) is streamed to \(person?.description ?? "nobody")")
    }
  }

  /// The server says that it knows what a device has shown.
  func acknowledged(_ comment: Int, of request: Int64, on address: String, by person: SupportPerson?) {
    learn()
    guard let track = reference.support.requests[String(request)], track.waiting[comment] != nil else { return }
    counts.refreshed += 1
    let devices = reference.support.users[track.requester]?.devices ?? [:]
    let known = track.refreshed[comment] ?? []
    if !known.contains(where: { devices[$0]?.key.identifier == address }) {
      violated(
        .nothingAcknowledgedIsLost, "the acknowledgement of comment \(comment) on \(address) is not in the journal")
    }
  }

  // MARK: At rest

  func checkSupport(_ life: Life) {
    let support = reference.support
    if let key = support.disputed.first {
      violated(.oneOwnerEach, "\(key.identifier) has two owners")
    }
    for (key, request) in support.requests {
      for number in request.open.sorted() {
        let id = PushID(producer: SupportLedger.producer(key), number: number)
        if case .keepFiles? = request.duties[number] { continue }
        if reference.acceptedBy[id] == nil {
          violated(.conservation, "duty \(number) of request \(key) came to no queue")
        }
      }
    }
    for person in supportPeople {
      guard let token = person.token, let user = person.user else { continue }
      let isGood = support.users[String(user)]?.generation == person.generation
      if life.engine.support.endUser(bearing: token)?.number != (isGood ? user : nil) {
        violated(.nothingAcknowledgedIsLost, "the access token of \(person.description) opens the wrong door")
      }
    }
    guard life.engine.isJournalSettled, violation == nil else { return }
    let numbers = support.requests.keys.compactMap { Int64($0) }.sorted()
    start("views", in: life) { [self] engine in
      // Nobody who has to be made first: nothing may be under way while states are compared.
      let actor = SupportActor.agent(number: 0)
      guard let views = try? await engine.support.requests(numbers: numbers, for: actor), !life.isOver else { return }
      learn()
      compare(views, numbers, actor)
    }
    SeededExecutor.run()
  }

  private func compare(_ views: [SupportRequestView], _ numbers: [Int64], _ actor: SupportActor) {
    let found = Dictionary(uniqueKeysWithValues: views.map { ($0.number, $0) })
    for number in numbers.prefix(views.isEmpty ? 0 : 100) {
      guard let request = reference.support.requests[String(number)], !request.isErased else { continue }
      guard let view = found[number] else {
        return violated(.nothingAcknowledgedIsLost, "request \(number) is not found")
      }
      shown(view, to: actor)
      if view.commentCount != request.comments.count || view.status != request.status {
        violated(.replayGivesTheSame, "request \(number) is not what its records say")
      }
    }
  }

  /// Time enough has gone by: nobody waits any more, and what was said to be delivered was.
  func checkSupportDue() {
    for (key, request) in reference.support.requests {
      if let comment = request.waiting.keys.min() {
        violated(.timersFireInTime, "comment \(comment) of request \(key) waits for ever")
      }
      for (number, duty) in request.duties {
        guard case .notify(let comment, _) = duty else { continue }
        let id = PushID(producer: SupportLedger.producer(key), number: number)
        guard let queue = reference.acceptedBy[id].flatMap({ reference.queues[$0] }) else { continue }
        if queue.outcomes[id] == .delivered, !takenIn.contains(id) {
          violated(.commentIsTold, "comment \(comment) of request \(key) is said to be delivered, and nobody has it")
        }
      }
    }
  }
}
