import EdgeSecurity
import Foundation
import MCSProtocol
import StandInSupport
import Testing

@testable import DeviceEdge

@Suite("MCS server over TLS", .timeLimit(.minutes(2)), .serialized, .enabled(if: StandIn.python != nil))
struct TLSTests {
  @Test("a message reaches the device")
  func delivery() async throws {
    let files = try SelfSignedCertificate()
    try await DeviceRig.run(tls: files.tls) { rig in
      let (credentials, token) = try await rig.device()
      let client = try await rig.logIn(credentials)
      let id = try await rig.send(to: token)
      #expect(try await client.message().persistentID == id)
    }
  }

  @Test("a new certificate is shown to the next connection; a broken one is not taken")
  func reload() async throws {
    let files = try SelfSignedCertificate()
    try await DeviceRig.run(tls: files.tls) { rig in
      let (credentials, _) = try await rig.device()
      let old = try Data(contentsOf: URL(fileURLWithPath: files.tls.certificateChainPath))
      try files.make()
      #expect(try Data(contentsOf: URL(fileURLWithPath: files.tls.certificateChainPath)) != old)
      // The client trusts the file's new certificate only.
      let refused = try await rig.connect()
      #expect(try await refused.next() == nil)
      #expect(try rig.server.certificate?.reloadIfChanged() == true)
      let client = try await rig.logIn(credentials)
      #expect(try await client.ping().isEmpty)
      try Data("nothing".utf8).write(to: URL(fileURLWithPath: files.tls.privateKeyPath))
      #expect(throws: (any Error).self) { try rig.server.certificate?.reload() }
      _ = try await rig.logIn(credentials)
    }
  }

  @Test("a client that does not finish its handshake is closed in time")
  func handshake() async throws {
    var limits = DeviceEdgeLimits()
    limits.session.loginTimeout = .seconds(2)
    let files = try SelfSignedCertificate()
    try await DeviceRig.run(limits: limits, tls: files.tls) { rig in
      let client = try await MCSClient.connect(rig.port)
      try await client.send(bytes: [22, 3, 1, 0, 200, 1])
      #expect(try await client.next() == nil)
    }
  }
}

extension SelfSignedCertificate {
  fileprivate var tls: TLSFiles { TLSFiles(certificateChainPath: certificate.path, privateKeyPath: key.path) }
}
