import SwiftProtobuf
import Testing

@testable import MCSProtocol

@Suite("MCS session, before and at the login")
struct SessionLoginTests {
  @Test("the connection has its time to log in, and no more")
  func deadline() {
    var session = MCSSession()
    #expect(session.opened() == [.setDeadline(.seconds(10))])
    #expect(session.received(.deadlinePassed) == [.close(.loginTimeout)])
    #expect(session.received(.stanza(Device.login())).isEmpty)
  }

  @Test("a login is put to the engine with what the device has received")
  func login() {
    var session = MCSSession()
    let actions = session.received(.stanza(Device.login(received: ["a", "b"])))
    #expect(
      actions == [.logIn(MCSCredentials(user: 4_410_000_000_000_000_001, token: 77), received: ["a", "b"])])
  }

  @Test("Android's numbers have a sign")
  func signed() {
    var session = MCSSession()
    let actions = session.received(.stanza(Device.login(user: "7", token: "-2")))
    #expect(actions == [.logIn(MCSCredentials(user: 7, token: .max - 1), received: [])])
  }

  @Test("an accepted login is answered with the first stanza, then come the heartbeat and what is stored")
  func accepted() throws {
    var session = MCSSession()
    _ = session.received(.stanza(Device.login()))
    let actions = session.received(.loginAnswered(.accepted(1_700_000_000_000)))
    guard case .write(.loginResponse(let response)) = try #require(actions.first) else {
      return #expect(Bool(false), "no login response")
    }
    #expect(response.id == "chrome-63.0.3234.0")
    #expect(!response.hasError)
    #expect(response.streamID == 1)
    #expect(response.lastStreamIDReceived == 1)
    #expect(response.serverTimestamp == 1_700_000_000_000)
    #expect(response.heartbeatConfig.intervalMs == 900_000)
    #expect(Array(actions.dropFirst()) == [.setDeadline(.seconds(900)), .drain])
  }

  @Test(
    "credentials that are no numbers, or wrong, are refused",
    arguments: [
      Device.login(user: "x"), Device.login(token: ""), Device.login(token: "0x1"),
      Device.login(user: "18446744073709551616"),
    ])
  func malformedCredentials(_ login: MCSStanza) {
    var session = MCSSession()
    let actions = session.received(.stanza(login))
    #expect(actions.closing == .loginRefused)
    guard case .loginResponse(let response) = actions.written.first else { return #expect(Bool(false)) }
    #expect(response.error.code == 401)
  }

  @Test("a refusal by the engine is a login response with an error")
  func refused() {
    var session = MCSSession()
    _ = session.received(.stanza(Device.login()))
    let actions = session.received(.loginAnswered(.refused))
    guard case .loginResponse(let response) = actions.written.first else { return #expect(Bool(false)) }
    #expect(response.error.code != 0)
    #expect(actions.last == .close(.loginRefused))
  }

  @Test("an engine that is not ready costs no device its identity")
  func unavailable() {
    var session = MCSSession()
    _ = session.received(.stanza(Device.login()))
    let actions = session.received(.loginAnswered(.unavailable))
    #expect(actions == [.write(.close(MCSClose())), .close(.unavailable)])
  }

  @Test(
    "nothing comes before the login",
    arguments: [
      Device.ping(), .dataMessage(Device.upstream("m")), .iq(.selectiveAck(["a"])), .close(MCSClose()),
      .loginResponse(.with { $0.id = "" }),
    ])
  func first(_ stanza: MCSStanza) {
    var session = MCSSession()
    let actions = session.received(.stanza(stanza))
    #expect(actions.closing == .violation(.unexpected))
    #expect(actions.written == [.streamError(.with { $0.type = "unexpected-stanza" })])
  }

  @Test("who does not speak the protocol is told nothing")
  func foreign() {
    var session = MCSSession()
    #expect(session.received(.violation(.unknownVersion)) == [.close(.violation(.unknownVersion))])
  }

  @Test("what comes behind the login waits for its answer")
  func early() {
    var session = MCSSession()
    _ = session.received(.stanza(Device.login()))
    #expect(session.received(.stanza(.dataMessage(Device.upstream("m1")))).isEmpty)
    let actions = session.received(.loginAnswered(.accepted(0)))
    #expect(actions.sent == ["m1"])
  }

  @Test("too much behind the login ends the connection; before that nothing more is read")
  func impatient() {
    var session = MCSSession()
    _ = session.received(.stanza(Device.login()))
    for _ in 0..<16 {
      #expect(session.takesInput)
      #expect(session.received(.stanza(Device.ping())).isEmpty)
    }
    #expect(!session.takesInput)
    #expect(session.received(.stanza(Device.ping())).closing == .violation(.impatient))
  }

  @Test("a second login is none")
  func twice() {
    var session = openSession()
    #expect(session.received(.stanza(Device.login())).closing == .violation(.unexpected))
  }

  @Test("a device that logs in asleep is asleep before it gets what is stored")
  func asleep() {
    var session = MCSSession()
    _ = session.received(.stanza(Device.login { $0.status = 1 }))
    let actions = session.received(.loginAnswered(.accepted(0)))
    #expect(actions.suffix(2) == [.setIdle(true), .drain])
  }
}
