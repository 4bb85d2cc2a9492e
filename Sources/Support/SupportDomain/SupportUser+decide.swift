public import EventSourcing

extension SupportUser {
  public func decide(_ command: SupportUserCommand, now: Timestamp) throws(SupportUserRejection) -> [SupportUserEvent] {
    switch command {
    case .identify(let fresh):
      return identify(fresh) ?? []
    case .signIn(let fresh, let token, let usedID, let uses, _):
      guard !isErased else { throw .unknown }
      if let usedID, usedIDs.contains(where: { $0.id == usedID.id && $0.until > now }) { throw .replayed }
      guard let change = identify(fresh) else { return [] }
      // Another identity has lost all its tokens anyway.
      let isAnother = change.contains { if case .identityChanged = $0 { true } else { false } }
      return change + (isAnother ? [] : makeRoom(uses)) + [.tokenIssued(token, usedID: usedID)]
    case .noteUse(let digest):
      guard let token = tokens.first(where: { $0.digest == digest }),
        token.lastUse.advanced(by: SupportAccessToken.usePrecision) <= now
      else { return [] }
      return [.tokenUsed(digest: digest)]
    case .registerDevice(let identifier, let platform, let address, let locale, let app, let limits):
      guard identity != nil else { throw .unknown }
      let key = SupportDevice.Key(identifier: identifier, platform: platform, address: address)
      return register(key, locale: locale, app: app, limits, now)
    case .endDevices(let identifiers, let reason, let app):
      let named = Set(identifiers)
      return end(liveDevices.filter { named.contains($0.identifier) && (app == nil || app == $0.app) }, reason)
    case .providerEnded(let id, let since):
      return end(
        liveDevices.filter { device in device.id == id && since.map { device.updatedAt <= $0 } ?? true }, .provider)
    case .erase:
      // Whoever closes a device has to be told of it before it is forgotten.
      return identity == nil ? [] : end(liveDevices, .identityChanged) + [.erased(state: erased.stateBytes)]
    case .restate:
      return [.erased(state: stateBytes)]
    }
  }

  /// For one token more: those that were not used for longest go, the oldest first where that is the same.
  private func makeRoom(_ uses: [[UInt8]: Timestamp]) -> [SupportUserEvent] {
    let surplus = tokens.count + 1 - Self.kept.tokensMaximum
    guard surplus > 0 else { return [] }
    func lastUse(_ index: Int) -> Timestamp { max(tokens[index].lastUse, uses[tokens[index].digest] ?? .epoch) }
    return tokens.indices.sorted { (lastUse($0), $0) < (lastUse($1), $1) }.prefix(surplus)
      .map { .tokenEnded(digest: tokens[$0].digest) }
  }

  private var liveDevices: [SupportDevice] { devices.filter(\.isLive) }

  private func end(_ devices: [SupportDevice], _ reason: SupportDevice.Reason) -> [SupportUserEvent] {
    devices.map { .deviceEnded(id: $0.id, reason) }
  }

  /// Empty if nothing differs; nil if it is somebody else, or was erased: that one never comes back.
  private func identify(_ fresh: SupportIdentity) -> [SupportUserEvent]? {
    guard !isErased else { return nil }
    guard let identity else { return [.identified(fresh)] }
    guard identity.key == fresh.key else { return nil }
    if case .anonymous = fresh.key {
      // Spec: support requests 2: also a name that is only added makes another identity.
      return fresh == identity ? [] : end(liveDevices, .identityChanged) + [.identityChanged(fresh)]
    }
    let merged = SupportIdentity(
      key: fresh.key, name: fresh.name ?? identity.name, email: fresh.email ?? identity.email)
    return merged == identity ? [] : [.identified(merged)]
  }

  private func register(
    _ key: SupportDevice.Key, locale: String, app: String, _ limits: SupportUserLimits, _ now: Timestamp
  ) -> [SupportUserEvent] {
    let known = liveDevices.first { $0.key == key }
    if let known, known.app == app { return [.deviceRefreshed(id: known.id, locale: locale)] }
    let former = devices.first { !$0.isLive && $0.key == key && $0.app == app }
    let others = liveDevices.filter { $0.id != known?.id }
    let surplus = max(0, others.count + 1 - max(1, limits.devicesMaximum))
    let evicted = others.sorted { ($0.updatedAt, $0.id) < ($1.updatedAt, $1.id) }.prefix(surplus)
    let device = SupportDevice(
      id: former?.id ?? highestDevice + 1, identifier: key.identifier, platform: key.platform, address: key.address,
      locale: locale, app: app, createdAt: former?.createdAt ?? now, updatedAt: now)
    return end(known.map { [$0] } ?? [], .moved) + end(Array(evicted), .evicted) + [.deviceRegistered(device)]
  }

  /// Only that there was somebody, and the numbers that must not come back.
  private var erased: SupportUser {
    var user = SupportUser()
    user.isErased = true
    user.createdAt = createdAt
    user.highestDevice = highestDevice
    return user
  }
}
