import EntityRuntime
import EventSourcing
import Synchronization
import Testing

@testable import EngineKit

@Suite("Those who wait for a standby")
struct StandbyHoldTests {
  private let outbox = Lane()
  private let time = ManualTime(start: .epoch)
  private let told = Told()
  private let hold: StandbyHold

  init() { hold = StandbyHold(limit: .seconds(10), countMaximum: 4, outbox: outbox, time: time) }

  /// Who was released, and how.
  private final class Told: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }

    func release(_ name: String) -> Release {
      { fate in self.state.withLock { $0.append(fate == .durable ? name : "\(name) lost") } }
    }
  }

  /// What was released, once the outbox has worked off all that it was given.
  private func released() async -> [String] {
    outbox.finish()
    await outbox.run()
    return told.all
  }

  @Test("leave in the order of the journal, once a standby has what they wait for")
  func order() async {
    hold.begin(at: 0)
    for position in 1...3 as ClosedRange<UInt64> {
      hold.becameDurable(position)
      hold.take([told.release("\(position)")], for: position)
    }
    #expect(hold.count == 3 && outbox.count == 0)
    hold.wasAcknowledged(2)
    #expect(hold.count == 1 && outbox.count == 2)
    hold.wasAcknowledged(1)
    #expect(hold.hasReleased(2) && !hold.hasReleased(3))
    // A read of what a standby has leaves behind all who came before it.
    hold.take([told.release("read")], for: 2)
    #expect(outbox.count == 2)
    hold.wasAcknowledged(3)
    #expect(await released() == ["1", "2", "3", "read"])
  }

  @Test("leave at once if a standby was faster than this disk's own thread")
  func early() async {
    hold.begin(at: 0)
    hold.wasAcknowledged(5)
    hold.becameDurable(5)
    hold.take([told.release("a"), told.release("b")], for: 5)
    #expect(hold.count == 0)
    #expect(await released() == ["a", "b"])
  }

  @Test("wait for nobody before the service begins, and for what was there before once it has")
  func beginning() async {
    hold.take([told.release("start")], for: 7)
    #expect(hold.hasReleased(7) && !hold.isOverloaded && outbox.count == 1)
    hold.begin(at: 7)
    hold.take([told.release("read")], for: 7)
    #expect(!hold.hasReleased(7) && outbox.count == 1)
    hold.wasAcknowledged(7)
    #expect(await released() == ["start", "read"])
  }

  @Test("are refused once the oldest has waited for longer than the limit, and taken again when it has left")
  func overdue() async {
    hold.begin(at: 0)
    #expect(!hold.isOverloaded)
    hold.becameDurable(1)
    hold.take([told.release("1")], for: 1)
    time.advance(by: .seconds(10))
    #expect(!hold.isOverloaded)
    time.advance(by: .milliseconds(1))
    #expect(hold.isOverloaded)
    #expect(told.all == [] && hold.count == 1)
    hold.wasAcknowledged(1)
    #expect(!hold.isOverloaded)
    #expect(await released() == ["1"])
  }

  @Test("are refused when there are too many")
  func tooMany() {
    hold.begin(at: 0)
    hold.becameDurable(1)
    hold.take((1...3).map { told.release("\($0)") }, for: 1)
    #expect(!hold.isOverloaded)
    hold.take([told.release("4")], for: 1)
    #expect(hold.isOverloaded)
    hold.wasAcknowledged(1)
    #expect(!hold.isOverloaded)
  }

  @Test("are lost with the journal, behind those who were there before")
  func lost() async {
    hold.begin(at: 0)
    hold.becameDurable(2)
    hold.take([told.release("1")], for: 1)
    hold.take([told.release("2")], for: 2)
    hold.wasAcknowledged(1)
    hold.lose([told.release("3")])
    #expect(hold.count == 0)
    #expect(await released() == ["1", "2 lost", "3 lost"])
  }

  @Test("hear that they may be lost when the server stops without a standby, and none waits after that")
  func givenUp() async {
    hold.begin(at: 0)
    hold.becameDurable(1)
    hold.take([told.release("1")], for: 1)
    hold.giveUp()
    hold.take([told.release("2")], for: 2)
    #expect(hold.count == 0 && hold.hasReleased(2))
    #expect(await released() == ["1 lost", "2 lost"])
    #expect(!hold.take([told.release("3")], for: 3))
  }
}
