import BenchReport
import CarillonClient
import NIOCore
import NIOPosix

/// How many messages a second a server accepts over HTTP, each on the disk before its id is answered: to devices that
/// are away, and to such as are connected and acknowledge.
struct SendRun {
  static let target = 8_000.0
  let devices: Int
  let connected: Int
  let lanes: Int
  let seconds: Int

  func measure() async throws -> [Measurement] {
    try await measure("gcm.send", devices, isConnected: false, "devices that are away", target: Self.target)
      + measure("gcm.send.connected", connected, isConnected: true, "devices over TLS that acknowledge", target: nil)
  }

  private func measure(
    _ name: String, _ count: Int, isConnected: Bool, _ whom: String, target: Double?
  ) async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let devices = try await BenchDevice.make(count, in: directory)
    let server = try await MessagingServer.start(in: directory)
    return try await server.measuring {
      let fleet = isConnected ? try await DeviceFleet.connect(devices, to: server) : nil
      let loop = fleet?.eventLoop ?? MultiThreadedEventLoopGroup.singleton.next()
      // Not the server, which ends with its directory when nobody refers to it.
      let (key, address) = (server.senderKey, server.address)
      let load = try await SendLoad.open(lanes, to: address, on: loop) { number in
        BenchMessage.shared.request(
          number, to: devices[number % count].token, key: key, address)
      }
      defer { loop.execute { load.value.close() } }
      Terminal.note("gcm: \(lanes) connections send to \(count) \(whom), \(seconds) s")
      _ = try await loop.flatSubmit { load.value.run(.closed(window: lanes), for: .seconds(2)) }.get()
      let (before, share) = (try SidesSample(server: server.http.pid), MachineShare(with: [server.http.pid]))
      let result = try await loop.flatSubmit {
        load.value.run(.closed(window: lanes), for: .seconds(seconds))
      }.get()
      let sides = try before.measured()
      if let fleet { try await Self.untilAllArrived(fleet, load) }
      let how = "\(count) \(whom), \(lanes) connections, stored and synced before the answer"
      return [
        Measurement(
          name, result.perSecond, "messages/s",
          settings: (target.map { PushGoal.atLeast($0, result.perSecond) + ", " } ?? "") + how + "; \(share.text)")
      ] + sides.measurements(name, per: "message", count: result.latencies.count, "at that rate")
    }
  }

  private static func untilAllArrived(
    _ fleet: NIOLoopBound<DeviceFleet>, _ load: NIOLoopBound<SendLoad>
  ) async throws {
    let deadline = ContinuousClock.now + Limits.drainTimeout
    while true {
      let missing = try await fleet.eventLoop.submit {
        if let failure = fleet.value.failure { throw failure }
        return load.value.next - fleet.value.messageCount
      }.get()
      if missing == 0 { break }
      guard ContinuousClock.now < deadline else { throw BenchError("\(missing) messages did not arrive") }
      try await Task.sleep(for: .milliseconds(5))
    }
    try await fleet.eventLoop.submit { fleet.value.close() }.get()
  }
}
