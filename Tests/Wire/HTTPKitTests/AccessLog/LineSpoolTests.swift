import Synchronization
import Testing

@testable import HTTPKit

@Suite("Lines on their way to something slow")
struct LineSpoolTests {
  /// A disk that writes when the test lets it.
  private final class Disk: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])
    private let written = Mutex<[[UInt8]]>([])
    let isBroken = Mutex(false)
    let lost = Mutex(0)

    func spool(bytesMaximum: Int) -> LineSpool {
      LineSpool(
        bytesMaximum: bytesMaximum, schedule: { work in self.work.withLock { $0.append(work) } },
        output: { bytes in
          if self.isBroken.withLock({ $0 }) { return false }
          self.written.withLock { $0.append(bytes) }
          return true
        }, onLost: { count in self.lost.withLock { $0 += count } })
    }

    /// Does what is due; how much of it there was.
    @discardableResult
    func turn() -> Int {
      let due = work.withLock { work in
        defer { work = [] }
        return work
      }
      for one in due { one() }
      return due.count
    }

    var text: String { written.withLock { String(decoding: $0.joined(), as: UTF8.self) } }
    var writeCount: Int { written.withLock { $0.count } }
  }

  @Test("come in their order, in one write, once the disk is there")
  func order() {
    let disk = Disk()
    let spool = disk.spool(bytesMaximum: 100)
    for word in ["one\n", "two\n", "three\n"] { #expect(spool.append(Array(word.utf8))) }
    #expect(disk.text == "")
    #expect(disk.turn() == 1)
    #expect(disk.text == "one\ntwo\nthree\n")
    #expect(disk.writeCount == 1)
    #expect(disk.turn() == 0)
  }

  @Test("are not taken beyond the bound while the disk is slow, and are again afterwards")
  func bound() {
    let disk = Disk()
    let spool = disk.spool(bytesMaximum: 10)
    let line = Array("12345\n".utf8)
    #expect(spool.append(line))
    #expect(!spool.append(line))
    #expect(spool.append(Array("abc\n".utf8)))
    #expect(!spool.append(Array("\n".utf8)))
    disk.turn()
    #expect(disk.text == "12345\nabc\n")
    #expect(spool.append(line))
    #expect(disk.turn() == 1)
    #expect(disk.text == "12345\nabc\n12345\n")
  }

  @Test("are counted as lost if they cannot be written, and the next ones are tried")
  func broken() {
    let disk = Disk()
    let spool = disk.spool(bytesMaximum: 100)
    disk.isBroken.withLock { $0 = true }
    #expect(spool.append(Array("a\n".utf8)) && spool.append(Array("b\n".utf8)))
    disk.turn()
    #expect(disk.lost.withLock { $0 } == 2)
    disk.isBroken.withLock { $0 = false }
    #expect(spool.append(Array("c\n".utf8)))
    disk.turn()
    #expect(disk.text == "c\n")
  }
}

@Suite("Which requests are written down")
struct AccessSamplingTests {
  @Test("one of so many, evenly", arguments: [1, 2, 3, 10, 100])
  func part(one: Int) {
    let sampling = AccessSampling()
    sampling.take(one)
    let total = 10_000
    // Every second request is another one's: both get their share.
    var taken = [0, 0]
    for number in 0..<total where sampling.next() { taken[number % 2] += 1 }
    let wanted = total / one / 2
    for count in taken { #expect(abs(count - wanted) <= max(2, wanted / 10), "\(taken) of \(wanted) each") }
  }

  @Test("none until somebody says so, and none any more once nobody does")
  func off() {
    let sampling = AccessSampling()
    #expect(!sampling.next())
    sampling.take(1)
    #expect(sampling.next())
    sampling.take(nil)
    #expect(!sampling.next())
  }
}
