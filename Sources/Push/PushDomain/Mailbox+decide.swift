internal import EventSourcing

// The rules. Spec: GCM A3, A7, F3-F8.
extension Mailbox {
  func store(_ mail: Mail, for receiver: MailReceiver, _ limits: MailLimits, _ now: Timestamp) -> [PushEvent] {
    guard !knows(mail, at: now) else { return [] }
    var mail = mail
    if let twin = messages.first(where: { $0.id == mail.id }) {
      // A device counts for itself: two of them may use the same id. The same message again is none.
      guard twin.scope != mail.scope else { return [] }
      mail = mail.named(mail.idBesideTwin)
      guard !contains(mail.id) else { return [] }
    }
    guard mail.expiry > now else { return [] }
    // Spec: GCM F6. What has come since the receiver was there counts for itself again.
    if !notices.isEmpty, let notice = notices[mail.flow], !notice.isOpen, !receiver.takes(mail),
      !messages.contains(where: { $0.isOfSameFlow(as: mail) })
    {
      return [.mailNoticed(mail.withoutContent, count: 1, isOpen: false)]
    }
    var room = MailRoom(self, limits)
    room.end(.expired) { $0.expiry <= now }
    if let key = mail.collapseKey {
      room.end(.collapsed) { $0.isOfSameFlow(as: mail) && $0.collapseKey?.isNamed(key) == true }
      let keyed = room.kept.filter { $0.collapseKey != nil && $0.isOfSameFlow(as: mail) }
      let evicted = Set(keyed.dropLast(max(0, limits.collapseKeysMaximum - 1)).map(\.id))
      room.end(.evicted) { evicted.contains($0.id) }
    }
    switch limits.overflow {
    case .refuses:
      return room.has(roomFor: mail) ? room.events + [.mailStored(mail)] : []
    case .dropsFlow where receiver == .active && !confirms:
      room.letGo(for: mail)
      return room.events + [.mailStored(mail)]
    case .dropsFlow:
      let isStored = room.drop(for: mail, isConnected: receiver == .active)
      return room.events + (isStored ? [.mailStored(mail)] : [])
    }
  }

  /// What the receiver says that it has: over its connection, or (`isLive` false) of an earlier one when it logs in.
  func acknowledge(_ ids: [String], isLive: Bool) -> [PushEvent] {
    let ids = Set(ids)
    let events = Self.ended(pending.filter { ids.contains($0.id) }, .acknowledged)
    return isLive && !confirms && !events.isEmpty ? events + [.receiverConfirms] : events
  }

  func expire(_ now: Timestamp) -> [PushEvent] { Self.ended(pending.filter { $0.expiry <= now }, .expired) }

  func endScope(_ scope: String) -> [PushEvent] { Self.ended(pending.filter { $0.scope == scope }, .unregistered) }

  /// One event for each registration: none is to be found in a record about another, which may be erased.
  static func ended(_ mails: some Sequence<Mail>, _ ending: MailEnding) -> [PushEvent] {
    var scopes: [String] = []
    let byScope = mails.reduce(into: [String: [EndedMail]]()) { all, mail in
      if all[mail.scope] == nil { scopes.append(mail.scope) }
      all[mail.scope, default: []].append(EndedMail(mail))
    }
    return scopes.map { .mailEnded(byScope[$0] ?? [], ending) }
  }

  // MARK: Evolve

  mutating func stored(_ mail: Mail) { messages.append(mail) }

  mutating func ended(_ mails: [EndedMail], _ ending: MailEnding, at time: Timestamp) {
    #if CARILLON_CANARIES
      // Forgets to take the first one out, as long as it is not the only one.
      let mails = Canary.sings(.acknowledgedMailReturns) && messages.count > 1 ? Array(mails.dropFirst()) : mails
    #endif
    let ids = Set(mails.map(\.id))
    if ending != .expired { remember(messages.lazy.filter { ids.contains($0.id) }, at: time) }
    messages.removeAll { ids.contains($0.id) }
    for mail in mails where notices[mail.flow]?.mail.id == mail.id { notices[mail.flow] = nil }
  }

  /// As the first version dropped: all of the scope, whoever it was from, under one notice that keeps its id.
  mutating func dropped(_ last: Mail, count: Int) {
    messages.removeAll { $0.scope == last.scope }
    let key = notices.filter { $0.value.last.scope == last.scope }.keys.min() ?? last.flow
    var notice = notices[key] ?? MailNotice(last, count: 0)
    notice.count = Self.sum(notice.count, count)
    notices[key] = notice
  }

  mutating func noticed(_ last: Mail, count: Int, isOpen: Bool, at time: Timestamp) {
    if !isOpen, !last.isStandIn { remember(counted: last, at: time) }
    let sum = Self.sum(notices[last.flow]?.count ?? 0, count)
    notices[last.flow] = MailNotice(last, count: sum, isOpen: isOpen)
  }

  /// A record from elsewhere may say any number, and many of them.
  private static func sum(_ first: Int, _ second: Int) -> Int {
    min(min(first, Int(Int32.max)) + min(second, Int(Int32.max)), Int(Int32.max))
  }

  mutating func erase(_ scopes: Set<String>) {
    recent.forget(scopes)
    messages.removeAll { scopes.contains($0.scope) }
    notices = notices.filter { !scopes.contains($0.value.last.scope) }
  }
}
