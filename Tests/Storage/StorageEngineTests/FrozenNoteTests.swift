import EventSourcing
import StorageDomain
import Testing

@testable import StorageEngine

@Suite("What is noted of stored data")
struct FrozenNoteTests {
  @Test("the bytes are frozen")
  func stored() throws {
    let digest = [UInt8](repeating: 7, count: 32)
    let file = StoredFile(digest: digest, byteCount: 1_000, contentType: "image/png", name: "p.png")
    var data = StoredData()
    data.evolve(
      .stored([StoredPair("f", .file(file))], name: .custom(id: "c", user: "u"), until: .epoch), at: .epoch)
    let note = StorageNote(data)
    #expect(
      note.bytes == [0x0A, 0x06, 0x0A, 0x01, 0x63, 0x12, 0x01, 0x75, 0x12, 0x25, 0x0A, 0x20] + digest + [
        0x10, 0xD0, 0x0F,
      ])
    let read = try StorageNote(bytes: note.bytes)
    #expect(read.name == note.name && read.files.map(\.digest) == [digest] && read.files.map(\.byteCount) == [1_000])
  }
}
