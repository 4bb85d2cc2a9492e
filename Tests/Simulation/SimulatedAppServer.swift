import Engine
import PushDomain

/// A device group as its sender knows it.
struct GivenGroup {
  let key: String
  let name: String
  let sender: String
}

/// The app servers of one sender: what they send, and their connections for what devices send.
///
/// Safe to share: the whole simulation is one thread.
final class SimulatedAppServer: @unchecked Sendable {
  unowned let world: World
  let sender: String
  private(set) var wires: [AppServerWire] = []
  /// Ids of messages that were never to be stored: a device that sends one again, to be stored now, finds it given.
  var passing: Set<String> = []

  init(world: World, sender: String) {
    self.world = world
    self.sender = sender
  }

  var mailbox: String { "ccs-\(sender)" }

  func connect(_ life: Life) {
    let (wire, sender) = (AppServerWire(server: self, life: life), sender)
    wires.append(wire)
    world.ask("\(sender) connects", in: life) {
      try await $0.appServers.attach(wire, sender: sender)
    } then: { [self] result in
      if case .failure = result { wires.removeAll { $0 === wire } }
    }
  }

  func disconnect() {
    guard !wires.isEmpty else { return }
    let wire = wires.remove(at: world.chance.below(wires.count))
    wire.isClosed = true
    if !wire.life.isOver { wire.life.engine.appServers.detach(wire, sender: sender) }
  }

  func acknowledgeSome() {
    for wire in wires where !wire.pending.isEmpty {
      let count = world.chance.comes(60) ? wire.pending.count : world.chance.below(wire.pending.count + 1)
      for id in wire.pending.prefix(count) { acknowledge(id, on: wire) }
    }
  }

  private func acknowledge(_ id: String, on wire: AppServerWire) {
    guard !wire.life.isOver else { return }
    wire.pending.removeAll { $0 == id }
    wire.life.engine.appServers.acknowledge(id, sender: sender, link: wire)
  }

  func fetchAll(_ life: Life) {
    if wires.isEmpty { return connect(life) }
    for wire in wires { for id in wire.pending { acknowledge(id, on: wire) } }
  }

  func vanish() { while !wires.isEmpty { disconnect() } }

  func serverDied() { wires = [] }
}

/// One connection of an app server.
///
/// Safe to share: the whole simulation is one thread.
final class AppServerWire: AppServerLink, @unchecked Sendable {
  unowned let server: SimulatedAppServer
  let life: Life
  var pending: [String] = []
  /// All that was written.
  private(set) var seen: Set<String> = []
  var isClosed = false

  init(server: SimulatedAppServer, life: Life) {
    self.server = server
    self.life = life
  }

  var pendingCount: Int { pending.count }

  func deliver(_ mail: Mail) {
    guard !life.isOver else { return }
    server.world.handedToAppServer(mail, self)
    seen.insert(mail.id)
    pending.append(mail.id)
  }

  func close(_ reason: MailLinkClosing) { isClosed = true }
}
