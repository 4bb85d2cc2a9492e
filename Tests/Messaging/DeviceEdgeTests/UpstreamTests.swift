import Engine
import MCSProtocol
import PushDomain
import SwiftProtobuf
import Synchronization
import Testing

@testable import DeviceEdge

/// An app server's connection: keeps what it gets, and acknowledges nothing by itself.
private final class AppServer: AppServerLink {
  private let (stream, continuation) = AsyncStream.makeStream(of: Mail.self)
  var pendingCount: Int { 0 }
  func deliver(_ mail: Mail) { continuation.yield(mail) }
  func close(_ reason: MailLinkClosing) { continuation.finish() }
  var mails: AsyncStream<Mail> { stream }
}

@Suite("MCS server, messages from the device", .timeLimit(.minutes(2)), .serialized)
struct UpstreamTests {
  private func message(_ id: String, to sender: String = DeviceRig.sender, immediateAck: Bool = false) -> MCSStanza {
    .dataMessage(
      .with {
        $0.id = id
        $0.from = "gcm@chrome.com"
        $0.to = "\(sender)@gcm.googleapis.com"
        $0.category = DeviceRig.app
        $0.appData = [MCSAppData("move", "e4")]
        $0.ttl = 600
        $0.persistentID = "p\(id)"
        $0.immediateAck = immediateAck
      })
  }

  @Test("a message reaches the app server, and is acknowledged once the engine has it")
  func delivery() async throws {
    try await DeviceRig.run { rig in
      let (credentials, token) = try await rig.device()
      let server = AppServer()
      try await rig.engine.appServers.attach(server, sender: DeviceRig.sender)
      let client = try await rig.logIn(credentials)
      try await client.send(message("m1", immediateAck: true))
      guard case .iq(let ack) = try await client.next() else { throw MCSClient.Unexpected() }
      #expect(ack.isStreamAck)
      #expect(ack.lastStreamIDReceived == 2)
      var mails = server.mails.makeAsyncIterator()
      let mail = await mails.next()
      #expect(mail?.id == "m1")
      #expect(mail?.origin == token)
      #expect(mail?.pairs == [MailPair("move", "e4")])
    }
  }

  @Test("twenty messages keep their order, and two stream acks answer them")
  func order() async throws {
    try await DeviceRig.run { rig in
      let (credentials, _) = try await rig.device()
      let server = AppServer()
      try await rig.engine.appServers.attach(server, sender: DeviceRig.sender)
      let client = try await rig.logIn(credentials)
      for number in 1...20 { try await client.send(message("m\(number)")) }
      for last in [11, 21] as [Int32] {
        guard case .iq(let ack) = try await client.next() else { throw MCSClient.Unexpected() }
        #expect(ack.lastStreamIDReceived == last)
      }
      var mails = server.mails.makeAsyncIterator()
      for number in 1...20 { #expect(await mails.next()?.id == "m\(number)") }
    }
  }

  @Test("one to a sender that the app has no token for comes back as an error")
  func refused() async throws {
    try await DeviceRig.run { rig in
      let (credentials, _) = try await rig.device()
      let client = try await rig.logIn(credentials)
      try await client.send(message("m1", to: "999"))
      let error = try await client.message()
      #expect(error.category == DeviceRig.app)
      #expect(error.appData.contains(MCSAppData("message_type", "send_error")))
      #expect(error.appData.contains(MCSAppData("google.message_id", "m1")))
      #expect(error.lastStreamIDReceived == 2)
    }
  }
}
