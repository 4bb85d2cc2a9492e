/// What a mailbox would hold, while it is decided what has to go for a message that comes. Spec: GCM S34-S39, F3-F6.
struct MailRoom {
  /// In the order in which they came.
  private(set) var kept: [Mail]
  private(set) var events: [PushEvent] = []
  private var notices: [String: MailNotice]
  private var bytes: Int
  private let limits: MailLimits

  init(_ mailbox: Mailbox, _ limits: MailLimits) {
    kept = mailbox.messages
    notices = mailbox.notices
    bytes = mailbox.contentBytes
    self.limits = limits
  }

  /// Ends those that are meant.
  /// - Returns: them.
  @discardableResult
  mutating func end(_ ending: MailEnding, where isMeant: (Mail) -> Bool) -> [Mail] {
    guard kept.contains(where: isMeant) else { return [] }
    let gone = kept.filter(isMeant)
    kept.removeAll(where: isMeant)
    bytes -= gone.reduce(0) { $0 + $1.contentBytes }
    events += Mailbox.ended(gone, ending)
    return gone
  }

  /// Whether `mail` can come beside all that is kept.
  func has(roomFor mail: Mail) -> Bool {
    !isTooMuch(mail) && !isOneTooMany(mail, limits.messagesOfFlowMaximum)
  }

  private func isTooMuch(_ mail: Mail) -> Bool { bytes + mail.contentBytes > limits.contentBytesMaximum }

  private func isOneTooMany(_ mail: Mail, _ maximum: Int) -> Bool {
    mail.collapseKey == nil && kept.count { $0.collapseKey == nil && $0.isOfSameFlow(as: mail) } >= maximum
  }

  // MARK: A receiver whose silence says that it has not got what it was sent

  /// Drops the flow that is full, or the heaviest of all.
  /// - Returns: whether `mail` can be stored; if not, it has been dropped with its flow.
  mutating func drop(for mail: Mail, isConnected: Bool) -> Bool {
    let maximum = isConnected ? limits.messagesOnTheirWayMaximum : limits.messagesOfFlowMaximum
    if isOneTooMany(mail, maximum) {
      dropFlow(of: mail)
      return false
    }
    while isTooMuch(mail) {
      guard let other = oldestOfHeaviestFlow(beside: mail), !other.isOfSameFlow(as: mail) else {
        dropFlow(of: mail)
        return false
      }
      let gone = end(.dropped) { $0.isOfSameFlow(as: other) }
      notice(gone.last?.counted ?? other.counted, count: gone.count, isOpen: false)
    }
    return true
  }

  private mutating func dropFlow(of mail: Mail) {
    let gone = end(.dropped) { $0.isOfSameFlow(as: mail) }
    notice(mail.withoutContent, count: gone.count + 1, isOpen: false)
  }

  // MARK: A receiver that never says what it has got

  /// Lets go of what was written to the live connection long ago. Spec: GCM D8.6.
  mutating func letGo(for mail: Mail) {
    let surplus = kept.count { $0.collapseKey == nil && $0.isOfSameFlow(as: mail) } + 1 - limits.messagesOfFlowMaximum
    if mail.collapseKey == nil, surplus > 0 {
      let unkeyed = kept.filter { $0.collapseKey == nil && $0.isOfSameFlow(as: mail) }
      letGo(Set(unkeyed.prefix(surplus).map(\.id)))
    }
    while isTooMuch(mail), let oldest = oldestOfHeaviestFlow(beside: mail) { letGo([oldest.id]) }
  }

  /// - Parameter ids: of one flow.
  private mutating func letGo(_ ids: Set<String>) {
    let gone = end(.unconfirmed) { ids.contains($0.id) }
    if let last = gone.last { notice(last.counted, count: gone.count, isOpen: true) }
  }

  // MARK: Notices

  private mutating func notice(_ last: Mail, count: Int, isOpen: Bool) {
    var count = count
    if notices[last.flow] == nil {
      // Hundreds of senders may have something for one app, and each notice is a message that the device has to get.
      let others = notices.filter { $0.value.last.scope == last.scope }
      if others.count >= limits.noticesOfScopeMaximum, let key = others.keys.min(), let other = others[key] {
        notices[key] = nil
        events += Mailbox.ended([other.mail], .dropped)
        count += other.count
      }
    }
    notices[last.flow] = MailNotice(last, count: count, isOpen: isOpen)
    events.append(.mailNoticed(last, count: count, isOpen: isOpen))
  }

  /// Of the flow that weighs most with `mail`; of two that weigh the same, `mail`'s own, or else the first. Nil if
  /// nothing is kept of it.
  private func oldestOfHeaviestFlow(beside mail: Mail) -> Mail? {
    var weights = [mail.flow: mail.contentBytes]
    for other in kept { weights[other.flow, default: 0] += other.contentBytes }
    let heaviest = weights.max { left, right in
      (left.value, left.key == mail.flow ? 1 : 0, right.key) < (right.value, right.key == mail.flow ? 1 : 0, left.key)
    }
    return heaviest.flatMap { heaviest in kept.first { $0.flow == heaviest.key } }
  }
}
