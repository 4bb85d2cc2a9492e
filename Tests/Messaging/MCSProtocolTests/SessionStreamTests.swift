import Foundation
import SwiftProtobuf
import Testing

@testable import MCSProtocol

@Suite("MCS session, messages to the device")
struct SessionDeliveryTests {
  @Test("a message goes out with the number of what has come")
  func deliver() {
    var session = openSession()
    _ = session.received(.stanza(Device.ping()))
    let actions = session.received(.deliver(downstream("a")))
    guard case .dataMessage(let message) = actions.written.first else { return #expect(Bool(false)) }
    #expect(message.persistentID == "a")
    #expect(message.lastStreamIDReceived == 2)
  }

  @Test("a stream ack acknowledges everything up to its number, and says so once")
  func streamAck() {
    var session = openSession()
    for id in ["a", "b", "c"] { _ = session.received(.deliver(downstream(id))) }
    // Number 1 was the login's answer.
    #expect(session.acknowledges(Device.ping(acknowledging: 3)) == ["a", "b"])
    #expect(session.acknowledges(Device.ping(acknowledging: 3)) == [])
    // The answers to the pings had numbers, too.
    #expect(session.acknowledges(Device.ping(acknowledging: 99)) == ["c"])
  }

  @Test("numbers that mean nothing acknowledge nothing", arguments: [0, 1, -1, .min] as [Int32])
  func meaningless(_ number: Int32) {
    var session = openSession()
    _ = session.received(.deliver(downstream("a")))
    #expect(session.acknowledges(Device.ping(acknowledging: number)) == [])
  }

  @Test("a selective ack names messages in any order")
  func selectiveAck() {
    var session = openSession()
    for id in ["a", "b", "c"] { _ = session.received(.deliver(downstream(id))) }
    #expect(session.acknowledges(.iq(.selectiveAck(["c", "a"]))) == ["c", "a"])
    #expect(session.acknowledges(Device.ping(acknowledging: 4)) == ["b"])
  }

  @Test("a selective ack that cannot be read ends the connection")
  func malformedAck() {
    var session = openSession()
    var iq = MCSIqStanza.selectiveAck(["a"])
    iq.extension.data = .init([0x0A, 0x7F])
    #expect(session.received(.stanza(.iq(iq))).closing == .violation(.malformed))
  }

  @Test("other extensions are passed over")
  func otherExtension() {
    var session = openSession()
    var iq = MCSIqStanza.streamAck
    iq.extension.id = 15
    #expect(session.received(.stanza(.iq(iq))).isEmpty)
    iq.clearExtension()
    #expect(session.received(.stanza(.iq(iq))).isEmpty)
  }

  @Test("what is on its way is not written twice, nor what has just been acknowledged")
  func duplicates() {
    var session = openSession()
    #expect(session.received(.deliver(downstream("a"))).written.count == 1)
    #expect(session.received(.deliver(downstream("a"))).isEmpty)
    _ = session.received(.stanza(.iq(.selectiveAck(["a"]))))
    #expect(session.received(.deliver(downstream("a"))).isEmpty)
  }

  @Test("what carries an acknowledgement is not confirmed before that is durable")
  func durable() {
    var session = openSession()
    _ = session.received(.deliver(downstream("a")))
    let actions = session.received(.stanza(Device.ping(acknowledging: 2)))
    #expect(actions.acknowledged == ["a"])
    #expect(actions.written.map(\.lastStreamIDReceived) == [1])
    #expect(session.received(.acknowledged).isEmpty)
    #expect(session.received(.stanza(Device.ping())).written.map(\.lastStreamIDReceived) == [3])
  }

  @Test("acknowledgements that come faster than the engine are given to it together, also at the end")
  func together() {
    var session = openSession()
    for id in ["a", "b", "c", "d"] { _ = session.received(.deliver(downstream(id))) }
    #expect(session.received(.stanza(.iq(.selectiveAck(["a"])))).acknowledged == ["a"])
    #expect(session.received(.stanza(.iq(.selectiveAck(["b"])))).isEmpty)
    #expect(session.received(.stanza(.iq(.selectiveAck(["c"])))).isEmpty)
    #expect(session.received(.acknowledged).acknowledged == ["b", "c"])
    #expect(session.received(.stanza(.iq(.selectiveAck(["d"])))).isEmpty)
    #expect(session.received(.closing(.lost)) == [.acknowledge(["d"]), .close(.lost)])
  }

  @Test("a client that never acknowledges gets everything, and is remembered within bounds")
  func neverAcknowledges() {
    var limits = MCSLimits()
    limits.unacknowledgedMaximum = 3
    var session = openSession(limits: limits)
    for number in 0..<50 { #expect(session.received(.deliver(downstream("\(number)"))).written.count == 1) }
    #expect(session.acknowledges(Device.ping(acknowledging: 1_000)) == ["47", "48", "49"])
  }
}

@Suite("MCS session, messages from the device")
struct SessionUpstreamTests {
  /// What the next heartbeat would tell the client.
  private func told(_ session: MCSSession) -> Int? {
    var copy = session
    return copy.received(.stanza(Device.ping())).written.first?.lastStreamIDReceived
  }

  @Test("the engine gets one after the other; the number stays behind the first that is not taken")
  func inOrder() {
    var session = openSession()
    #expect(session.received(.stanza(.dataMessage(Device.upstream("m2")))).sent == ["m2"])
    #expect(session.received(.stanza(.dataMessage(Device.upstream("m3")))).sent == [])
    #expect(told(session) == 1)
    #expect(session.received(.upstreamAnswered(.accepted)).sent == ["m3"])
    #expect(told(session) == 2)
    #expect(session.received(.upstreamAnswered(.accepted)).isEmpty)
    // The copy's ping was number 4.
    #expect(told(session) == 4)
  }

  @Test("ten messages are acknowledged by a stream ack of their own")
  func ten() {
    var session = openSession()
    var written: [MCSStanza] = []
    for number in 1...20 {
      _ = session.received(.stanza(.dataMessage(Device.upstream("\(number)"))))
      written += session.received(.upstreamAnswered(.accepted)).written
    }
    #expect(written.map(\.lastStreamIDReceived) == [11, 21])
    #expect(written.allSatisfy { if case .iq(let iq) = $0 { iq.isStreamAck && iq.type == .set } else { false } })
  }

  @Test("what the server says anyway acknowledges, too")
  func byTheWay() {
    var session = openSession()
    for number in 1...9 {
      _ = session.received(.stanza(.dataMessage(Device.upstream("\(number)"))))
      _ = session.received(.upstreamAnswered(.accepted))
    }
    #expect(session.received(.deliver(downstream("a"))).written.first?.lastStreamIDReceived == 10)
    _ = session.received(.stanza(.dataMessage(Device.upstream("10"))))
    #expect(session.received(.upstreamAnswered(.accepted)).isEmpty)
  }

  @Test("one that asks for it is acknowledged at once")
  func immediately() {
    var session = openSession()
    _ = session.received(.stanza(.dataMessage(Device.upstream("m", immediateAck: true))))
    let actions = session.received(.upstreamAnswered(.accepted))
    #expect(actions.written.map(\.lastStreamIDReceived) == [2])
  }

  @Test("a refused message comes back as an error of its app, and is acknowledged by it")
  func refused() {
    var session = openSession()
    var message = Device.upstream("m7")
    message.appData.append(MCSAppData("subtype", "wp:1"))
    _ = session.received(.stanza(.dataMessage(message)))
    let actions = session.received(.upstreamAnswered(.refused(reason: "TooBig")))
    guard case .dataMessage(let error) = actions.written.first else { return #expect(Bool(false)) }
    #expect(error.category == "com.example.app")
    #expect(
      error.appData == [
        MCSAppData("message_type", "send_error"), MCSAppData("google.message_id", "m7"), MCSAppData("error", "TooBig"),
        MCSAppData("subtype", "wp:1"),
      ])
    #expect(error.lastStreamIDReceived == 2)
    #expect(!error.hasPersistentID)
  }

  @Test("an engine that cannot take one now makes the device come back with it")
  func unavailable() {
    var session = openSession()
    _ = session.received(.stanza(.dataMessage(Device.upstream("m"))))
    let actions = session.received(.upstreamAnswered(.unavailable))
    #expect(actions.written == [.close(MCSClose())])
    #expect(actions.closing == .unavailable)
  }

  @Test("with as many waiting as may, nothing more is read until the engine has taken one")
  func backPressure() {
    var session = openSession()
    for number in 0..<32 {
      #expect(session.takesInput)
      _ = session.received(.stanza(.dataMessage(Device.upstream("\(number)"))))
    }
    #expect(!session.takesInput)
    _ = session.received(.upstreamAnswered(.accepted))
    #expect(session.takesInput)
  }

  @Test("an answer that nobody waits for is nothing")
  func stray() {
    var session = openSession()
    #expect(session.received(.upstreamAnswered(.accepted)).isEmpty)
  }
}
