import CometEngine
import EngineKit
import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain
import PushEngine
import SupportDomain

// Devices. Spec: support requests 3, 7.
extension SupportService {
  /// - Parameters:
  ///   - identifier: as it came; cleaned here.
  ///   - type: `ios`, `android`; what begins with `ip` is `ios`.
  ///   - tokenType: of Airship's channels.
  public func registerDevice(
    identifier: String, type: String, locale: String, tokenType: String?, by actor: SupportActor
  ) async throws(SupportFailure) -> (view: SupportDeviceView, isNew: Bool) {
    try admit(actor)
    guard case .endUser(let number, let app) = actor, let user = users[String(number)] else { throw .notFound }
    let platform: SupportDevice.Platform
    switch type.lowercased() {
    case let type where type == "ios" || type.hasPrefix("ip"): platform = .ios
    case "android": platform = .android
    default: throw .invalid(field: "device_type", reason: "is neither ios nor android")
    }
    let address: SupportDevice.Address
    switch tokenType {
    case nil, "": address = .pushToken
    case "urban_airship_channel_id": address = .airshipChannel
    default: throw .invalid(field: "token_type", reason: "is neither null nor urban_airship_channel_id")
    }
    let isToken = address == .pushToken && platform == .ios
    let key = SupportDevice.Key(
      identifier: try cleaned(identifier, isAppleToken: isToken), platform: platform, address: address)
    let language = SupportAppSettings.locale(locale.isEmpty ? "en" : locale)
    try check(language, "locale", 1...35)
    let isNew = await user.peek { user in !user.devices.contains { $0.isLive && $0.key == key && $0.app == app } }
    let device = try await perform(
      .registerDevice(
        identifier: key.identifier, platform, address, locale: language, app: app, limits: current.user), on: user
    ) { user in user.devices.first { $0.isLive && $0.key == key } }
    guard let device else { throw .unavailable }
    return (view(device, of: number), isNew)
  }

  /// - Throws: `.notFound` also for another's.
  public func unregisterDevice(identifier: String, by actor: SupportActor) async throws(SupportFailure) {
    try admit(actor)
    guard case .endUser(let number, let app) = actor, let user = users[String(number)] else { throw .notFound }
    let spellings = try spellings(identifier, "identifier")
    let isKnown = await user.peek { user in
      user.devices.contains { $0.isLive && $0.app == app && spellings.contains($0.identifier) }
    }
    guard isKnown else { throw .notFound }
    try await perform(.endDevices(identifiers: spellings, .user, app: app), on: user) { _ in }
  }

  /// Of all users and apps; all or nothing. Spec: support requests 7.1.
  /// - Throws: `.limitReached`, `.invalid` with the index of what is no identifier.
  public func unregister(identifiers: [String]) async throws(SupportFailure) -> (removed: Int, unknown: Int) {
    var byUser: [Int64: [String]] = [:]
    var known: Set<String> = [], unknown: Set<String> = []
    for (place, text) in identifiers.enumerated() {
      let spellings = try spellings(text, "push_notification_devices[\(place)]")
      var isKnown = false
      for spelling in spellings {
        let users = index.users(ofIdentifier: spelling)
        isKnown = isKnown || !users.isEmpty
        guard !users.isEmpty, known.insert(spelling).inserted else { continue }
        for user in users { byUser[user, default: []].append(spelling) }
      }
      if !isKnown { unknown.insert(spellings.last ?? text) }
    }
    // Some at once: each waits for the disk.
    let affected = byUser.map { (user: $0.key, identifiers: $0.value) }
    for start in stride(from: 0, to: affected.count, by: limits.supportUsersAtOnce) {
      let chunk = affected[start..<min(start + limits.supportUsersAtOnce, affected.count)]
      let failures: [SupportFailure] = await withTaskGroup(of: SupportFailure?.self) { group in
        for (number, identifiers) in chunk {
          group.addTask {
            guard let user = self.users[String(number)] else { return nil }
            do throws(SupportFailure) {
              try await self.perform(.endDevices(identifiers: identifiers, .bulk, app: nil), on: user) { _ in }
              return nil
            } catch { return error }
          }
        }
        return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
      }
      if let failure = failures.first { throw failure }
    }
    return (known.count, unknown.count)
  }

  /// The most that one call may name.
  public var bulkUnregisterMaximum: Int { current.bulkUnregister }

  /// What an operator sees of somebody's devices, ended ones too.
  public func devices(of number: Int64) async throws(SupportFailure) -> [SupportDeviceView] {
    guard let user = users[String(number)] else { throw .notFound }
    let devices: [SupportDevice]
    do throws(TurnError<SupportUserRejection>) { devices = try await user.read { $0.devices } } catch {
      throw SupportFailure(error)
    }
    return devices.map { view($0, of: number) }
  }

  private func view(_ device: SupportDevice, of user: Int64) -> SupportDeviceView {
    let integration = app(device.app)?.integration
    return SupportDeviceView(
      user: user, device: device, isStale: device.isLive && integration.map { $0.address != device.address } ?? true)
  }

  // MARK: Identifiers

  /// Spec: support requests 3.1.
  private func cleaned(
    _ text: String, isAppleToken: Bool, _ field: String = "identifier"
  ) throws(SupportFailure) -> String {
    let maximum = current.identifierBytes
    guard text.utf8.count <= maximum else {
      throw .invalid(field: field, reason: "is longer than \(maximum) bytes")
    }
    do throws(DeviceIdentifier.Problem) {
      return try DeviceIdentifier.cleaned(text, type: (isAppleToken ? PushType.ios : .android).rawValue)
    } catch { throw .invalid(field: field, reason: error.reason) }
  }

  /// An identifier without its type: as it may be stored.
  func spellings(_ text: String, _ field: String) throws(SupportFailure) -> [String] {
    let plain = try cleaned(text, isAppleToken: false, field)
    let apple = try cleaned(text, isAppleToken: true, field)
    return plain == apple ? [plain] : [plain, apple]
  }

  // MARK: What a user's devices want

  func perform(_ effects: [SupportUserEffect], of user: Entity<SupportUser>) async {
    let number = Int64(user.id.key) ?? 0
    var opened: [SupportDevice.Key] = []
    for case .deviceOpened(let device) in effects {
      opened.append(device.key)
      if let queue = directQueue(of: device) { await dispatcher.queues[queue]?.post(.register) }
    }
    if effects.contains(.changed) {
      let former = index[user: number]?.tokens ?? []
      let note = await user.peek { SupportUserNote($0) }
      // One physical address, one owner. Spec: support requests 3.
      for (other, identifier) in index.set(user: user.id.key, note, opened: opened) {
        await users[String(other)]?.post(.endDevices(identifiers: [identifier], .moved, app: nil))
      }
      // Nothing opens what its sessions came in by; waits for the disk, which effects must not.
      if !former.isEmpty, former.allSatisfy({ !note.tokens.contains($0) }) {
        _ = tasks.spawn { [comet] in await comet.dismiss(userKey: Self.ownerName(number)) }
      }
    }
    for case .deviceClosed(let device) in effects {
      metrics.deviceEnded(device.ending?.reason)
      let (id, reason) = (number * SupportIDs.perOwner + Int64(device.id), device.ending?.reason.name ?? "")
      await dispatcher.tellOperators(
        .deviceEnded, once: "support/\(id)/\(context.time.now.milliseconds)"
      ) { data in
        data.member("device", id)
        data.member("user", number)
        data.member("type", device.platform.name)
        data.member("reason", reason)
      }
      guard let queue = directQueue(of: device) else { continue }
      await dispatcher.queues[queue]?.post(
        .withdraw(owner: Self.ownerName(number), reason: "the device was unregistered"))
    }
  }

  /// Where a device's own pushes wait, in the mode `direct`.
  private func directQueue(of device: SupportDevice) -> String? {
    app(device.app)?.directAddress(of: device.key, locale: device.locale).map { DeviceKey.of($0) }
  }

  /// Our own couriers ask as well, each time, whether the device is still its owner's; the others look at it themselves.
  func refusal(of message: PushMessage) -> String? {
    guard !SupportCourier.all.contains(message.target.type) else { return nil }
    guard let owner = index.owner(ofQueue: DeviceKey.of(message.target)),
      Self.ownerName(owner.user) == message.owner, owner.app == message.service
    else { return "no device is registered any more" }
    return nil
  }

  /// A push service says that an address is gone. - Parameter queue: the key of its queue.
  func gone(queue: String) async {
    guard let owner = index.owner(ofQueue: queue) else { return }
    await users[String(owner.user)]?.post(.providerEnded(device: owner.device, since: nil))
  }
}

extension SupportAppSettings {
  /// Where our own couriers reach a device; nil for what is no push token.
  func directAddress(of device: SupportDevice.Key, locale: String? = nil) -> PushAddress? {
    guard integration == .direct, device.address == .pushToken else { return nil }
    return PushAddress(
      type: (device.platform == .ios ? PushType.ios : .fcm).rawValue, deviceID: device.identifier,
      provider: pushProvider,
      language: locale, debug: usesDebug)
  }
}
