import JournalFormat
import Testing

@testable import carillon_torture

@Suite("Who wrote in which epoch")
struct EpochBookTests {
  private func frame(_ epoch: UInt32, _ position: UInt64, _ hash: UInt8 = 0) -> EpochBook.Frame {
    EpochBook.Frame(
      epoch: epoch, firstPosition: position,
      chainHash: Hash256(hexadecimal: String(repeating: hash == 0 ? "0" : "f", count: 64)) ?? .zero)
  }

  @Test("two copies with the same frames are well, and so is what was set aside of an earlier epoch")
  func well() {
    var book = EpochBook()
    #expect(book.read([frame(1, 1), frame(1, 2)], of: "a") == [])
    #expect(book.began(2) == [])
    #expect(book.read([frame(1, 1), frame(2, 2, 1)], of: "b") == [])
    #expect(book.read([frame(1, 1), frame(2, 2, 1)], of: "a") == [])
    #expect(book.read([frame(1, 2)], of: "a/aside") == [])
  }

  @Test("two frames of one epoch in one place are two writers")
  func twoWriters() {
    var book = EpochBook()
    _ = book.read([frame(1, 1), frame(1, 2)], of: "a")
    #expect(
      book.read([frame(1, 1), frame(1, 2, 1)], of: "b")
        == ["b: at position 2 stands another frame of epoch 1 than elsewhere: two have written in it"])
  }

  @Test("an epoch neither falls nor begins twice, and none is written in that nobody has begun")
  func order() {
    var book = EpochBook()
    #expect(book.began(2) == [])
    #expect(book.began(2) == ["epoch 2 began, and epoch 2 had begun before"])
    #expect(
      book.read([frame(2, 1), frame(1, 2)], of: "a") == ["a: at position 2 epoch 1 comes behind epoch 2"])
    #expect(book.read([frame(3, 3)], of: "b") == ["b: at position 3 is epoch 3, which nobody has begun"])
  }
}
