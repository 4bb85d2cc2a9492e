import CallbackDomain
import ChatDomain
import Engine
import EntityRuntime
import EventSourcing
import Journal
import PushDomain
import SimulatedDisk

// What holds when everything that was under way has come to its end.
extension World {
  /// Lets everything happen that can happen without time going by.
  func settle() {
    for _ in 0..<200 {
      SeededExecutor.run()
      guard let life, life.failure == nil, survivor == nil else { return }
      var isBusy = false
      // Also when nothing waits: this is how the journal learns that the disk has room again.
      if SeededExecutor.isIdle { commit() }
      if life.engine.journalNeedsStep {
        commit()
        isBusy = disk.capacity == .max
      }
      for customer in customers {
        while !customer.comet.inFlight.isEmpty {
          customer.comet.arrive()
          isBusy = true
        }
      }
      for person in supportPeople where person.stream.arrive() { isBusy = true }
      if !isBusy, SeededExecutor.isIdle { return }
    }
    violated(.everyRequestAnswered, "there is no end to what happens")
  }

  /// What holds after each step.
  func checkNow() { learn() }

  /// Neither a full disk nor its consequences are in the way.
  private var hasRoom: Bool {
    disk.capacity == .max && (lastFullness == 0 || time.monotonicMilliseconds - lastFullness > 12_000)
  }

  func checkAtRest() {
    learn()
    guard let life, life.failure == nil, survivor == nil, violation == nil, hasRoom else { return }
    if !openRequests.isEmpty {
      violated(.everyRequestAnswered, "without an answer: \(openRequests.values.sorted())")
    }
    if SeededExecutor.isIdle { epoch += 1 }
    checkMail()
    checkOrdered(life)
    for customer in customers {
      if let wire = customer.comet.wires.first(where: { !$0.isClosed && !$0.awaits.subtracting(["connect"]).isEmpty }) {
        violated(.everyRequestAnswered, "\(customer.comet.description) waits for \(wire.awaits.sorted())")
      }
      if customer.comet.isOnline { checkComplete(customer) }
    }
    checkCallbacks(life)
    checkSupport(life)
    checkHeld(life)
    compareStates(life)
  }

  /// What a queue was handed has come to it, whatever came before. With a process goes what was not durable yet.
  private func checkOrdered(_ life: Life) {
    for (id, number) in ordered where number == life.number && reference.acceptedBy[id] == nil {
      violated(.conservation, "push \(id.number) of \(id.producer) came to no queue")
    }
    ordered = [:]
  }

  private func checkComplete(_ customer: Customer) {
    for book in customer.books where book.knowsStart && book.notifiesByComet {
      guard let serviceID = book.serviceID, let chat = reference.chats[serviceID], !chat.isExpired, !chat.isErased
      else { continue }
      if book.has < chat.lines.count {
        violated(
          .catchUpComplete,
          "\(customer.comet.description) is there and has \(book.has) of \(chat.lines.count) lines of \(serviceID)")
      }
    }
  }

  /// Sessions keep the requests and sockets that there are, and no other.
  private func checkHeld(_ life: Life) {
    guard violation == nil else { return }
    start("exchanges", in: life) { [self] engine in
      let counts = await engine.exchangeCounts()
      guard !life.isOver else { return }
      for (clientID, count) in counts {
        let customer = customers.first { $0.comet.clientID == clientID }?.comet
        // Followers of support requests have a socket each.
        let person = supportPeople.contains { $0.stream.holds(clientID) } ? 1 : 0
        let open = customer?.wires.filter { !$0.isClosed }.count ?? person
        if count > open {
          violated(.nothingHeldForTheGone, "session \(clientID.prefix(4)) keeps \(count) exchanges, \(open) are open")
        }
      }
    }
    SeededExecutor.run()
  }

  /// The states that live and sleep are those that a replay from the first record gives.
  private func compareStates(_ life: Life) {
    guard life.engine.isJournalSettled, violation == nil else { return }
    start("states", in: life) { [self] engine in
      do { compare(try await engine.capturedStates()) } catch {
        violated(by: error, .replayGivesTheSame)
      }
    }
    SeededExecutor.run()
  }

  private func compare(_ live: [EntityID: CapturedState]) {
    let replayed = reference.states.bytes
    for (id, one) in replayed {
      guard let other = live[id] else { return violated(.replayGivesTheSame, "\(id) does not live") }
      if one.sequence != other.sequence {
        return violated(.replayGivesTheSame, "\(id) has come to \(other.sequence), the journal to \(one.sequence)")
      }
      let isSame = one.state == other.image.state || (id.kind == .cometSession && isSame(one.state, other.image.state))
      if !isSame { return violated(.replayGivesTheSame, "\(id) is not what its records say") }
    }
    for (id, one) in live where replayed[id] == nil && one.sequence > 0 {
      return violated(.replayGivesTheSame, "\(id) lives and is not in the journal")
    }
  }

  /// Two records of a Comet session, whatever has been confirmed since the last of its events.
  private func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard let one = try? CometRecord(stateBytes: one), let other = try? CometRecord(stateBytes: other) else {
      return false
    }
    return one.confirmingAll == other.confirmingAll
  }

  // MARK: The end of all things

  /// Everybody comes back and has everything; then all leave, and what is owed falls due.
  func comeToRest() {
    isHonest = true
    armedCrash = nil
    disk.set(fault: nil)
    disk.capacity = .max
    if life?.failure != nil || survivor != nil { recoverFromDeath() }
    life?.answerAll()
    settle()
    rest(milliseconds: 15_000, times: 2)
    comeBack()
    guard violation == nil else { return }
    crashNow(losesPower: true)
    settle()
    checkAtRest()
    comeBack()
    guard violation == nil else { return }
    for customer in customers { customer.comet.vanish() }
    for agent in agents { agent.stopListening() }
    for device in devices { device.vanish() }
    for server in appServers { server.vanish() }
    for person in supportPeople { person.stream.close() }
    rest(milliseconds: 15_000, times: 20)
    rest(milliseconds: 300_000, times: 8)
    if time.settings == 0 {
      checkDue()
      // One that slept is woken in one step, and acts in the next.
      checkCallbacksDue(after: time.now.advanced(by: .seconds(-660)))
    }
    // What came to its end before the clock was set back is kept by the time that it was then.
    rest(milliseconds: 3_600_000, times: 30 + Int(time.millisecondsBehind / 3_600_000))
    checkDue()
    checkOver()
  }

  private func rest(milliseconds: Int64, times: Int) {
    for _ in 0..<times where violation == nil {
      advance(milliseconds)
      life?.answerAll()
      settle()
    }
    checkAtRest()
  }

  private func comeBack() {
    comeOnline()
    // As long as a connect is held.
    for _ in 0..<3 where violation == nil && customers.contains(where: \.comet.mayBeHeld) {
      advance(9_000)
      life?.answerAll()
      comeOnline()
    }
    checkAtRest()
    checkFetched()
    guard violation == nil else { return }
    for customer in customers {
      guard customer.comet.isOnline else {
        return violated(.everyRequestAnswered, "\(customer.comet.description) cannot come online")
      }
      checkComplete(customer)
    }
  }

  private func comeOnline() {
    for _ in 0..<12 where violation == nil {
      for customer in customers where !customer.comet.isOnline {
        customer.comet.thaw()
        customer.comet.proceed()
      }
      if let life {
        for device in devices { device.fetchAll(life) }
        for server in appServers { server.fetchAll(life) }
      }
      settle()
    }
  }

  /// Time enough has gone by: nothing is owed any more.
  private func checkDue() {
    learn()
    for (id, chat) in reference.chats {
      if let delay = chat.delay, !chat.isExpired {
        violated(.timersFireInTime, "the push delay of \(id) until \(delay.deadline) never ends")
      }
      for number in chat.requested
      where !chat.isErased && reference.acceptedBy[PushID(producer: id, number: number)] == nil {
        violated(.conservation, "push \(number) of \(id) came to no queue")
      }
    }
    checkSupportDue()
    for (key, box) in reference.mailboxes {
      // The wall clock may have been set by some hours.
      let over = time.now.advanced(by: .seconds(-86_400))
      for mail in box.waiting where mail.expiry < over {
        violated(.timersFireInTime, "message \(mail.id) waits in \(key) after its time")
      }
    }
    for (key, queue) in reference.queues {
      if let entry = queue.waiting.values.first {
        violated(.timersFireInTime, "push \(entry.message.number) waits in \(key) for ever")
      }
      guard queue.waiting.isEmpty else { continue }
      let accepted = reference.acceptedBy.filter { $0.value == key }
      for id in accepted.keys where queue.outcomes[id] == nil {
        violated(.conservation, "push \(id.number) of \(id.producer) has no outcome")
      }
    }
  }

  private func checkOver() {
    for (id, chat) in reference.chats {
      if chat.isExpired {
        counts.expiredChats += 1
      } else {
        violated(.timersFireInTime, "\(id) outlives its time")
      }
    }
    for (id, callback) in reference.callbacks where !callback.isForgotten {
      violated(.timersFireInTime, "callback \(id) outlives its time: \(callback.status.name)")
    }
    do {
      for directory in placement.journalDirectories(below: Self.dataDirectory) {
        _ = try JournalReader(directory: directory, storage: disk).verify()
      }
    } catch {
      violated(by: error, .journalIsSound)
    }
  }
}
