import EventSourcing
import PushDomain
import Testing

@testable import MessagingEngine

@Suite("What is noted of a device that has checked in")
struct FrozenNoteTests {
  private func note(topics: Int) -> InstallationNote {
    var device = Installation()
    device.evolve(.registered(AppRegistration(number: 1, app: "a", senders: ["1"], platform: "p")), at: .epoch)
    for topic in 0..<topics { device.evolve(.topicJoined(1, SenderTopic(sender: "1", name: "t\(topic)")), at: .epoch) }
    return InstallationNote(device)
  }

  @Test("the bytes are frozen")
  func topics() throws {
    let note = note(topics: 1)
    #expect(
      note.boundedBytes == [
        0x0A, 0x05, 0x08, 0x02, 0x12, 0x01, 0x31, 0x0A, 0x09, 0x08, 0x02, 0x12, 0x01, 0x31, 0x1A, 0x02, 0x74, 0x30,
      ])
    let read = try InstallationNote(bytes: note.boundedBytes)
    #expect(!read.isCut && read.bytes == note.bytes)
  }

  @Test("of one with too many topics only that is noted")
  func tooMany() throws {
    let note = note(topics: 2_000)
    #expect(note.boundedBytes == [0x10, 1])
    #expect(try InstallationNote(bytes: note.boundedBytes).isCut)
  }
}
