import EdgeSecurity
import Engine
import GCMProtocol
import MCSProtocol
import PushDomain
import ServerKit
import ServiceLifecycle
import SwiftProtobuf
import Testing

@testable import DeviceEdge

@Suite("MCS server", .timeLimit(.minutes(2)), .serialized)
struct MCSServerTests {
  @Test("a message reaches the connected device, as the wire wants it")
  func delivery() async throws {
    try await DeviceRig.run { rig in
      let (credentials, token) = try await rig.device()
      let client = try await rig.logIn(credentials)
      let id = try await rig.send(to: token) {
        $0.collapseKey = "scores"
        $0.timeToLive = 600
        $0.wantsReceipt = true
      }
      let message = try await client.message()
      #expect(message.persistentID == id)
      #expect(message.from == DeviceRig.sender)
      #expect(message.category == DeviceRig.app)
      #expect(message.token == "scores")
      #expect(message.appData.contains(MCSAppData("score", "3x1")))
      #expect(message.ttl == 600)
      #expect(message.sent > 1_600_000_000_000)
      #expect(message.hasImmediateAck && !message.immediateAck)
      #expect(!message.hasRegID && !message.hasDeliveryReceiptRequested)
    }
  }

  @Test("what was not acknowledged comes again with the same id; what was, does not")
  func acknowledgement() async throws {
    try await DeviceRig.run { rig in
      let (credentials, token) = try await rig.device()
      let ids = try await [rig.send(to: token), rig.send(to: token), rig.send(to: token)]
      var client = try await rig.logIn(credentials)
      for id in ids { #expect(try await client.message().persistentID == id) }
      try await client.send(.iq(.selectiveAck([ids[1]])))
      // Number 1 was the login's answer.
      try await client.send(.heartbeatPing(.with { $0.lastStreamIDReceived = 2 }))
      try await client.confirmed(upTo: 3)
      try await client.close()
      client = try await rig.logIn(credentials)
      #expect(try await client.message().persistentID == ids[2])
      try await client.close()
      client = try await rig.logIn(credentials, received: [ids[2]])
      #expect(try await client.ping().isEmpty)
    }
  }

  @Test("a device that never acknowledges gets all that comes")
  func neverAcknowledges() async throws {
    try await DeviceRig.run { rig in
      let (credentials, token) = try await rig.device()
      let client = try await rig.logIn(credentials)
      for _ in 0..<40 {
        let id = try await rig.send(to: token)
        #expect(try await client.message().persistentID == id)
      }
    }
  }

  @Test("a device that acknowledged and then stalls gets every message over its next connection")
  func stalls() async throws {
    try await DeviceRig.run { rig in
      let (credentials, token) = try await rig.device()
      var client = try await rig.logIn(credentials)
      let first = try await rig.send(to: token)
      #expect(try await client.message().persistentID == first)
      try await client.send(.iq(.selectiveAck([first])))
      try await client.confirmed(upTo: 2)
      // From here on it neither reads nor answers.
      try await client.stopReading()
      var ids: [String] = []
      for _ in 0..<150 { ids.append(try await rig.send(to: token)) }
      try await client.close()
      client = try await rig.logIn(credentials)
      for id in ids { #expect(try await client.message().persistentID == id) }
      #expect(try await client.ping().isEmpty)
    }
  }

  @Test("a wrong token is refused, and the connection ends")
  func wrongToken() async throws {
    try await DeviceRig.run { rig in
      let (credentials, _) = try await rig.device()
      let client = try await rig.connect()
      try await client.logIn(
        InstallationCredentials(id: credentials.id, securityToken: credentials.securityToken ^ 1))
      guard case .loginResponse(let response) = try await client.next() else { throw MCSClient.Unexpected() }
      #expect(response.error.code != 0)
      #expect(try await client.next() == nil)
    }
  }

  @Test("an address with too many wrong tokens is told to come back, whatever it shows: no device loses its identity")
  func tooManyWrongTokens() async throws {
    var settings = BudgetSettings()
    settings.exempt = []
    settings.addressPerMinute[.wrongTokens] = 2
    try await DeviceRig.run(budgets: StrangerBudgets(settings, nanoseconds: { 0 })) { rig in
      let (credentials, _) = try await rig.device()
      let wrong = InstallationCredentials(id: credentials.id, securityToken: credentials.securityToken ^ 1)
      for _ in 0..<2 {
        let client = try await rig.connect()
        try await client.logIn(wrong)
        guard case .loginResponse = try await client.next() else { throw MCSClient.Unexpected() }
      }
      for shown in [wrong, credentials] {
        let client = try await rig.connect()
        try await client.logIn(shown)
        #expect(try await client.next() == .close(MCSClose()))
        #expect(try await client.next() == nil)
      }
    }
  }

  @Test("while the engine is not ready, a device is told to come back: it must not take itself for unknown")
  func recovering() async throws {
    try await DeviceRig.run(recovers: false) { rig in
      let client = try await rig.connect()
      try await client.logIn(InstallationCredentials(id: InstallationID(7), securityToken: 8))
      #expect(try await client.next() == .close(MCSClose()))
      #expect(try await client.next() == nil)
    }
  }

  @Test("the second connection of a device ends the first")
  func replaced() async throws {
    try await DeviceRig.run { rig in
      let (credentials, token) = try await rig.device()
      let first = try await rig.logIn(credentials)
      let second = try await rig.logIn(credentials)
      #expect(try await first.next() == .close(MCSClose()))
      #expect(try await first.next() == nil)
      let id = try await rig.send(to: token)
      #expect(try await second.message().persistentID == id)
    }
  }

  @Test("an idle device gets what is urgent, the rest when it wakes up")
  func idle() async throws {
    try await DeviceRig.run { rig in
      let (credentials, token) = try await rig.device()
      let client = try await rig.logIn(credentials)
      try await client.send(.heartbeatPing(.with { $0.status = 1 }))
      guard case .heartbeatAck = try await client.next() else { throw MCSClient.Unexpected() }
      let normal = try await rig.send(to: token)
      let high = try await rig.send(to: token) { $0.priority = .high }
      #expect(try await client.message().persistentID == high)
      #expect(try await client.ping().isEmpty)
      try await client.send(
        .dataMessage(
          .with {
            $0.from = "gcm@android.com"
            $0.category = "com.google.android.gsf.gtalkservice"
            $0.appData = [MCSAppData("IdleNotification", "false")]
          }))
      #expect(try await client.message().persistentID == normal)
    }
  }

  @Test(
    "bytes that are no stanzas end the connection",
    arguments: [
      ([22, 3, 1, 0], nil), (Array("GET / HTTP/1.1\r\n\r\n".utf8), nil), ([41, 9, 0], "unknown-tag"),
      ([41, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "too-long"), ([41, 2, 0], "malformed"),
      ([41, 0, 0], "unexpected-stanza"),
    ] as [([UInt8], String?)])
  func hostile(_ bytes: [UInt8], _ type: String?) async throws {
    try await DeviceRig.run { rig in
      let client = try await rig.connect()
      try await client.send(bytes: bytes)
      if let type { #expect(try await client.next() == .streamError(.with { $0.type = type })) }
      #expect(try await client.next() == nil)
    }
  }

  @Test("a connection that does not log in is closed in time")
  func loginDeadline() async throws {
    var limits = DeviceEdgeLimits()
    limits.session.loginTimeout = .milliseconds(500)
    try await DeviceRig.run(limits: limits) { rig in
      let client = try await rig.connect()
      #expect(try await client.next() == nil)
    }
  }

  @Test("the server pings a device as often as it asks, and closes when it never answers")
  func heartbeat() async throws {
    var limits = DeviceEdgeLimits()
    limits.session.heartbeatMinimum = .milliseconds(500)
    limits.session.heartbeatAnswerTimeout = .seconds(4)
    try await DeviceRig.run(limits: limits) { rig in
      let (credentials, _) = try await rig.device()
      let client = try await rig.connect()
      try await client.logIn(credentials) {
        $0.heartbeatStat = .with {
          $0.ip = ""
          $0.timeout = true
          $0.intervalMs = 500
        }
      }
      var stanzas: [MCSStanza] = []
      while let stanza = try await client.next() { stanzas.append(stanza) }
      #expect(stanzas.dropFirst().dropLast().allSatisfy { if case .heartbeatPing = $0 { true } else { false } })
      #expect(stanzas.count >= 4)
      #expect(stanzas.last == .close(MCSClose()))
    }
  }

  @Test("a device that does not read is dropped; nothing of it stays")
  func slow() async throws {
    var limits = DeviceEdgeLimits()
    limits.backlogBytesMaximum = 65_536
    try await DeviceRig.run(limits: limits) { rig in
      let (credentials, token) = try await rig.device()
      let client = try await rig.logIn(credentials)
      try await client.stopReading()
      let filler = String(repeating: "x", count: 4_000)
      // More than the kernel's buffers on both sides hold, unless the connection ends before.
      for _ in 0..<5_000 where rig.server.connectionCount > 0 {
        var request = DownstreamRequest(target: .recipient(token))
        request.data = [MailPair("filler", filler)]
        request.timeToLive = 0
        request.priority = .high
        _ = try await rig.engine.messaging.send(request, sender: DeviceRig.sender)
      }
      try await rig.holds(0)
      try? await client.close()
    }
  }

  @Test("there is room for so many connections, and for more again when one has gone")
  func room() async throws {
    var limits = DeviceEdgeLimits()
    limits.connectionsMaximum = 2
    try await DeviceRig.run(limits: limits) { rig in
      let (credentials, _) = try await rig.device()
      let first = try await rig.connect()
      let second = try await rig.connect()
      try await rig.holds(2)
      let third = try await rig.connect()
      #expect(try await third.next() == nil)
      try await first.close()
      try await second.close()
      try await rig.holds(0)
      _ = try await rig.logIn(credentials)
    }
  }

  @Test("a server that stops tells its devices to come back")
  func stop() async throws {
    try await DeviceRig.run { rig in
      let (credentials, _) = try await rig.device()
      let client = try await rig.logIn(credentials)
      await rig.services.triggerGracefulShutdown()
      #expect(try await client.next() == .close(MCSClose()))
      #expect(try await client.next() == nil)
    }
  }
}
