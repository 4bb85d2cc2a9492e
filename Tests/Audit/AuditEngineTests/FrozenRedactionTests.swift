import EventSourcing
import Testing

@testable import AuditEngine

@Suite("What the log of redactions writes")
struct FrozenRedactionTests {
  @Test("the bytes are frozen")
  func redaction() throws {
    let redaction = RedactionLog.Redaction(
      id: "i", by: "b", reason: "r", records: 1, entities: 2, segments: 3, upTo: 4,
      requestedAt: Timestamp(milliseconds: 5))
    let stored = StoredEvent(RedactionLog.Event.redacted(redaction))
    #expect(
      stored.payload == [
        0x0A, 0x01, 0x69, 0x12, 0x01, 0x62, 0x1A, 0x01, 0x72, 0x20, 0x02, 0x28, 0x04, 0x30, 0x06, 0x38, 0x04, 0x40,
        0x0A,
      ])
    var log = RedactionLog()
    log.evolve(try stored.decoded(as: RedactionLog.Event.self), at: .epoch)
    #expect(log.redactions == [redaction])
    #expect(log.stateBytes == [0x08, 2, 0x12, 19] + stored.payload)
    #expect(try RedactionLog(stateBytes: log.stateBytes).redactions == [redaction])
  }
}
