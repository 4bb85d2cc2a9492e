import BenchReport
import HTTP2Client
import NIOHPACK
import ProcessControl
import PushDomain

/// The HTTP/2 client by itself, in turns with h2load, so that both meet the same moods of the machine.
struct ClientRun {
  static let target = 30_000.0
  let requests: Int
  let inFlight: Int

  private static let rounds = 3
  private static let body = Array(
    #"{"aps":{"alert":{"body":"New message from Agent"},"sound":"default"},"message":{"message":"New message from Agent","serviceId":"1-7d3f2a10-9c4e-4b21-8a55-000000000001"}}"#
      .utf8)

  func measure() async throws -> [Measurement] {
    Terminal.note("push: the HTTP/2 client alone, \(requests) requests, \(inFlight) in flight, in turns with h2load")
    let directory = try WorkDirectory()
    let peer = try await Nghttpd(in: directory)
    let token = PushStock.token(1)
    try peer.add(device: token)
    let child = try await peer.start()
    defer { child.endAtOnce() }
    var settings: HTTP2Settings
    do {
      settings = try HTTP2Settings(baseURL: peer.baseURL)
      settings.caFile = peer.certificate
      // As the lanes of APNs are.
      settings.startsWithOneStream = true
      let origin = try HTTP2Origin(settings)
      let results = try await measure(origin, peer, child, path: "/3/device/\(token)", directory)
      await origin.shutdown()
      return results
    }
  }

  private func measure(
    _ origin: HTTP2Origin, _ peer: Nghttpd, _ child: ChildProcess, path: String, _ directory: WorkDirectory
  ) async throws -> [Measurement] {
    _ = try await send(2_000, origin, path: path)
    var (seconds, rawSeconds, cpu) = (0.0, 0.0, 0.0)
    var latencies: [Int64] = []
    let share = MachineShare(with: [child.pid])
    var hasRaw = true
    for _ in 0..<Self.rounds {
      let before = try ProcessSample(of: ownPID()).cpuSeconds
      let began = ContinuousClock.now
      latencies += try await send(requests / Self.rounds, origin, path: path)
      seconds += (ContinuousClock.now - began).inSeconds
      cpu += try ProcessSample(of: ownPID()).cpuSeconds - before
      let raw = try await RawHTTP2.measure(
        peer, path: path, body: Self.body, requests: requests / Self.rounds, inFlight: inFlight, in: directory)
      if let raw { rawSeconds += Double(requests / Self.rounds) / raw } else { hasRaw = false }
    }
    let sent = Double(latencies.count)
    let percentiles = LatencyHistogram(latencies)
    let connections = origin.statistics.connections
    var results = [
      Measurement(
        "push.client", sent / seconds, "requests/s",
        settings: PushGoal.atLeast(Self.target, sent / seconds)
          + ", nghttpd over TLS, \(inFlight) in flight, \(connections) connections; \(share.text)"),
      Measurement("push.client.p99", percentiles[99], "ms", settings: "at the maximum"),
      Measurement("push.client.cpu", cpu / sent * 1e6, "µs/request", settings: "client alone, nghttpd besides"),
    ]
    if hasRaw {
      results.append(
        Measurement(
          "push.client.raw", sent / rawSeconds, "requests/s",
          settings: "h2load, in turns with ours, which has "
            + "\(Measurement.decimal(rawSeconds / seconds, digits: 2)) of it; its processor time counts to the others"))
    }
    return results
  }

  /// - Returns: nanoseconds of each.
  private func send(_ count: Int, _ origin: HTTP2Origin, path: String) async throws -> [Int64] {
    let request = HTTP2Request(path: path, headers: Self.headers, body: Self.body)
    return try await withThrowingTaskGroup(of: [Int64].self) { group in
      for worker in 0..<inFlight {
        group.addTask {
          var latencies: [Int64] = []
          for _ in stride(from: worker, to: count, by: inFlight) {
            let began = ContinuousClock.now
            let outcome = await origin.send(request)
            guard case .answered(let response) = outcome, response.status == 200 else {
              throw BenchError("a request failed: \(outcome)")
            }
            latencies.append((ContinuousClock.now - began).wholeNanoseconds)
          }
          return latencies
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private static var headers: HPACKHeaders {
    var headers = HPACKHeaders()
    headers.add(name: "apns-topic", value: "com.example.app")
    headers.add(name: "apns-push-type", value: "alert")
    headers.add(name: "apns-priority", value: "10")
    headers.add(name: "content-type", value: "application/json")
    headers.add(name: "apns-id", value: "0b7c6e1e-52a4-8d55-9a3d-3f1d1c0a77e2", indexing: .nonIndexable)
    headers.add(name: "apns-expiration", value: "1789990000", indexing: .nonIndexable)
    headers.add(name: "authorization", value: "bearer " + String(repeating: "x", count: 199), indexing: .nonIndexable)
    return headers
  }
}

extension Duration {
  var wholeNanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// How a figure stands to what was promised.
enum PushGoal {
  static func atLeast(_ target: Double, _ value: Double) -> String {
    "target >= \(Measurement("", target, "").text): \(value >= target ? "met" : "MISSED")"
  }

  static func atMost(_ target: Double, _ value: Double) -> String {
    "target <= \(Measurement("", target, "").text): \(value <= target ? "met" : "MISSED")"
  }
}
