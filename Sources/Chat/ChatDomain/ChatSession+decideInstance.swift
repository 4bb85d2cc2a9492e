import EventSourcing

// The instance: made, started, expired; its attached data. Spec: GMS 3.2 to 3.4.
extension ChatSession {
  func create(
    _ serviceName: String, _ data: [NameValuePair], _ userKey: String?, _ policy: ChatPolicy, _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    switch lifecycle {
    case .absent: break
    case .expired: throw .unknownService
    case .created, .live, .ended: throw .alreadyStarted
    }
    try require(userKey ?? "", field: "gms_user", atMost: policy.limits.dataBytesMaximum)
    _ = try mergedData(with: data, policy)
    let expiresAt = now.advanced(by: policy.timeToLive)
    return [.created(serviceName: serviceName, data: data, expiresAt: expiresAt, userKey: userKey)]
  }

  func begin(_ start: ChatStart, _ policy: ChatPolicy) throws(ChatRejection) -> [ChatEvent] {
    switch lifecycle {
    case .absent, .expired: throw .unknownService
    case .live: throw .alreadyStarted
    case .ended: throw .ended
    case .created: break
    }
    let limits = policy.limits
    if start.nickname.isEmpty { throw .empty(field: "userDisplayName") }
    try require(start.nickname, field: "userDisplayName", atMost: limits.nicknameBytesMaximum)
    try require(start.subject, field: "subject", atMost: limits.dataBytesMaximum)
    try require(start.userKey ?? "", field: "gms_user", atMost: limits.dataBytesMaximum)
    try require(start.firstMessage ?? "", field: "message", atMost: limits.textBytesMaximum)
    try require(start.pushTarget, policy)
    try requireRoom(for: start.firstMessage?.isEmpty == false ? 2 : 1, policy)
    _ = try mergedData(with: start.data, policy)
    return [.started(with: start)]
  }

  func createAndBegin(
    _ serviceName: String, _ data: [NameValuePair], _ userKey: String?, _ start: ChatStart, _ policy: ChatPolicy,
    _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    var draft = ChatDraft(self, now)
    draft.add(try create(serviceName, data, userKey, policy, now))
    draft.add(try draft.chat.begin(start, policy))
    return draft.events
  }

  /// The timer is not restarted with every use, so it may come too early; then it is set to the true end.
  func timeToLiveElapsed(_ policy: ChatPolicy, _ now: Timestamp) -> [ChatEvent] {
    guard lifecycle != .absent, lifecycle != .expired else { return [] }
    // Whoever is connected is using the chat, also without a word.
    let end =
      lifecycle == .live && links.contains(where: \.isActive)
      ? now.advanced(by: policy.timeToLive)
      : lastUse.advanced(by: policy.timeToLive)
    guard end <= now else { return [.timeToLiveExtended(until: end)] }
    // A push that still waits would call the customer to a chat that is gone.
    var events = pushDelayCancellation
    if lifecycle == .live {
      events += endOfOffer(.ended)
      events.append(.chatEnded(party: ChatParty.customer, cause: .timeToLive))
    }
    return events + [.expired]
  }

  func updateData(_ pairs: [NameValuePair], _ policy: ChatPolicy) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    return try mergedData(with: pairs, policy) == data ? [] : [.dataUpdated(pairs: pairs)]
  }

  func changePushTarget(_ target: PushTarget?, _ policy: ChatPolicy) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    try require(target, policy)
    return target == pushTarget ? [] : [.pushTargetChanged(to: target)]
  }

  private func require(_ target: PushTarget?, _ policy: ChatPolicy) throws(ChatRejection) {
    guard let target else { return }
    let limit = policy.limits.dataBytesMaximum
    try require(target.type, field: "push_notification_type", atMost: limit)
    try require(target.deviceID, field: "push_notification_deviceid", atMost: limit)
    try require(target.provider ?? "", field: "push_notification_provider", atMost: limit)
    try require(target.language ?? "", field: "push_notification_language", atMost: limit)
    try require(target.subscriptionID ?? "", field: "subscriptionID", atMost: limit)
  }

  /// Refreshes that bring nothing new are in use all the same, but one note in an eighth of the time to live is enough.
  func noteServed(_ position: Int, _ policy: ChatPolicy, _ now: Timestamp) -> [ChatEvent] {
    guard lifecycle == .live || lifecycle == .ended else { return [] }
    let position = max(servedPosition, min(position, lastPosition))
    let isNoteDue = lastUse.advanced(by: policy.timeToLive / 8) <= now
    return position > servedPosition || isNoteDue ? [.served(upTo: position)] : []
  }

  /// The data after `pairs`: the later value wins, an empty one removes its name.
  func mergedData(with pairs: [NameValuePair], _ policy: ChatPolicy) throws(ChatRejection) -> [NameValuePair] {
    let limits = policy.limits
    let tooMany = ChatRejection.invalid(field: "data", reason: "more than \(limits.dataPairsMaximum) fields")
    guard pairs.count <= limits.dataPairsMaximum else { throw tooMany }
    for pair in pairs {
      if pair.name.isEmpty { throw .invalid(field: "data", reason: "a name is empty") }
      try require(pair.name, field: "data", atMost: limits.dataBytesMaximum)
      try require(pair.value, field: pair.name, atMost: limits.dataBytesMaximum)
    }
    var merged = data
    merged.merge(pairs)
    guard merged.count <= limits.dataPairsMaximum else { throw tooMany }
    return merged
  }
}

extension [NameValuePair] {
  mutating func merge(_ pairs: [NameValuePair]) {
    for pair in pairs {
      let index = firstIndex { $0.name.isNamed(pair.name) }
      switch (index, pair.value.isEmpty) {
      case (let index?, true): remove(at: index)
      case (let index?, false): self[index] = pair
      case (nil, true): break
      case (nil, false): append(pair)
      }
    }
  }
}
