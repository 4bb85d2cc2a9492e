import Engine
import Journal
import JournalFormat
import SimulatedDisk

// Processes end and begin.
extension World {
  /// Asked at each moment of each call to the disk: follows what becomes durable, and strikes where a crash is armed.
  func diskMoment(_ call: StorageCall, _ moment: StorageMoment) {
    guard let life, !life.isOver else { return }
    if Self.isJournalWrite(call) {
      switch moment {
      case .before:
        learn()
        isInsideWrite = true
      case .after:
        isInsideWrite = false
        mirror.noteWrite()
      case .half, .written: break
      }
    }
    // Before files are put in each other's places.
    if moment == .before, call.operation == .rename, !isInsideWrite { learn() }
    guard var crash = armedCrash, call.operation == .write || call.operation == .rename else { return }
    crash.moments -= 1
    armedCrash = crash
    guard crash.moments <= 0 else { return }
    armedCrash = nil
    if !isInsideWrite { learn() }
    trace.note("the process dies at \(call.name), \(moment)\(crash.losesPower ? ", with the power" : "")")
    survivor = crash.losesPower ? life.disk.powerLoss(seed: chance.next()) : life.disk.crash()
    life.isOver = true
    isInsideWrite = false
  }

  /// A file keeps the name that it was opened by: most frames are written to what was the next segment once.
  static func isJournalWrite(_ call: StorageCall) -> Bool {
    call.name == "segment.write" || call.name == "preallocating.write"
  }

  func crashNow(losesPower: Bool) {
    trace.begin(step, losesPower ? "the power fails" : "the process is killed")
    learn()
    survivor = losesPower ? disk.powerLoss(seed: chance.next()) : disk.crash()
    recoverFromDeath()
  }

  /// The process is dead, or its journal has failed, which is the same.
  func recoverFromDeath() {
    if survivor == nil {
      learn()
      survivor = chance.comes(50) ? disk.crash() : disk.powerLoss(seed: chance.next())
    }
    counts.crashes += 1
    if let life { bury(life) }
    if let survivor { disk = survivor }
    survivor = nil
    restart()
  }

  func stopGracefully() {
    guard let life else { return }
    trace.begin(step, "the server stops")
    learn()
    life.isStopping = true
    start("stop", in: life) { engine in
      await engine.stop(grace: .seconds(1))
      life.hasStopped = true
    }
    for _ in 0..<120 where !life.hasStopped && survivor == nil {
      SeededExecutor.run()
      commit()
      for customer in customers where !customer.comet.inFlight.isEmpty { customer.comet.arrive() }
      time.advance(milliseconds: 20)
      life.engine.tick()
    }
    SeededExecutor.run()
    if !life.hasStopped, survivor == nil, life.failure == nil, disk.capacity == .max {
      violated(.everyRequestAnswered, "a graceful stop does not end")
    }
    counts.restarts += 1
    if survivor == nil {
      learn()
      // After a clean end not even the power is needed.
      survivor = life.hasStopped && life.failure == nil ? disk.powerLoss(seed: chance.next()) : disk.crash()
    }
    bury(life)
    if let survivor { disk = survivor }
    survivor = nil
    restart()
  }

  /// Lets an old process unwind on a disk that nobody will see, so that nothing of it stays in memory.
  func bury(_ life: Life) {
    life.isOver = true
    isInsideWrite = false
    openRequests = [:]
    life.disk.set(hook: nil)
    life.disk.set(fault: nil)
    life.disk.capacity = .max
    life.answerAll()
    if !life.hasStopped {
      Task.detached {
        await life.engine.stop(grace: .zero)
        life.hasStopped = true
      }
    }
    for _ in 0..<100 where !(life.hasStopped && life.isRunOver) {
      SeededExecutor.run()
      if life.failure == nil, life.engine.journalNeedsStep { life.engine.stepJournal() }
    }
    SeededExecutor.run()
    for customer in customers {
      customer.comet.serverDied()
      for book in customer.books {
        switch book.stage {
        case .creating: book.stage = .over
        case .starting: book.stage = .created
        case .created, .started, .over: break
        }
      }
    }
    for book in callbackBooks where book.id == nil { book.isOver = true }
    for agent in agents { agent.serverDied() }
    for device in devices { device.serverDied() }
    for server in appServers { server.serverDied() }
    for person in supportPeople { person.serverDied() }
  }

  /// Starts a process on the disk as it is, and holds what it finds against what was certain.
  func restart() {
    for _ in 0..<8 where violation == nil {
      compareJournals()
      lifeCount += 1
      epoch += 1
      performedUpTo = [:]
      let life = Life(number: lifeCount, disk: disk, world: self)
      self.life = life
      life.hasBeenFull = disk.capacity != .max
      disk.set { [unowned self] call, moment in diskMoment(call, moment) }
      begin(life)
      if survivor != nil {
        recoverFromDeath()
        return
      }
      switch life.recovery {
      case .success(let summary):
        trace.note("recovered \(summary.records) records, \(summary.chats) chats, \(summary.cometSessions) sessions")
        return
      case .failure(let error):
        violated(by: error, .journalIsSound)
      case nil:
        violated(.journalIsSound, "recovery does not end")
      }
    }
  }

  private func begin(_ life: Life) {
    Task.detached {
      await life.engine.run()
      life.isRunOver = true
    }
    Task.detached {
      do { life.recovery = .success(try await life.engine.recover()) } catch { life.recovery = .failure(error) }
    }
    for _ in 0..<200 where life.recovery == nil && survivor == nil {
      SeededExecutor.run()
      if life.failure != nil { return }
      commit()
    }
    if survivor == nil { life.isReady = true }
  }

  /// What was durable before is durable still, to the last byte.
  private func compareJournals() {
    let found = JournalMirrors(directories: placement.journalDirectories(below: Self.dataDirectory))
    do {
      try mirror.succeeded(by: found, on: disk)
      mirror = found
      // Nobody knows when these were written.
      try take(from: try found.catchUp(on: disk, epoch: epoch), clockSettings: -1, life: lifeCount)
    } catch {
      violated(by: error, .journalIsSound)
    }
  }
}
