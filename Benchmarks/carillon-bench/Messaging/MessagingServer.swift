import CarillonClient

/// A server of this build with a port for devices, and a sender that may send to them.
final class MessagingServer: Sendable {
  let http: BenchServer
  let devicePort: Int
  let isSecure: Bool
  /// What app servers send with.
  let senderKey: String

  /// Starts it and waits until it is ready.
  /// - Parameter isSecure: devices connect over TLS.
  static func start(in directory: WorkDirectory, isSecure: Bool = true) async throws -> MessagingServer {
    let server = try await MessagingServer(directory, isSecure)
    try await server.http.waitUntilReady()
    return server
  }

  private init(_ directory: WorkDirectory, _ isSecure: Bool) async throws {
    self.isSecure = isSecure
    devicePort = try BenchServer.freePort()
    var options = ["gcm.mcs_port: \(devicePort)", "gcm.mcs_host: localhost", "limits.mcs_connections: 19000"]
    if isSecure {
      let certificate = try await Certificate.make(in: directory)
      options += ["gcm.tls.certificate: \(certificate.path)", "gcm.tls.key: \(certificate.keyPath)"]
    }
    http = try await BenchServer(in: directory, options: options)
    senderKey = try await BenchServer.createToken(
      try BenchServer.executable(), directory, name: "shop", ["--role", "sender", "--sender", BenchDevice.sender])
  }

  var address: ServerAddress { http.address }

  func sample() throws -> ProcessSample { try ProcessSample(of: http.pid) }

  /// Runs `work` and ends the server; what goes wrong is told together with the end of its log.
  func measuring<Result>(_ work: () async throws -> Result) async throws -> Result {
    defer { http.stop() }
    do { return try await work() } catch {
      throw BenchError("\(error)\nthe server's log ends with:\n\(http.logTail)")
    }
  }
}
