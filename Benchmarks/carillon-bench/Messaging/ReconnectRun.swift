import BenchReport
import NIOCore
import NIOPosix

/// After an outage of the network all devices come at once and fetch what has been stored for them.
struct ReconnectRun {
  static let target = 30.0
  let devices: Int
  let stored: Int

  func measure() async throws -> [Measurement] {
    let directory = try WorkDirectory()
    let devices = try await BenchDevice.make(devices, in: directory, stored: stored)
    let server = try await MessagingServer.start(in: directory)
    return try await server.measuring {
      Terminal.note("gcm: \(devices.count) devices come back at once")
      let (share, before) = (MachineShare(with: [server.http.pid]), try server.sample())
      let start = ContinuousClock.now
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let settings = DeviceFleet.Settings(
        port: server.devicePort, isSecure: true, loginsAtOnce: devices.count)
      let watch = try await loop.submit {
        NIOLoopBound(try Watch(DeviceFleet(devices, settings, on: loop), stored: stored), eventLoop: loop)
      }.get()
      async let settled: Void = loop.flatSubmit { watch.value.begin() }.get()
      try await settled
      let seconds = (ContinuousClock.now - start).inSeconds
      let cpu = try server.sample().cpuSeconds - before.cpuSeconds
      let (loggedIn, retries) = try await loop.submit {
        if let failure = watch.value.failure { throw failure }
        watch.value.fleet.close()
        return (watch.value.loginSeconds, watch.value.fleet.retryCount)
      }.get()
      return [
        Measurement(
          "gcm.reconnect.seconds", seconds, "s",
          settings: PushGoal.atMost(Self.target, seconds)
            + ", \(devices.count) devices over TLS with \(stored) messages each, until all acknowledgements are on the "
            + "disk; \(retries) connections made again; \(share.text)"),
        Measurement("gcm.reconnect.logins.seconds", loggedIn, "s", settings: "until all have logged in"),
        Measurement(
          "gcm.reconnect.cpu", cpu / Double(devices.count) * 1e6, "µs/device", settings: "server, messages included"),
      ]
    }
  }

  /// Looks at what comes: each device's own messages, each once, all of them.
  private final class Watch {
    let fleet: DeviceFleet
    private(set) var loginSeconds = 0.0
    private let stored: Int
    private var missing: [Int]
    private var seen: [Bool]
    private var unsettled: Int
    private var promise: EventLoopPromise<Void>?
    private(set) var failure: BenchError?

    init(_ fleet: DeviceFleet, stored: Int) {
      self.fleet = fleet
      self.stored = stored
      missing = Array(repeating: stored, count: fleet.devices.count)
      seen = Array(repeating: false, count: fleet.devices.count * stored)
      unsettled = fleet.devices.count
    }

    func begin() -> EventLoopFuture<Void> {
      let promise = fleet.loop.makePromise(of: Void.self)
      self.promise = promise
      fleet.onMessage = { [unowned self] in arrived($0, $1) }
      fleet.onSettled = { [unowned self] _ in settled() }
      let start = NIODeadline.now()
      let bound = NIOLoopBound(self, eventLoop: fleet.loop)
      fleet.connect().assumeIsolated().whenComplete { result in
        switch result {
        case .success: bound.value.loginSeconds = Double((NIODeadline.now() - start).nanoseconds) / 1e9
        case .failure(let error): bound.value.fail("\(error)")
        }
      }
      fleet.loop.scheduleTask(in: .seconds(Limits.setUpTimeout.components.seconds)) {
        bound.value.fail("\(bound.value.unsettled) devices have not got everything")
      }
      return promise.futureResult
    }

    private func arrived(_ index: Int, _ number: Int) {
      guard seen.indices.contains(number), !seen[number] else { return fail("message \(number) came twice") }
      seen[number] = true
      missing[index] -= 1
      if missing[index] == 0 { fleet.settle(index) }
    }

    private func settled() {
      unsettled -= 1
      guard unsettled == 0 else { return }
      promise?.succeed()
      promise = nil
    }

    private func fail(_ message: String) {
      guard let promise else { return }
      let error = BenchError(message)
      failure = error
      promise.fail(error)
      self.promise = nil
    }
  }
}
