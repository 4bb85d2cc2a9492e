import EventSourcing
import PushDomain
import Testing

@testable import NotificationEngine

@Suite("What is noted of a subscription")
struct FrozenNoteTests {
  @Test("the bytes are frozen")
  func subscription() throws {
    let terms = SubscriptionTerms(
      subscriberID: "u", filter: try SubscriptionFilter("f"), address: PushAddress(type: "y", deviceID: "d"),
      properties: [], expiresAt: .epoch)
    let note = SubscriptionNote(terms)
    #expect(note.bytes == [0x0A, 0x01, 0x66, 0x12, 0x01, 0x75])
    let read = try SubscriptionNote(bytes: note.bytes)
    #expect(read.filter == note.filter && read.subscriberID == note.subscriberID)
  }
}
