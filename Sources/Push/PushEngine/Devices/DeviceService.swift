public import EngineKit
import EntityRuntime
public import EventSourcing
public import PushDomain

/// The registry of devices: which addresses there are, whose they are, and whether they live.
public final class DeviceService: Sendable {
  let directory: EntityDirectory<Device>
  let index: DeviceIndex
  let queues: EntityDirectory<PushQueue>
  let context: RuntimeContext
  let limits: EngineLimits
  let metrics: CourierMetrics

  init(
    directory: EntityDirectory<Device>, index: DeviceIndex, queues: EntityDirectory<PushQueue>, context: RuntimeContext,
    limits: EngineLimits, metrics: CourierMetrics
  ) {
    self.directory = directory
    self.index = index
    self.queues = queues
    self.context = context
    self.limits = limits
    self.metrics = metrics
  }

  // MARK: For apps and operators

  /// Registers a device, which is harmless if it is registered already.
  /// - Returns: the device, and whether it is new here.
  /// - Throws: `.invalid` for an identifier that names no device, `.limitReached`.
  public func register(_ registration: DeviceRegistration) async throws(EngineError) -> (DeviceView, isNew: Bool) {
    let clean = try Self.cleaned(registration)
    let key = DeviceKey.of(clean.address)
    // Another's device that becomes this owner's counts as well.
    if let owner = clean.owner, index.count(ofOwner: owner, besides: key) >= limits.devicesByOwnerMaximum {
      throw .limitReached("devices_by_owner")
    }
    // There may be an entity without a registration: the disk had no room for it, or it was erased.
    let isNew = await directory[key]?.peek { $0.registration == nil } ?? true
    guard let device = directory.entity(key, limit: limits.devicesMaximum) else { throw .limitReached("devices") }
    let view = try await perform(.register(clean), on: device) { DeviceView($0, id: key) }
    guard let view else { throw .unknownDevice }
    return (view, isNew)
  }

  /// - Parameter owner: who asks, if it is not an operator: sees nobody else's.
  public func device(_ id: String, owner: String? = nil) async throws(EngineError) -> DeviceView {
    guard let device = directory[id] else { throw .unknownDevice }
    let view: DeviceView?
    do { view = try await device.read { DeviceView($0, id: id) } } catch { throw .unavailable }
    guard let view, owner == nil || view.registration.owner == owner else { throw .unknownDevice }
    return view
  }

  /// The next devices that fit, in the order of their ids.
  public func list(
    _ filter: DeviceFilter, after: String = "", limit: Int = 100
  ) async throws(EngineError) -> [DeviceView] {
    try await page(filter, after: after, limit: limit).elements
  }

  /// The same, with where they go on.
  public func page(
    _ filter: DeviceFilter, after: String, limit: Int
  ) async throws(EngineError) -> ListPage<DeviceView> {
    var views: [DeviceView] = []
    let most = max(1, min(limit, limits.listMaximum))
    let keys = index.keys(filter, after: after, limit: most + 1)
    for key in keys.prefix(most) {
      if let view = await directory[key]?.peek({ DeviceView($0, id: key) }) { views.append(view) }
    }
    do { try await context.untilDurable() } catch { throw .unavailable }
    return ListPage(elements: views, next: keys.count > most ? keys[most - 1] : nil)
  }

  /// Ends a device: nothing more is sent to it, nor what waits already.
  /// - Parameter owner: who asks, if it is not an operator.
  public func end(_ id: String, reason: String, owner: String? = nil) async throws(EngineError) {
    guard let device = directory[id] else { throw .unknownDevice }
    _ = try await perform(.end(reason: reason, owner: owner), on: device) { $0.isLive }
  }

  /// How many there are, by type and life.
  public func counts() -> [(type: String, isLive: Bool, count: Int)] {
    index.counts.map { ($0.key.type, $0.key.isLive, $0.value) }.sorted { ($0.0, $0.1 ? 0 : 1) < ($1.0, $1.1 ? 0 : 1) }
  }

  // MARK: For the dispatcher

  /// A chat has named this device. Nobody waits for it.
  package func show(_ registration: DeviceRegistration) async {
    await directory.entity(DeviceKey.of(registration.address), limit: limits.devicesMaximum)?
      .post(.register(registration))
  }

  /// What is known of the address that a push is to go to; one that is not known yet is registered.
  func standing(of registration: DeviceRegistration) async -> DeviceStanding {
    var registration = registration
    // A provider may have named a new address, and that one another: no further than a few.
    for _ in 0..<4 {
      let found = await directory[DeviceKey.of(registration.address)]?.peek { device in
        (registration: device.registration, at: device.registeredAt, successor: device.successor)
      }
      guard let found, let known = found.registration else {
        await show(registration)
        return DeviceStanding(registration, registeredAt: context.time.now)
      }
      guard let successor = found.successor else {
        // The language of this push, the owner of the device.
        return DeviceStanding(
          DeviceRegistration(address: registration.address, owner: known.owner), registeredAt: found.at)
      }
      registration = DeviceRegistration(
        address: successor, platform: known.platform, app: known.app, owner: registration.owner)
    }
    return DeviceStanding(registration, registeredAt: context.time.now)
  }

  /// A provider says that the address is gone.
  func gone(_ key: String, reason: String) async {
    await directory[key]?.post(.end(reason: reason))
  }

  /// A provider has named another address for the same device.
  func replace(_ address: PushAddress, by deviceID: String) async {
    guard let device = directory[DeviceKey.of(address)], let known = await device.peek({ $0.registration }) else {
      return
    }
    let successor = PushAddress(
      type: address.type, deviceID: deviceID, provider: address.provider, language: address.language,
      debug: address.debug, authorization: address.authorization)
    guard successor != address else { return }
    await show(
      DeviceRegistration(address: successor, platform: known.platform, app: known.app, owner: known.owner))
    await device.post(.replace(by: successor))
  }

  /// Tells the queue once more what it must not miss: a kill may have come between the device's record and the queue's.
  func remind(_ key: String) async {
    guard let device = directory[key] else { return }
    let (reason, owner) = await device.peek { device in
      let isToken = device.registration.map { DeviceIdentifier.isToken(type: $0.address.type) } ?? false
      return (device.ending?.reason, isToken ? device.registration?.owner : nil)
    }
    if let reason { await close(key, reason: reason) }
    if let owner { await queues[key]?.post(.handOver(to: owner)) }
  }

  /// A queue that came only with the next push would not know of the end: it is made now.
  fileprivate func close(_ key: String, reason: String) async {
    await queues.entity(key, limit: limits.pushQueuesMaximum)?.post(.unregister(reason: reason))
  }

  private func perform<Reply: Sendable>(
    _ command: DeviceCommand, on device: Entity<Device>, reply: @Sendable (borrowing Device) -> Reply
  ) async throws(EngineError) -> Reply {
    do throws(TurnError<DeviceRejection>) {
      return try await device.perform(command, reply: reply)
    } catch {
      switch error {
      case .rejected(.unknown): throw .unknownDevice
      case .storageFull: throw .storageFull
      case .overloaded: throw .limitReached("mailbox")
      case .tooLarge: throw .invalid(field: "identifier", reason: "is too large")
      case .failed: throw .unavailable
      }
    }
  }

  private static func cleaned(_ registration: DeviceRegistration) throws(EngineError) -> DeviceRegistration {
    let address = registration.address
    let deviceID: String
    do throws(DeviceIdentifier.Problem) {
      deviceID = try DeviceIdentifier.cleaned(address.deviceID, type: address.type)
    } catch {
      throw .invalid(field: "identifier", reason: error.reason)
    }
    return DeviceRegistration(
      address: PushAddress(
        type: address.type, deviceID: deviceID, provider: address.provider, language: address.language,
        debug: address.debug, authorization: address.authorization),
      platform: registration.platform, app: registration.app, owner: registration.owner)
  }
}

/// What devices want done, and what a start makes of them.
struct DeviceHost: EntityHost {
  /// A device that has changed hands stays with its present owner.
  func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    guard phase == .targets else { return }
    let own = scope.ownKeys(of: .device)
    for key in scope.keys(of: .device).sorted() {
      guard let device = directory[key] else { continue }
      let isTheirs = await device.peek { device in
        own.contains(key) || (device.registration?.owner.map { scope.holds(owner: $0) } ?? true)
      }
      _ = try await device.perform(isTheirs ? .erase : .restate) { _ in true }
      // Also if nothing was left to erase: records of theirs are about to go, and replay must not miss them.
      _ = try await device.perform(.restate) { _ in true }
    }
  }

  let devices: DeviceService
  let dispatcher: PushDispatcher

  var directory: EntityDirectory<Device> { devices.directory }
  var rearming: RearmPhase? { nil }

  func perform(_ effects: [DeviceEffect], of device: Entity<Device>) async {
    let key = device.id.key
    for effect in effects {
      switch effect {
      // Without a queue there is nothing to tell: the first push brings along when the device showed its address last.
      case .opened: await devices.queues[key]?.post(.register)
      case .closed(let reason):
        devices.metrics.deviceEnded(reason: reason)
        await devices.close(key, reason: reason)
        let type = await device.peek { $0.registration?.address.type }
        await dispatcher.deviceEnded(key, type: type ?? "", reason: reason)
      case .handedOver(let owner): await devices.queues[key]?.post(.handOver(to: owner))
      case .changed: devices.index.set(key, await device.peek { DeviceNote($0) })
      }
    }
  }

  func reserveCapacity(_ count: Int) { devices.index.reserveCapacity(count) }
  func note(of device: borrowing Device) -> [UInt8] { DeviceNote(device).bytes }
  func restored(_ key: String, _ device: borrowing Device) { devices.index.set(key, DeviceNote(device)) }

  func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    devices.index.set(key, try DeviceNote(bytes: note))
    return true
  }

  func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    guard phase == .revoked else { return }
    for key in found.awake { await devices.remind(key) }
  }
}

/// A device as lists show it.
public struct DeviceView: Sendable, Equatable {
  public let id: String
  public let registration: DeviceRegistration
  public let firstRegisteredAt: Timestamp
  public let registeredAt: Timestamp
  public let ending: Device.Ending?

  /// Nil for a device of which everything was erased.
  init?(_ device: borrowing Device, id: String) {
    guard let registration = device.registration else { return nil }
    self.id = id
    self.registration = registration
    firstRegisteredAt = device.firstRegisteredAt
    registeredAt = device.registeredAt
    ending = device.ending
  }
}

/// What a dispatcher asks of an address before it pushes.
package struct DeviceStanding {
  package let address: PushAddress
  let owner: String?
  package let registeredAt: Timestamp

  init(_ registration: DeviceRegistration, registeredAt: Timestamp) {
    address = registration.address
    owner = registration.owner
    self.registeredAt = registeredAt
  }

  /// A token is one person's: nobody else's messages go there.
  func mayGet(pushesOf user: String?) -> Bool {
    guard DeviceIdentifier.isToken(type: address.type), let owner, let user else { return true }
    return owner == user
  }
}
