internal import EventSourcing

// The rules. Spec: GCM A3, A7, F3-F8.
extension Mailbox {
  func store(_ mail: Mail, for receiver: MailReceiver, _ limits: MailLimits, _ now: Timestamp) -> [PushEvent] {
    var mail = mail
    if let twin = messages.first(where: { $0.id == mail.id }) {
      // A device counts for itself: two of them may use the same id. The same message again is none.
      guard twin.scope != mail.scope else { return [] }
      mail = mail.named(mail.idBesideTwin)
      guard !contains(mail.id) else { return [] }
    }
    guard mail.expiry > now else { return [] }
    // Spec: GCM F6. What has come since the receiver was there counts for itself again.
    if notices[mail.scope] != nil, !receiver.takes(mail), !messages.contains(where: { $0.scope == mail.scope }) {
      return [.mailDropped(mail.withoutContent, count: 1)]
    }
    var events: [PushEvent] = []
    var gone: Set<String> = []
    func end(_ mails: some Sequence<Mail>, _ ending: MailEnding) {
      let fresh = mails.filter { !gone.contains($0.id) }
      guard !fresh.isEmpty else { return }
      gone.formUnion(fresh.map(\.id))
      events += Self.ended(fresh, ending)
    }
    end(messages.filter { $0.expiry <= now }, .expired)
    if let key = mail.collapseKey {
      let keyed = messages.filter { $0.collapseKey != nil && $0.scope == mail.scope && $0.sender == mail.sender }
      let same = keyed.filter { $0.collapseKey == key }
      end(same, .collapsed)
      let others = keyed.filter { $0.collapseKey != key && !gone.contains($0.id) }
      end(others.dropLast(max(0, limits.collapseKeysMaximum - 1)), .evicted)
    }
    let kept = messages.filter { !gone.contains($0.id) }
    let unkeyed = kept.filter { $0.collapseKey == nil && $0.scope == mail.scope }
    let bytes = kept.reduce(mail.contentBytes) { $0 + $1.contentBytes } + noticeBytes
    let isFull =
      (mail.collapseKey == nil && unkeyed.count >= limits.messagesInScopeMaximum) || bytes > limits.contentBytesMaximum
    guard isFull else { return events + [.mailStored(mail)] }
    switch (limits.overflow, receiver) {
    case (.refuses, _): return []
    case (.dropsScope, .active):
      // All of it was written to the connection; the client just does not say that it has it. Spec: GCM D8.6.
      end(superfluous(of: kept, beside: mail, limits), .unconfirmed)
      return events + [.mailStored(mail)]
    case (.dropsScope, _):
      let dropped = kept.count { $0.scope == mail.scope }
      return events + [.mailDropped(mail.withoutContent, count: dropped + 1)]
    }
  }

  func acknowledge(_ ids: [String]) -> [PushEvent] {
    let ids = Set(ids)
    return Self.ended(pending.filter { ids.contains($0.id) }, .acknowledged)
  }

  func expire(_ now: Timestamp) -> [PushEvent] { Self.ended(pending.filter { $0.expiry <= now }, .expired) }

  func endScope(_ scope: String) -> [PushEvent] { Self.ended(pending.filter { $0.scope == scope }, .unregistered) }

  /// One event for each registration: none is to be found in a record about another, which may be erased.
  private static func ended(_ mails: some Sequence<Mail>, _ ending: MailEnding) -> [PushEvent] {
    var scopes: [String] = []
    let byScope = mails.reduce(into: [String: [EndedMail]]()) { all, mail in
      if all[mail.scope] == nil { scopes.append(mail.scope) }
      all[mail.scope, default: []].append(EndedMail(mail))
    }
    return scopes.map { .mailEnded(byScope[$0] ?? [], ending) }
  }

  private var noticeBytes: Int { notices.values.reduce(0) { $0 + $1.mail.contentBytes } }

  /// Those of `kept`, from the oldest on, that have to go so that `mail` has room.
  private func superfluous(of kept: [Mail], beside mail: Mail, _ limits: MailLimits) -> [Mail] {
    func isCounted(_ other: Mail) -> Bool { other.collapseKey == nil && other.scope == mail.scope }
    var bytes = kept.reduce(noticeBytes + mail.contentBytes) { $0 + $1.contentBytes }
    var inScope = mail.collapseKey == nil ? kept.count(where: isCounted) + 1 : 0
    return kept.filter { old in
      guard bytes > limits.contentBytesMaximum || (isCounted(old) && inScope > limits.messagesInScopeMaximum) else {
        return false
      }
      bytes -= old.contentBytes
      if isCounted(old) { inScope -= 1 }
      return true
    }
  }

  // MARK: Evolve

  mutating func stored(_ mail: Mail) { messages.append(mail) }

  mutating func ended(_ mails: [EndedMail]) {
    #if CARILLON_CANARIES
      // Forgets to take the first one out, as long as it is not the only one.
      let mails = Canary.sings(.acknowledgedMailReturns) && messages.count > 1 ? Array(mails.dropFirst()) : mails
    #endif
    let ids = Set(mails.map(\.id))
    messages.removeAll { ids.contains($0.id) }
    for mail in mails where notices[mail.scope]?.mail.id == mail.id { notices[mail.scope] = nil }
  }

  mutating func dropped(_ last: Mail, count: Int) {
    messages.removeAll { $0.scope == last.scope }
    var notice = notices[last.scope] ?? MailNotice(last, count: 0)
    // A record from elsewhere may say any number, and many of them.
    notice.count = min(notice.count + count, Int(Int32.max))
    notices[last.scope] = notice
  }

  mutating func erase(_ scopes: Set<String>) {
    messages.removeAll { scopes.contains($0.scope) }
    notices = notices.filter { !scopes.contains($0.key) }
  }

  // MARK: State

  /// Message 1…, notice 2….
  func encode(into writer: inout PayloadWriter) {
    for mail in messages { writer.nested(1) { mail.encode(into: &$0) } }
    for (_, notice) in notices.sorted(by: { $0.key < $1.key }) { writer.nested(2) { notice.encode(into: &$0) } }
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        messages.append(try Mail(payload: &inner))
      case 2:
        var inner = try payload.nested()
        let notice = try MailNotice(payload: &inner)
        notices[notice.last.scope] = notice
      default: try payload.skip()
      }
    }
  }
}
