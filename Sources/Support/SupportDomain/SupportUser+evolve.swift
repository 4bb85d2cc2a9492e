public import EventSourcing

extension SupportUser {
  public mutating func evolve(_ event: SupportUserEvent, at time: Timestamp) {
    switch event {
    case .identified(let identity):
      if self.identity == nil { createdAt = time }
      self.identity = identity
    case .identityChanged(let identity):
      self.identity = identity
      tokens = []
    case .tokenIssued(let token, let usedID):
      tokens.append(token)
      // Records of before a token had an end of its own.
      if tokens.count > Self.kept.tokensMaximum { tokens.removeFirst() }
      if let usedID { remember(usedID, at: time) }
    case .tokenUsed(let digest):
      if let index = tokens.firstIndex(where: { $0.digest == digest }) { tokens[index].usedAt = time }
    case .tokenEnded(let digest):
      if let index = tokens.firstIndex(where: { $0.digest == digest }) { tokens.remove(at: index) }
    case .deviceRegistered(let device):
      highestDevice = max(highestDevice, device.id)
      if let index = devices.firstIndex(where: { $0.id == device.id }) {
        devices[index] = device
      } else {
        // Maybe not the last one: what comes back can have been forgotten just before, when another ended.
        devices.insert(device, at: devices.firstIndex { $0.id > device.id } ?? devices.endIndex)
      }
    case .deviceRefreshed(let id, let locale):
      guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
      devices[index].locale = locale
      devices[index].updatedAt = time
    case .deviceEnded(let id, let reason):
      guard let index = devices.firstIndex(where: { $0.id == id && $0.isLive }) else { return }
      devices[index].ending = SupportDevice.Ending(reason: reason, at: time)
      forgetLongestEnded(but: id)
    case .erased(let state):
      // Bytes that are no state are refused when the event is decoded.
      if let state = try? SupportUser(stateBytes: state) { self = state }
    }
  }

  /// Events say nothing of limits, and replay has to keep what was kept: of ended devices, tokens and used ids there
  /// are as many as here, whatever a command says.
  static let kept = SupportUserLimits()

  private mutating func remember(_ usedID: UsedID, at time: Timestamp) {
    usedIDs.removeAll { $0.until <= time }
    usedIDs.append(usedID)
    guard usedIDs.count > Self.kept.usedIDsMaximum,
      let first = usedIDs.indices.min(by: { usedIDs[$0].until < usedIDs[$1].until })
    else { return }
    usedIDs.remove(at: first)
  }

  /// - Parameter id: of the one that has just ended. Whoever is told of that wants to see it, even if the clock was set
  ///   back and all others ended later.
  private mutating func forgetLongestEnded(but id: Int) {
    let ended = devices.indices.filter { !devices[$0].isLive }
    guard ended.count > Self.kept.endedDevicesMaximum else { return }
    let longest = ended.filter { devices[$0].id != id }.min { endedAt($0) < endedAt($1) }
    if let longest { devices.remove(at: longest) }
  }

  private func endedAt(_ index: Int) -> Timestamp { devices[index].ending?.at ?? .epoch }

  public func react(to event: SupportUserEvent) -> [SupportUserEffect] {
    switch event {
    case .deviceRegistered(let device): opened(device.id)
    case .deviceRefreshed(let id, _): opened(id)
    case .deviceEnded(let id, _): (self[device: id].map { [.deviceClosed($0)] } ?? []) + [.changed]
    case .identified, .identityChanged, .tokenIssued, .tokenEnded, .erased: [.changed]
    case .tokenUsed: []
    }
  }

  private func opened(_ id: Int) -> [SupportUserEffect] {
    (self[device: id].map { [.deviceOpened($0)] } ?? []) + [.changed]
  }

  public var outstandingEffects: [SupportUserEffect] { [] }
}
