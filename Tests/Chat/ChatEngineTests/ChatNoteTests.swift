import ChatDomain
import EventSourcing
import Testing

@testable import ChatEngine

@Suite("The note of a chat that sleeps")
struct ChatNoteTests {
  /// Notes stand in snapshots: never change a byte.
  @Test("its bytes are frozen, and come back")
  func frozen() throws {
    let bytes: [UInt8] = [
      // The value of an option is written even if it is empty.
      0x0A, 1, 0x73, 0x12, 5, 0x0A, 1, 0x6E, 0x12, 0, 0x12, 6, 0x0A, 1, 0x6D, 0x12, 1, 0x76,
      0x1A, 1, 0x69, 0x22, 1, 0x75, 0x28, 1, 0x32, 1, 0x78, 0x32, 1, 0x79, 0x38, 1, 0x40, 10, 0x4A, 1, 0x61,
    ]
    let note = try ChatNote(bytes: bytes)
    #expect(note.serviceName == "s")
    #expect(note.options == [NameValuePair("n", ""), NameValuePair("m", "v")])
    #expect(note.chatSessionID == "i")
    #expect(note.userKey == "u")
    #expect(note.isEnded)
    #expect(note.sessions == ["x", "y"])
    #expect(note.isUserErased)
    #expect(note.startedAt == Timestamp(milliseconds: 5))
    #expect(note.agents == ["a"])
    #expect(note.bytes == bytes)
  }

  @Test(
    "who waits, and where the customer is, stand there only where that is not the usual",
    arguments: [
      ([0x40, 10], 5, .foreground), ([0x40, 10, 0x50, 14], 7, .foreground),
      ([0x40, 10, 0x4A, 1, 0x61], nil, .foreground), ([0x40, 10, 0x4A, 1, 0x61, 0x50, 14], 7, .foreground),
      ([0x40, 10, 0x58, 1], 5, .background), ([0x40, 10, 0x58, 1, 0x60, 1], 5, .lost), ([0x28, 1, 0x40, 10], nil, nil),
    ] as [([UInt8], Int64?, CustomerPhase?)])
  func standing(rest: [UInt8], waitingSince: Int64?, phase: CustomerPhase?) throws {
    let bytes: [UInt8] = [0x0A, 1, 0x73, 0x1A, 1, 0x69] + rest
    let note = try ChatNote(bytes: bytes)
    #expect(note.waitingSince == waitingSince.map { Timestamp(milliseconds: $0) } && note.phase == phase)
    #expect(note.bytes == bytes)
  }

  @Test("to whom it is offered stands at its end")
  func offered() throws {
    let bytes: [UInt8] = [0x0A, 1, 0x73, 0x1A, 1, 0x69, 0x40, 10, 0x7A, 1, 0x61]
    let note = try ChatNote(bytes: bytes)
    #expect(note.offeredTo == "a" && note.bytes == bytes)
  }

  @Test("one of a chat that was not started says its service alone, and one that is cut is refused")
  func bounds() throws {
    #expect(ChatNote(ChatSession()).bytes == [0x0A, 0])
    #expect(throws: PayloadError.truncated) { try ChatNote(bytes: [0x0A]) }
  }
}
