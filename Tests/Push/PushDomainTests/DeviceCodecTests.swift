import EventSourcing
import PushDomain
import Testing

@Suite("Device events and state in the journal")
struct DeviceCodecTests {
  static let full = DeviceRegistration.sample(
    language: "de", authorization: "dTpw", platform: "ios", app: "bänk", owner: "anna")
  static let events: [DeviceEvent] = [
    .registered(full), .registered(.sample()), .moved(full), .ended(reason: "410"), .ended(reason: ""),
    .replaced(by: .sample("new")), .renewed, .erased(state: Device().stateBytes),
  ]

  @Test("every event comes back as it went in, also with fields of a later version", arguments: events)
  func roundTrip(event: DeviceEvent) throws {
    var stored = StoredEvent(event)
    #expect(try stored.decoded(as: DeviceEvent.self) == event)
    var later = PayloadWriter()
    later.text(40, "new")
    later.integer(41, 7)
    stored.payload += later.bytes
    #expect(try stored.decoded(as: DeviceEvent.self) == event)
  }

  @Test("a payload that was cut fails and never traps", arguments: events)
  func cut(event: DeviceEvent) {
    let stored = StoredEvent(event)
    for length in 0..<stored.payload.count {
      let part = StoredEvent(tag: stored.tag, payload: Array(stored.payload.prefix(length)))
      #expect((try? part.decoded(as: DeviceEvent.self)) != event)
    }
  }

  @Test(
    "the stored bytes are frozen",
    arguments: [
      (
        .registered(full), 1, "0a160a03696f731205746f6b656e22026465 320464547077 1203696f73 1a0562c3a46e6b 2204616e6e61"
      ),
      (.moved(.sample()), 2, "0a0c 0a03696f731205746f6b656e"), (.ended(reason: "x"), 3, "0a0178"),
      (.erased(state: [0x10, 2]), 4, "0a021002"),
      (.replaced(by: PushAddress(type: "y", deviceID: "d")), 5, "0a0179 120164"),
    ] as [(DeviceEvent, EventTag, String)])
  func golden(event: DeviceEvent, tag: EventTag, hexadecimal: String) {
    let stored = StoredEvent(event)
    #expect(stored.tag == tag)
    let bytes = stored.payload.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(bytes == hexadecimal.replacing(" ", with: ""))
  }

  @Test(
    "what cannot be read is refused",
    arguments: [
      (1, [], .missingField(1)), (1, [0x0A, 0x00], .missingField(1)), (3, [], .missingField(1)),
      (4, [], .missingField(1)),
      (4, [0x0A, 2, 0x22, 0], .missingField(5)), (4, [0x0A, 1, 0x22], .truncated), (99, [], .unknownTag(99)),
    ] as [(EventTag, [UInt8], PayloadError)])
  func refused(tag: EventTag, payload: [UInt8], error: PayloadError) {
    #expect(throws: error) { try StoredEvent(tag: tag, payload: payload).decoded(as: DeviceEvent.self) }
  }

  @Test("only the restatement is one")
  func restatement() { #expect((EventTag(0)...20).filter(DeviceEvent.isRestatement) == [4]) }

  @Test("an unborn device has times and nothing else")
  func unborn() throws {
    #expect(Device().stateBytes == [0x10, 0, 0x18, 0])
    #expect(try Device(stateBytes: []) == Device())
  }
}
