import Engine
import EntityRuntime
import PushDomain

// Messages that leave the engine for connections, held against what is durable at that moment.
extension World {
  func handedToDevice(_ mail: Mail, _ wire: DeviceWire) {
    learn()
    counts.deliveries += 1
    let device = wire.device
    trace.note("to \(device.description): message \(mail.id)")
    guard let name = device.mailbox else { return }
    if wire.isClosed || !wire.isReady {
      violated(.deadSessionsGetNothing, "message \(mail.id) goes to a connection that is over")
    }
    if wire.isIdle, !mail.isNowOrNever, mail.priority == .normal || mail.waitsWhileIdle {
      violated(.mailWaitsForTheAwake, "message \(mail.id) goes to an idle device")
    }
    if mail.isNowOrNever {
      if reference.mailboxes[name]?.known[mail.id] != nil {
        violated(.mailIsKept, "message \(mail.id) is now or never, and in the journal")
      }
      return
    }
    if wire.received.contains(mail.id), !wire.life.hasBeenFull {
      violated(.mailOnce, "message \(mail.id) comes to a device that has said that it has it")
    }
    if let count = mail.noticeCount { return checkNotice(mail, count, in: name) }
    check(mail, in: name)
  }

  func handedToAppServer(_ mail: Mail, _ wire: AppServerWire) {
    learn()
    let server = wire.server
    trace.note("to \(server.sender): message \(mail.id)")
    if wire.isClosed { violated(.deadSessionsGetNothing, "message \(mail.id) goes to a connection that is over") }
    if wire.pendingCount >= SimulatedServices.appServerPendingMaximum {
      violated(.mailIsBounded, "\(server.sender) has \(wire.pendingCount) messages to acknowledge and gets one more")
    }
    if let other = server.wires.first(where: { $0.pending.contains(mail.id) }), !mail.isNowOrNever {
      violated(.mailOnce, "message \(mail.id) is given out and \(other === wire ? "here" : "elsewhere") already")
    }
    if mail.isNowOrNever { server.passing.insert(mail.id) } else { check(mail, in: server.mailbox) }
  }

  private func check(_ mail: Mail, in name: String) {
    guard let (durable, position) = reference.mailboxes[name]?.known[mail.id] else {
      return violated(.nothingVisibleBeforeDurable, "message \(mail.id) is delivered and not in the journal")
    }
    if durable != mail { violated(.mailIsKept, "message \(mail.id) is not what was stored") }
    checkEnd(mail.id, in: name)
    performedUpTo[performed(name), default: 0] = max(performedUpTo[performed(name)] ?? 0, position)
    reference.handOver(mail.id, from: name)
  }

  /// By what it is told apart how far effects have come.
  private func performed(_ mailbox: String) -> String { placement.count == 1 ? "" : mailbox }

  /// What happens at the same time as a message's end may come out before it, and nothing later.
  private func checkEnd(_ id: String, in name: String) {
    guard let end = reference.mailboxes[name]?.ends[id] else { return }
    if end.epoch < epoch || end.position < performedUpTo[performed(name)] ?? 0 {
      violated(.mailOnce, "message \(id) is delivered after it was \(end.ending?.name ?? "dropped")")
    }
  }

  private func checkNotice(_ mail: Mail, _ count: Int, in name: String) {
    counts.notices += 1
    let notice = reference.mailboxes[name]?.notices[mail.flow]
    if let notice, notice.id == mail.id {
      if !notice.counts.contains(count) {
        violated(.mailIsCounted, "a notice tells of \(count) messages, and there were \(notice.counts)")
      }
    } else {
      checkEnd(mail.id, in: name)
    }
    reference.handOver(mail.id, from: name)
  }

  // MARK: At rest

  /// Who is there has everything; nothing waits for who is gone.
  func checkMail() {
    for device in devices {
      guard let name = device.mailbox, let box = reference.mailboxes[name] else { continue }
      guard let wire = device.wire, wire.isReady, !wire.isClosed else { continue }
      for (id, mail) in box.owed where !wire.seen.contains(id) {
        let isDue = mail.map { !wire.isIdle || ($0.priority == .high && !$0.waitsWhileIdle) } ?? !wire.isIdle
        if isDue { violated(.catchUpComplete, "\(device.description) is there and has not got message \(id)") }
      }
    }
    for server in appServers where !server.wires.isEmpty {
      let given = Set(server.wires.flatMap(\.pending))
      let hasRoom = server.wires.contains { $0.pendingCount < SimulatedServices.appServerPendingMaximum }
      for mail in reference.mailboxes[server.mailbox]?.waiting ?? []
      where hasRoom && !given.contains(mail.id) && !server.passing.contains(mail.id) {
        violated(.catchUpComplete, "\(server.sender) is there and has not got message \(mail.id)")
      }
    }
    for (key, box) in reference.mailboxes where box.isOfDevice {
      let installation = reference.installations[String(key.dropFirst(4))]
      for mail in box.waiting {
        let number = mail.scope.firstIndex(of: "/").flatMap { Int(mail.scope[$0...].dropFirst()) }
        if number.map({ installation?.live[$0] == nil }) ?? true {
          violated(.mailIsKept, "message \(mail.id) waits for \(mail.scope), which has ended")
        }
      }
    }
    for (id, broadcast) in reference.broadcasts where !broadcast.isFinished {
      violated(.broadcastReachesAll, "the broadcast \(id) does not end")
    }
  }

  /// Everybody was there, and has acknowledged everything.
  func checkFetched() {
    for device in devices {
      guard let name = device.mailbox, let box = reference.mailboxes[name] else { continue }
      if let (id, _) = box.owed.first {
        violated(.catchUpComplete, "\(device.description) has acknowledged everything and message \(id) waits")
      }
    }
    for server in appServers {
      if let mail = reference.mailboxes[server.mailbox]?.waiting.first {
        violated(.catchUpComplete, "\(server.sender) has acknowledged everything and message \(mail.id) waits")
      }
    }
  }
}

extension Mail {
  /// Nil for what is no notice.
  fileprivate var noticeCount: Int? {
    guard pairs.contains(MailPair("message_type", "deleted_messages")) else { return nil }
    return pairs.last { $0.key == "total_deleted" }.flatMap { Int($0.value) }
  }
}
