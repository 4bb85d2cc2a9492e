import BenchReport
import CarillonClient
import NIOCore

/// From an app server's request to the device.
struct DeliveryRun {
  static let target = 20.0
  let devices: Int
  let rate: Double
  let seconds: Int

  func measure() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let devices = try await BenchDevice.make(devices, in: directory)
    let server = try await MessagingServer.start(in: directory)
    return try await server.measuring {
      let load = try await DeliveryLoad.open(devices, server)
      Terminal.note("gcm: \(Int(rate)) messages/s to \(devices.count) devices over TLS, \(seconds) s")
      _ = try await load.run(rate: rate, for: .seconds(2))
      let share = MachineShare(with: [server.http.pid])
      let before = try SidesSample(server: server.http.pid)
      let watch = SecondsWatch(server: server.http.pid, at: server.address)
      let (result, trace) = try await watch.during {
        try await load.run(rate: rate, for: .seconds(seconds), watchedBy: watch)
      }
      let sides = try before.measured()
      try await load.close()
      let latencies = result.latencies
      let how = "request to its message at the device, \(devices.count) of them over TLS, \(Int(rate))/s"
      return latencies.measurements(
        "gcm.latency", settings: how,
        p99: PushGoal.atMost(Self.target, latencies[99]) + ", \(latencies.count) messages; \(share.text)", trace: trace)
        + sides.measurements(
          "gcm.latency", per: "message", count: latencies.count, "request, delivery and acknowledgement")
    }
  }
}

/// Requests to connected devices, so many a second, each followed to its device.
struct DeliveryLoad: Sendable {
  private static let lanes = 64

  let fleet: NIOLoopBound<DeviceFleet>
  let sends: NIOLoopBound<SendLoad>

  static func open(_ devices: [BenchDevice], _ server: MessagingServer) async throws -> DeliveryLoad {
    let fleet = try await DeviceFleet.connect(devices, to: server)
    // Not the server, which ends with its directory when nobody refers to it.
    let (key, address) = (server.senderKey, server.address)
    let sends = try await SendLoad.open(lanes, to: address, on: fleet.eventLoop) { number in
      BenchMessage.shared.request(
        number, to: devices[number % devices.count].token, key: key, address)
    }
    try await fleet.eventLoop.submit { fleet.value.onMessage = { sends.value.arrived($1) } }.get()
    return DeliveryLoad(fleet: fleet, sends: sends)
  }

  func run(
    rate: Double, for duration: Duration, watchedBy watch: SecondsWatch? = nil
  ) async throws -> PhaseResult {
    let result = try await fleet.eventLoop.flatSubmit { [sends] in
      sends.value.run(.open(rate: rate), until: .arrived, for: duration, watchedBy: watch)
    }.get()
    try await fleet.eventLoop.submit { [fleet] in if let failure = fleet.value.failure { throw failure } }.get()
    return result
  }

  func close() async throws {
    try await fleet.eventLoop.submit { [fleet, sends] in
      sends.value.close()
      fleet.value.close()
    }.get()
  }
}
