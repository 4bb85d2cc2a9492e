import BenchReport
import NIOCore

/// What a connected device costs the server that neither says nor hears anything, and how fast they come.
struct DeviceIdleRun {
  private static let targets = (tls: 28_672.0, plain: 8_192.0)
  /// A few first, so that what every server needs once is not charged to the devices.
  private static let warm = 50
  /// The allocator gives back within it what only the logins needed.
  private static let pause = Duration.seconds(12)
  let connections: Int

  func measure() async throws -> [Measurement] {
    try await measure("tls", isSecure: true, target: Self.targets.tls)
      + measure("plain", isSecure: false, target: Self.targets.plain)
  }

  private func measure(_ name: String, isSecure: Bool, target: Double) async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let devices = try await BenchDevice.make(connections + Self.warm, in: directory)
    let server = try await MessagingServer.start(in: directory, isSecure: isSecure)
    return try await server.measuring {
      Terminal.note("gcm: \(connections) idle connections, \(name)")
      let first = try await DeviceFleet.connect(Array(devices.prefix(Self.warm)), to: server)
      try await Task.sleep(for: Self.pause)
      let before = try server.sample()
      let start = ContinuousClock.now
      let fleet = try await DeviceFleet.connect(Array(devices.dropFirst(Self.warm)), to: server)
      let seconds = (ContinuousClock.now - start).inSeconds
      let busy = try server.sample()
      try await Task.sleep(for: Self.pause)
      let after = try server.sample()
      for fleet in [first, fleet] {
        try await fleet.eventLoop.submit {
          if let failure = fleet.value.failure { throw failure }
          fleet.value.close()
        }.get()
      }
      let bytes = Double(after.residentBytes - before.residentBytes) / Double(connections)
      return [
        Measurement(
          "gcm.idle.\(name).bytes", bytes, "bytes",
          settings: PushGoal.atMost(target, bytes) + ", \(connections) idle connections, \(name)"),
        Measurement(
          "gcm.idle.\(name).logins", Double(connections) / seconds, "logins/s",
          settings: "connect, handshake, login; client and server on the same processors"),
        Measurement(
          "gcm.idle.\(name).login.cpu", (busy.cpuSeconds - before.cpuSeconds) / Double(connections) * 1e6, "µs/login",
          settings: "server"),
      ]
    }
  }
}
