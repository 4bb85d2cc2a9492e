import EventSourcing
import PushDomain
import Testing

@testable import PushEngine

@Suite("What is noted of sleeping devices and queues")
struct FrozenNoteTests {
  private static let address = PushAddress(
    type: "y", deviceID: "d", provider: "v", language: "l", debug: true, authorization: "z")

  private static func push(_ number: Int, _ priority: PushPriority) -> PushMessage {
    PushMessage(
      producer: "p", number: number, tag: "t", alert: "", content: [], service: "s", target: address,
      priority: priority)
  }

  @Test("the bytes of a device are frozen")
  func device() throws {
    var device = Device()
    device.evolve(.registered(DeviceRegistration(address: Self.address, owner: "w")), at: .epoch)
    let note = DeviceNote(device)
    #expect(note.bytes == [0x0A, 0x01, 0x77, 0x12, 0x01, 0x79, 0x18, 0x01])
    #expect(try DeviceNote(bytes: note.bytes) == note)
  }

  @Test("those of a queue too: its dead letters, and what waits, without any address")
  func queue() throws {
    var queue = PushQueue()
    let events: [PushEvent] = [
      .enqueued(Self.push(1, .high)),
      .settled(Self.push(1, .high).id, .overflowed, attempts: 0, isDeadLetter: true),
      .enqueued(Self.push(2, .high)), .enqueued(Self.push(3, .normal)), .enqueued(Self.push(4, .normal)),
      .retryScheduled(Self.push(2, .high).id, attempt: 1, until: Timestamp(milliseconds: 7), reason: "x"),
    ]
    for event in events { queue.evolve(event, at: Timestamp(milliseconds: 4)) }
    let note = QueueNote(queue)
    #expect(
      note.bytes == [
        0x08, 0x02, 0x10, 0x02, 0x18, 0x04, 0x20, 0x08, 0x28, 0x0E, 0x32, 0x01, 0x79, 0x3A, 0x01, 0x76, 0x40, 0x01,
        0x4A, 0x01, 0x74,
      ])
    let read = try QueueNote(bytes: note.bytes)
    #expect(read.bytes == note.bytes && read.deadLetters == 1 && read.backlog?.target.deviceID == "")
    let empty = try QueueNote(bytes: [])
    #expect(empty.deadLetters == 0 && empty.backlog == nil && empty.bytes.isEmpty)
  }
}
