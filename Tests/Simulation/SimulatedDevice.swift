import Engine
import Foundation
import PushDomain

/// A registration token that was given to an app, and what it stands for.
struct GivenToken {
  let text: String
  let device: String
  let number: Int
  let app: String
  let senders: Set<String>

  /// What the token says itself: `<instance id>:APA91b<version, android id, number, …>`.
  init?(_ text: String, app: String, senders: Set<String>) {
    guard let start = text.firstRange(of: ":APA91b")?.upperBound else { return nil }
    let head = String(text[start...].prefix(20)).replacing("-", with: "+").replacing("_", with: "/")
    guard let bytes = Data(base64Encoded: head), bytes.count == 15 else { return nil }
    self.text = text
    device = String(bytes[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    number = bytes[9..<13].reduce(0) { $0 << 8 | Int($1) }
    self.app = app
    self.senders = senders
  }

  var scope: String { "\(device)/\(number)" }
}

/// A device with some apps, and one connection at a time.
///
/// Safe to share: the whole simulation is one thread.
final class SimulatedDevice: @unchecked Sendable {
  unowned let world: World
  let number: Int
  var credentials: InstallationCredentials?
  /// It is about to check in.
  var isAsking = false
  private(set) var wire: DeviceWire?
  /// Messages that it has, of which it is not sure that the server knows.
  private(set) var unsure: [String] = []
  var upstreamNumber = 0
  /// Ends of registrations that it has asked for; the answer may still be on its way.
  var endings = 0
  /// Its erasure is under way: whether it is known still is anybody's guess.
  var isBeingForgotten = false
  /// Unregistrations that were ever asked for.
  var endingsBegun = 0

  init(world: World, number: Int) {
    self.world = world
    self.number = number
  }

  var description: String { "device \(number)" }
  var key: String? { credentials.map { String($0.id.androidID) } }
  var mailbox: String? { key.map { "gcm-\($0)" } }

  // MARK: Its connection

  func connect(_ life: Life) {
    guard let credentials else { return }
    let wire = DeviceWire(device: self, life: life, received: unsure)
    let received = unsure
    world.ask("\(description) logs in", in: life) { engine in
      try await engine.deviceGateway.logIn(credentials, received: received, link: wire)
      return engine
    } then: { [self] result in
      guard case .success(let engine) = result else { return }
      guard !wire.isClosed else { return engine.deviceGateway.detach(credentials.id, link: wire) }
      unsure.removeAll { received.contains($0) }
      lose(all: true)
      self.wire = wire
      wire.isReady = true
      engine.deviceGateway.drain(credentials.id, link: wire)
    }
  }

  /// The connection breaks: of what was on its way some has come, some has not.
  func disconnect() {
    guard let wire, let credentials else { return }
    lose(all: false)
    guard !wire.life.isOver else { return }
    wire.life.engine.deviceGateway.detach(credentials.id, link: wire)
  }

  private func lose(all: Bool) {
    guard let wire else { return }
    for id in wire.outstanding where all || world.chance.comes(60) { unsure.append(id) }
    wire.isClosed = true
    self.wire = nil
  }

  func setIdle(_ isIdle: Bool) {
    guard let wire, let credentials else { return }
    wire.isIdle = isIdle
    wire.life.engine.deviceGateway.setIdle(isIdle, credentials.id, link: wire)
  }

  func acknowledgeSome() {
    guard let wire, !wire.outstanding.isEmpty else { return }
    let count = world.chance.comes(60) ? wire.outstanding.count : world.chance.below(wire.outstanding.count + 1)
    acknowledge(Array(wire.outstanding.prefix(count)))
  }

  private func acknowledge(_ ids: [String]) {
    guard let wire, let credentials, !ids.isEmpty, !wire.life.isOver else { return }
    wire.outstanding.removeAll { ids.contains($0) }
    world.trace.note("\(description) acknowledges \(ids.count) messages")
    world.counts.mailsAcknowledged += ids.count
    if world.chance.comes(30) {
      world.start("acknowledge", in: wire.life) { await $0.deviceGateway.acknowledgeDurably(ids, by: credentials.id) }
    } else {
      wire.life.engine.deviceGateway.acknowledge(ids, by: credentials.id)
    }
  }

  /// One more step towards having everything.
  func fetchAll(_ life: Life) {
    guard credentials != nil else { return }
    guard let wire, !wire.isClosed else { return connect(life) }
    if wire.isIdle { setIdle(false) }
    acknowledge(wire.outstanding)
  }

  func vanish() { disconnect() }

  /// The identity is gone; the device checks in anew.
  func isForgotten() {
    disconnect()
    credentials = nil
    unsure = []
  }

  func serverDied() {
    lose(all: false)
    isAsking = false
    endings = 0
  }
}

/// One connection of a device.
///
/// Safe to share: the whole simulation is one thread.
final class DeviceWire: MailLink, @unchecked Sendable {
  /// Also one that is never seen again: the engine may not know yet.
  let device: SimulatedDevice
  let life: Life
  /// What the device has said at login that it has.
  let received: Set<String>
  var isReady = false
  var isIdle = false
  var isClosed = false
  /// Written and not acknowledged, in order.
  var outstanding: [String] = []
  /// All that was written.
  private(set) var seen: Set<String> = []

  init(device: SimulatedDevice, life: Life, received: [String]) {
    self.device = device
    self.life = life
    self.received = Set(received)
  }

  func deliver(_ mail: Mail) {
    // Twice on one connection is once, as the protocol has it.
    guard !life.isOver, !outstanding.contains(mail.id) else { return }
    device.world.handedToDevice(mail, self)
    seen.insert(mail.id)
    if !mail.isNowOrNever { outstanding.append(mail.id) }
  }

  func close(_ reason: MailLinkClosing) {
    guard !life.isOver else { return }
    device.world.trace.note("\(device.description) is closed: \(reason)")
    isClosed = true
  }
}
