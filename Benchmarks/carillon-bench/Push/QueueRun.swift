import BenchReport
import Engine
import ProcessControl
import PushDomain

/// The durable queue from end to end: a push is taken over, journalled, sent, and its outcome journalled.
struct QueueRun {
  static let target = 10_000.0
  static let webhookTarget = 5_000.0

  let devices: Int
  let pushes: Int
  /// Pushes on their way at a time.
  let window: Int

  private static let producers = 2

  /// To APNs, which is nghttpd.
  func measureAPNs() async throws -> [Measurement] {
    Terminal.note("push: \(pushes) pushes over \(devices) devices to nghttpd as APNs")
    let directory = try WorkDirectory()
    let peer = try await Nghttpd(in: directory)
    let tokens = (0..<devices).map { PushStock.token($0) }
    for token in tokens { try peer.add(device: token) }
    let child = try await peer.start()
    defer { child.endAtOnce() }
    let world = try await PushWorld.open(push: PushWorld.apnsOptions(peer))
    return try await world.during {
      let stock = PushStock(tokens.map { PushAddress(type: "ios", deviceID: $0) })
      return try await measure(
        "push.queue", world, stock, target: Self.target, peer: [child.pid], "nghttpd over TLS as APNs")
    }
  }

  /// To receivers of webhooks in this process: several, so that the bound for each is not the limit.
  func measureWebhooks(endpoints: Int) async throws -> [Measurement] {
    Terminal.note("push: \(pushes) webhooks over \(devices) devices at \(endpoints) endpoints")
    let receiver = try await WebhookReceiver.start(endpoints: endpoints)
    let world = try await PushWorld.open(push: PushWorld.webhookOptions)
    let results = try await world.during {
      let stock = PushStock(
        (0..<devices).map { PushAddress(type: "httpcb", deviceID: receiver.url(of: $0)) })
      return try await measure(
        "push.webhook", world, stock, target: Self.webhookTarget, peer: [],
        "signed POSTs to \(endpoints) endpoints in this process, 16 at a time to each")
    }
    guard receiver.count == pushes + window else {
      throw BenchError("\(receiver.count) webhooks arrived of \(pushes + window)")
    }
    await receiver.stop()
    return results
  }

  private func measure(
    _ name: String, _ world: PushWorld, _ stock: PushStock, target: Double, peer: [Int32], _ how: String
  ) async throws -> [Measurement] {
    // The connections, the provider token, the first segment.
    try await send(window, from: 1, world, stock)
    let share = MachineShare(with: peer)
    let before = try ProcessSample(of: ownPID()).cpuSeconds
    let began = ContinuousClock.now
    try await send(pushes, from: window + 1, world, stock)
    let seconds = (ContinuousClock.now - began).inSeconds
    let cpu = try ProcessSample(of: ownPID()).cpuSeconds - before
    let rate = Double(pushes) / seconds
    return [
      Measurement(
        name, rate, "pushes/s",
        settings: PushGoal.atLeast(target, rate)
          + ", \(pushes) over \(devices) devices, enqueued to outcome journalled, \(window) on their way, \(how); "
          + share.text),
      Measurement(
        "\(name).cpu", cpu / Double(pushes) * 1e6, "µs/push", settings: "this process, load generator included"),
    ]
  }

  /// Enqueues so many and returns once the outcome of the last is durable.
  private func send(_ count: Int, from first: Int, _ world: PushWorld, _ stock: PushStock) async throws {
    let settled = SettledPushes.shared
    let (delivered, others) = (settled.delivered, settled.others)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for producer in 0..<Self.producers {
        group.addTask {
          for index in stride(from: producer, to: count, by: Self.producers) {
            while index - (settled.delivered - delivered) >= window {
              guard settled.others == others else { return }
              try await Task.sleep(for: .milliseconds(5))
            }
            let message = stock.message(first + index, to: (first + index) % stock.devices.count)
            await world.engine.order(.enqueue(message), of: message.target)
          }
        }
      }
      try await group.waitForAll()
    }
    try await settled.waitForDelivered(delivered + count, others: others, within: Limits.setUpTimeout)
    try await world.untilJournalSettled()
  }
}
