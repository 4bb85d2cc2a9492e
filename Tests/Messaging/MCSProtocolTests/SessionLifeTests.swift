import SwiftProtobuf
import Testing

@testable import MCSProtocol

@Suite("MCS session, heartbeats and idleness")
struct SessionLifeTests {
  @Test("a client's ping is answered")
  func ping() {
    var session = openSession()
    #expect(session.received(.stanza(Device.ping())) == [.write(.heartbeatAck(.with { $0.lastStreamIDReceived = 2 }))])
    #expect(session.received(.stanza(.heartbeatAck(MCSHeartbeatAck()))).isEmpty)
  }

  @Test(
    "the server pings as often as the client asks, within bounds",
    arguments: [(10_000, 10), (1, 5), (-7, 5), (3_600_000, 900)] as [(Int32, Int)])
  func asked(milliseconds: Int32, seconds: Int) {
    var session = MCSSession()
    _ = session.received(
      .stanza(
        Device.login {
          $0.heartbeatStat = .with {
            $0.ip = ""
            $0.timeout = true
            $0.intervalMs = milliseconds
          }
        }))
    #expect(session.received(.loginAnswered(.accepted(0))).contains(.setDeadline(.seconds(seconds))))
  }

  private func asking(every milliseconds: Int32) -> MCSSession {
    openSession(
      login: Device.login {
        $0.heartbeatStat = .with {
          $0.ip = ""
          $0.timeout = true
          $0.intervalMs = milliseconds
        }
      })
  }

  @Test("a client that does not answer for a minute is gone")
  func silent() {
    var session = asking(every: 10_000)
    for _ in 0..<6 {
      let actions = session.received(.deadlinePassed)
      #expect(actions.written.count == 1)
      #expect(actions.last == .setDeadline(.seconds(10)))
    }
    let actions = session.received(.deadlinePassed)
    #expect(actions.written == [.close(MCSClose())])
    #expect(actions.closing == .silent)
  }

  @Test("a long interval is waited out only up to a minute behind its ping")
  func longInterval() {
    var session = asking(every: 600_000)
    #expect(session.received(.deadlinePassed).last == .setDeadline(.seconds(60)))
    #expect(session.received(.deadlinePassed).closing == .silent)
  }

  @Test("whatever the client says is an answer")
  func answered() {
    var session = asking(every: 600_000)
    _ = session.received(.deadlinePassed)
    _ = session.received(.stanza(.iq(.streamAck)))
    #expect(session.received(.deadlinePassed) == [.setDeadline(.seconds(540))])
    #expect(session.received(.deadlinePassed).written.count == 1)
  }

  @Test("a client that knows no heartbeats is pinged, but need not answer")
  func mute() {
    var session = openSession()
    for _ in 0..<5 {
      let actions = session.received(.deadlinePassed)
      #expect(actions.closing == nil)
      if let ping = actions.written.first { #expect(ping == .heartbeatPing(.with { $0.lastStreamIDReceived = 1 })) }
    }
  }

  @Test("who has sent a heartbeat once has to answer")
  func notMute() {
    var session = openSession()
    _ = session.received(.stanza(Device.ping()))
    #expect(session.received(.deadlinePassed).last == .setDeadline(.seconds(60)))
    #expect(session.received(.deadlinePassed).closing == .silent)
  }

  @Test("the device's status and its notifications say whether it is idle; changes are told")
  func idle() {
    var session = openSession()
    let steps: [(MCSStanza, Bool?)] = [
      (Device.ping(status: 0), nil), (Device.ping(status: 1), true), (Device.ping(status: 3), nil),
      (Device.ping(), nil),
      (Device.idleNotification("false"), false), (Device.idleNotification("true"), true),
      (.heartbeatAck(.with { $0.status = 2 }), false),
    ]
    for (stanza, change) in steps {
      let told = session.received(.stanza(stanza)).compactMap {
        if case .setIdle(let isIdle) = $0 { isIdle } else { nil }
      }
      #expect(told == [change].compactMap(\.self))
    }
  }

  @Test("what the device says to the service goes to no app server")
  func service() {
    var session = openSession()
    #expect(session.received(.stanza(Device.idleNotification("false"))).sent == [])
  }

  @Test("a Close ends it", arguments: [.close(MCSClose()), .streamError(.with { $0.type = "x" })] as [MCSStanza])
  func close(_ stanza: MCSStanza) {
    var session = openSession()
    #expect(session.received(.stanza(stanza)) == [.close(.client)])
    #expect(session.received(.deliver(downstream("a"))).isEmpty)
  }

  @Test(
    "whoever ends it, the client is told to come back", arguments: [.replaced, .draining, .revoked] as [MCSClosing])
  func closing(_ reason: MCSClosing) {
    var session = openSession()
    #expect(session.received(.closing(reason)) == [.write(.close(MCSClose())), .close(reason)])
  }

  @Test("a stanza that cannot be read is named before the end")
  func violation() {
    var session = openSession()
    let actions = session.received(.violation(.tooLong))
    #expect(actions.written == [.streamError(.with { $0.type = "too-long" })])
    #expect(actions.closing == .violation(.tooLong))
  }
}
