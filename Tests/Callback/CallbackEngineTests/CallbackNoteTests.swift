import CallbackDomain
import EventSourcing
import Testing

@testable import CallbackEngine

@Suite("The note of a callback that sleeps")
struct CallbackNoteTests {
  /// Notes stand in snapshots: never change a byte.
  @Test("its bytes are frozen, and come back")
  func frozen() throws {
    var note = CallbackNote()
    note.serviceName = "s"
    note.status = .queued
    note.createdAt = Timestamp(milliseconds: 5)
    note.desiredTime = Timestamp(milliseconds: 6)
    note.slot = Timestamp(milliseconds: 7)
    note.queuedAt = Timestamp(milliseconds: 8)
    note.priority = -1
    note.agentID = "a"
    note.wantsAgent = true
    note.fields = [NameValuePair("n", "v")]
    note.isChat = true
    note.accessCode = "c"
    note.chatKey = "k"
    let bytes: [UInt8] = [
      0x0A, 1, 0x73, 0x10, 2, 0x18, 10, 0x20, 12, 0x28, 14, 0x30, 16, 0x38, 1, 0x42, 1, 0x61, 0x48, 1,
      0x52, 6, 0x0A, 1, 0x6E, 0x12, 1, 0x76, 0x58, 1, 0x62, 1, 0x63, 0x6A, 1, 0x6B,
    ]
    #expect(note.bytes == bytes)
    #expect(try CallbackNote(bytes: bytes) == note)
    note.user = "u"
    #expect(note.bytes == bytes + [0x72, 1, 0x75])
    #expect(try CallbackNote(bytes: note.bytes) == note)
  }

  @Test("what is absent takes no room, and a status that there is not is refused")
  func bounds() throws {
    #expect(CallbackNote().bytes == [0x0A, 0, 0x10, 1, 0x18, 0])
    #expect(try CallbackNote(bytes: []) == CallbackNote())
    // The low byte of 257 would be a status.
    #expect(throws: PayloadError.outOfRange(field: 2)) { try CallbackNote(bytes: [0x10, 0x81, 0x02]) }
  }
}
