import BenchReport
import Engine
import EventSourcing
import ProcessControl
import PushDomain

/// Many pushes wait because their provider is down; then it comes back.
struct OutageRun {
  static let target = 2_048.0
  let pushes: Int
  let devices: Int

  /// Every tenth is of normal priority: those must come last.
  private static let normalShare = 10
  private static let warmUp = 1_000
  /// Until the breaker probes again, and all is sent.
  private static let drainTimeout = Duration.seconds(300)
  private static let registrationsAtOnce = 256

  /// To be the first of its process: memory that something else has freed would be counted as free.
  func measure() async throws -> [Measurement] {
    Terminal.note("push: \(pushes) pushes wait for a provider that is down")
    let directory = try WorkDirectory()
    let peer = try await Nghttpd(in: directory)
    let count = devices + Self.warmUp
    let tokens = (0..<count).map { PushStock.token($0) }
    for token in tokens { try peer.add(device: token) }
    let stock = PushStock(tokens.map { PushAddress(type: "ios", deviceID: $0) })
    let world = try await PushWorld.open(push: PushWorld.apnsOptions(peer), isWatched: true)
    return try await world.during { try await measure(world, peer, stock) }
  }

  private func measure(_ world: PushWorld, _ peer: Nghttpd, _ stock: PushStock) async throws -> [Measurement] {
    guard let watch = world.watch else { throw BenchError("nobody watches") }
    try await warmUp(world, peer, stock)
    watch.forget()
    let empty = try await ResidentMemory.settled()
    try await register(world, stock)
    let registered = try await ResidentMemory.settled()

    var share = MachineShare()
    var began = ContinuousClock.now
    try await enqueue(world, stock)
    let intake = Double(pushes) / (ContinuousClock.now - began).inSeconds
    let intakeShare = share.text
    let full = try await ResidentMemory.settled()
    let failures = watch.failures

    Terminal.note("push: the provider comes back")
    let settled = SettledPushes.shared
    let (delivered, others) = (settled.delivered, settled.others)
    watch.forget()
    let child = try await peer.start()
    defer { child.endAtOnce() }
    share = MachineShare(with: [child.pid])
    began = ContinuousClock.now
    try await settled.waitForDelivered(delivered + pushes, others: others, within: Self.drainTimeout)
    let end = ContinuousClock.now
    let pause = ((watch.firstDelivery ?? end) - began).inSeconds
    let drain = (end - began).inSeconds
    guard watch.deliveredCount == pushes, watch.repetitions == 0 else {
      throw BenchError("\(watch.deliveredCount) of \(pushes) were taken, \(watch.repetitions) more than once")
    }
    let order = OutageOrder(watch.handed)
    let bytes = Double(full - registered) / Double(pushes)
    let deviceBytes = Double(registered - empty) / Double(devices)
    return [
      Measurement(
        "push.waiting.bytes", bytes, "bytes/push",
        settings: PushGoal.atMost(Self.target, bytes)
          + ", resident, \(pushes) waiting pushes to \(devices) devices, above the engine with those devices; "
          + "\(failures) attempts failed before the breaker opened or as its probes"),
      Measurement(
        "push.device.bytes", deviceBytes, "bytes/device",
        settings: "resident, registered, above the empty engine; a device with a push "
          + "\(Measurement("", bytes + deviceBytes, "").text)"),
      Measurement(
        "push.waiting.intake", intake, "pushes/s",
        settings: "taken over and journalled during the outage; \(intakeShare)"),
      Measurement(
        "push.drain", drain, "s",
        settings:
          "from the provider's return to the last outcome journalled, \(Measurement.decimal(pause, digits: 1)) s of it "
          + "the breaker's pause; all delivered, none twice; \(share.text)"),
      Measurement(
        "push.drain.rate", Double(pushes) / max(drain - pause, 0.001), "pushes/s",
        settings: "from the first delivery on, the careful beginning included"),
      Measurement(
        "push.drain.disorder", Double(order.displacement), "places",
        settings: "the farthest that a push is from its place by age within its priority, 256 being in flight; "
          + "\(order.overtaking) of normal priority went before the last of high, \(order.excluded) retried ones left out"
      ),
    ]
  }

  private func warmUp(_ world: PushWorld, _ peer: Nghttpd, _ stock: PushStock) async throws {
    let child = try await peer.start()
    defer { child.endAtOnce() }
    let settled = SettledPushes.shared
    let (delivered, others) = (settled.delivered, settled.others)
    for index in 0..<Self.warmUp {
      let message = stock.message(index + 1, to: devices + index)
      await world.engine.order(.enqueue(message), of: message.target)
    }
    try await settled.waitForDelivered(delivered + Self.warmUp, others: others, within: Limits.setUpTimeout)
    try await world.untilJournalSettled()
  }

  private func register(_ world: PushWorld, _ stock: PushStock) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.registrationsAtOnce {
        group.addTask {
          for index in stride(from: worker, to: devices, by: Self.registrationsAtOnce) {
            _ = try await world.engine.devices.register(
              DeviceRegistration(
                address: stock.devices[index], platform: "ios", app: "request-chat", owner: "customer-\(index)"))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func enqueue(_ world: PushWorld, _ stock: PushStock) async throws {
    for index in 0..<pushes {
      let priority = index % Self.normalShare == 0 ? PushPriority.normal : .high
      let message = stock.message(index + 1, to: index % devices, priority: priority)
      await world.engine.order(.enqueue(message), of: message.target)
      // The journal takes so much at a time.
      if index % 1_024 == 1_023 { try await world.untilJournalSettled() }
    }
    try await world.untilJournalSettled()
  }
}

/// Whether pushes went out by priority, and by age within it.
struct OutageOrder: Sendable {
  /// The farthest that one is from its place.
  private(set) var displacement = 0
  /// Of normal priority, handed over before the last one of high priority.
  let overtaking: Int
  /// Not at their first attempt: those have had their turn.
  let excluded: Int

  init(_ handed: [DeliveryWatch.Handed]) {
    // What came back unprocessed and went again counts at its first time.
    var seen: Set<Int> = []
    let first = handed.filter { $0.attempt == 1 && seen.insert($0.number).inserted }
    excluded = handed.count - first.count
    for priority in [PushPriority.high, .normal] {
      let numbers = first.filter { $0.priority == priority }.map(\.number)
      var place: [Int: Int] = [:]
      for (index, number) in numbers.sorted().enumerated() { place[number] = index }
      for (index, number) in numbers.enumerated() {
        displacement = max(displacement, abs(index - (place[number] ?? index)))
      }
    }
    let lastHigh = first.lastIndex { $0.priority == .high } ?? 0
    overtaking = first[..<lastHigh].count { $0.priority == .normal }
  }
}
