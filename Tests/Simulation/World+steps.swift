import ChatDomain
import Engine
import EntityRuntime
import EventSourcing
import Journal
import PushDomain
import SimulatedDisk
import SystemPackage
import Transparency

// What happens next.
extension World {
  func takeStep() {
    guard let life, life.failure == nil, survivor == nil else {
      trace.begin(step, "the process has died")
      recoverFromDeath()
      return
    }
    switch chance.below(1_000) {
    case 0..<730 where chance.comes(supportPercent): supportStep(life)
    case 0..<680 where chance.comes(callbackPercent): callbackStep(life)
    case 0..<730 where chance.comes(messagingPercent): messagingStep(life)
    case 0..<500: customerStep(life)
    case 500..<680: agentStep(life)
    case 680..<730: producerStep(life)
    case 730..<870: pass(time: timeToPass())
    case 870..<900:
      trace.begin(step, "providers answer")
      life.answerSome()
    case 900..<925: houseStep(life)
    case 925..<935: crashNow(losesPower: chance.comes(50))
    case 935..<942:
      trace.begin(step, "a crash is coming")
      armedCrash = ArmedCrash(moments: chance.number(in: 1...8), losesPower: chance.comes(50))
    case 942..<946: stopGracefully()
    case 946..<950: failStorage()
    case 950..<958: fillDisk()
    case 958..<964:
      let hours = chance.number(in: -2...2)
      trace.begin(step, "the wall clock is set by \(hours) h")
      time.setWallClock(by: Int64(hours) * 3_600_000)
    default:
      trace.begin(step, "a moment of rest")
      settle()
      checkAtRest()
      return
    }
    churn()
  }

  /// Lets some of what is under way happen, in whatever order.
  private func churn() {
    SeededExecutor.run(atMost: chance.comes(60) ? .max : chance.below(30))
    if chance.comes(60) { commit() }
    SeededExecutor.run(atMost: chance.comes(60) ? .max : chance.below(30))
    for customer in customers where !customer.comet.inFlight.isEmpty {
      if chance.comes(70) {
        customer.comet.arrive()
      } else if chance.comes(20) {
        if chance.comes(50) { customer.comet.lose() } else { customer.comet.loseAfterTheWrite() }
      }
    }
    // An app that does nothing else polls.
    for customer in customers where chance.comes(35) && !customer.books.isEmpty { customer.comet.proceed() }
    for device in devices where chance.comes(30) { device.acknowledgeSome() }
    for server in appServers where chance.comes(30) { server.acknowledgeSome() }
    for person in supportPeople where chance.comes(70) && person.stream.arrive() && chance.comes(70) {
      acknowledgeShown(by: person)
    }
    if chance.comes(50) { commit(confirming: chance.comes(10)) }
    if chance.comes(70) { SeededExecutor.run() }
    consoleStep()
    checkNow()
  }

  func commit(confirming: Bool = false) {
    guard let life, !life.isOver, life.failure == nil else { return }
    // One journal may be slower than another.
    let one = placement.count > 1 && chance.comes(50) ? chance.below(placement.count) : nil
    life.engine.stepJournal(one, confirming: confirming)
  }

  private func timeToPass() -> Int64 {
    switch chance.below(20) {
    case 0..<8: Int64(chance.number(in: 10...900))
    case 8..<14: Int64(chance.number(in: 1_000...12_000))
    case 14..<19: Int64(chance.number(in: 12_000...120_000))
    default: Int64(chance.number(in: 600_000...5_000_000))
    }
  }

  func pass(time milliseconds: Int64) {
    trace.begin(step, "\(milliseconds) ms pass")
    advance(milliseconds)
  }

  func advance(_ milliseconds: Int64) {
    let wasIdle = SeededExecutor.isIdle
    time.advance(milliseconds: milliseconds)
    if !wasIdle { for customer in customers { customer.comet.isNotForgottenYet() } }
    guard let life, !life.isOver else { return }
    life.engine.tick()
    life.answerSome()
    guard chance.comes(70) else { return }
    SeededExecutor.run()
    for customer in customers { customer.comet.noteSilence() }
  }

  // MARK: The house

  private func houseStep(_ life: Life) {
    if redacts, chance.comes(8) {
      redact(life)
    } else if chance.comes(40) {
      trace.begin(step, "a snapshot")
      ask("snapshot", in: life) {
        try await $0.snapshotNow()
      } then: { [self] result in
        if case .success = result { counts.snapshots += 1 }
      }
    } else if chance.comes(30) {
      trace.begin(step, "the tree grows")
      ask("tree", in: life) {
        while try await $0.extendTree().hasMore {}
        return try $0.tree.head()
      } then: { [self] result in
        if case .success(let head) = result { compare(head) }
      }
    } else {
      trace.begin(step, "idle entities go to sleep")
      let sweeps = UInt32(chance.below(2))
      ask("sleep", in: life) {
        await $0.putIdleToSleep(unusedFor: sweeps)
      } then: { [self] result in
        if case .success(let count) = result { counts.sleepers += count }
      }
    }
  }

  private func failStorage() {
    let call = chance.number(in: 1...4)
    trace.begin(step, "write \(call) from now fails")
    disk.set(fault: DiskFault(.fail(.ioError), call: call) { Self.isJournalWrite($0) })
  }

  private func fillDisk() {
    if disk.capacity == .max {
      let room = chance.number(in: 0...80_000)
      trace.begin(step, "the disk is full but for \(room) bytes")
      disk.capacity = disk.usedByteCount + room
      life?.hasBeenFull = true
      lastFullness = time.monotonicMilliseconds
    } else {
      trace.begin(step, "the disk has room again")
      lastFullness = time.monotonicMilliseconds
      disk.capacity = .max
    }
  }

  // MARK: A producer beside the chats

  /// An app server that pushes to devices by itself, with collapse keys and times to live.
  private func producerStep(_ life: Life) {
    let producer = "app-\(chance.below(2))"
    let device = "device-\(chance.below(4))"
    let address = PushAddress(type: SimulatedServices.pushType, deviceID: device)
    if chance.comes(4) {
      let owner = "owner-\(chance.below(2))"
      trace.begin(step, "\(device) registers, of \(owner)")
      return start("register", in: life) { engine in
        _ = try? await engine.devices.register(DeviceRegistration(address: address, owner: owner))
      }
    }
    if chance.comes(3) {
      trace.begin(step, "the operator looks after dead letters")
      let isRetry = chance.comes(60)
      return start("dead letters", in: life) { engine in
        for letter in await engine.couriers.deadLetters(limit: 3) {
          if isRetry {
            try? await engine.couriers.retryDeadLetter(letter.id, of: letter.device)
          } else {
            try? await engine.couriers.dropDeadLetter(letter.id, of: letter.device)
          }
        }
      }
    }
    var limits = PushLimits()
    limits.messagesMaximum = 12
    // What was sent before it may be on its way longer.
    let overtaken = chance.comes(15) ? appPush(of: producer, to: address) : nil
    let message = appPush(of: producer, to: address)
    let key = message.collapseKey ?? "–"
    trace.begin(step, "\(producer) pushes \(message.number) to \(device), key \(key)")
    if let overtaken { trace.note("it overtakes \(overtaken.number), key \(overtaken.collapseKey ?? "–")") }
    let (bounds, repeats) = (limits, chance.comes(15))
    let messages = [message, overtaken, repeats ? message : nil].compactMap(\.self)
    start("order", in: life) { [self] engine in
      for message in messages {
        let isTaken = await engine.order(.enqueue(message, limits: bounds), of: address)
        if isTaken, !life.isOver { ordered[message.id] = life.number }
      }
    }
  }

  private func appPush(of producer: String, to address: PushAddress) -> PushMessage {
    orderNumber += 1
    let key = chance.comes(60) ? "key-\(chance.below(2))" : nil
    let expiry = chance.comes(40) ? time.now.advanced(by: .seconds(chance.number(in: 1...120))) : nil
    return PushMessage(
      producer: producer, number: orderNumber, tag: "app", alert: "", content: Array("{}".utf8), service: "app",
      target: address, attemptsMaximum: chance.number(in: 1...4), expiry: expiry, collapseKey: key,
      priority: chance.comes(50) ? .high : .normal, isNowOrNever: chance.comes(5),
      owner: chance.comes(50) ? "owner-\(chance.below(2))" : nil)
  }
}

extension World {
  /// The engine's tree is that of the leaves that stand in the files, as the pure part of it makes one.
  private func compare(_ head: TreeHead) {
    learn()
    guard let count = Int(exactly: head.size), count <= mirror.leaves.count else { return }
    var growth = TreeGrowth()
    growth.append(Array(mirror.leaves.prefix(count)))
    counts.trees += 1
    if growth.edge.head != head {
      violated(.treeIsOfTheRecords, "of \(count) records it has the root \(head.root)")
    }
  }
}
