import EntityRuntime
import EventSourcing
import Synchronization
import TestSupport
import Testing

/// States in memory, as a file would keep them.
private final class Shelf: StateFile {
  private let images = Mutex<[[UInt8]]>([])

  func put(_ image: EntityImage) -> StatePlace {
    images.withLock { images in
      images.append(image.bytes)
      return StatePlace(file: self, address: StatePlace.Address(high: UInt64(images.count - 1), low: 0))
    }
  }

  func image(at address: StatePlace.Address) throws -> [UInt8] { images.withLock { $0[Int(address.high)] } }

  var count: Int { images.withLock { $0.count } }
}

@Suite("Sleep")
struct SleepTests {
  private let shelf = Shelf()
  private let said = Said()

  private final class Said: Sendable {
    let totals = Mutex<[Int]>([])
  }

  private func directory(_ context: RuntimeContext) -> DirectoryShard<Counter> {
    DirectoryShard(kind: .chatSession, context: context) { [said] effects, _ in
      for case .said(let total) in effects { said.totals.withLock { $0.append(total) } }
    }
  }

  private func withContext(_ body: (RuntimeContext, Lane) async throws -> Void) async throws {
    let outbox = Lane()
    let time = ManualTime(start: .epoch)
    let context = RuntimeContext(
      log: EphemeralLog(outbox: outbox), time: time, timers: TimerWheel(time: time), lanes: Lanes(count: 1))
    let running = Task { await outbox.run() }
    let working = Task { await context.lanes.run() }
    try await body(context, outbox)
    context.lanes.finish()
    outbox.finish()
    await running.value
    await working.value
  }

  private func sleep(_ directory: DirectoryShard<Counter>, unusedFor sweeps: UInt32 = 0) async throws -> Int {
    try await directory.putToSleep(directory.awakeKeys, unusedFor: sweeps) { [shelf] in $0.map { shelf.put($0) } }
  }

  @Test("an entity that was used lately, that owes something, or that somebody holds stays awake")
  func staysAwake() async throws {
    try await withContext { context, _ in
      let directory = directory(context)
      for (key, amount) in [("idle", 3), ("owing", 7), ("held", 2)] {
        _ = try await directory.entity(key)?.perform(.add(amount)) { $0.total }
      }
      #expect(try await sleep(directory) == 0, "no sweep has begun since they were used")
      context.beginSweep()
      let held = directory["held"]
      #expect(try await sleep(directory) == 1)
      #expect(directory.awakeCount == 2)
      #expect(directory.count == 3)
      #expect(try await held?.perform(.add(1)) { $0.total } == 3)
      context.beginSweep()
      #expect(try await sleep(directory, unusedFor: 1) == 0)
    }
  }

  @Test("a look is a use, unless it is one of a look at all", arguments: [true, false])
  func looks(isUse: Bool) async throws {
    try await withContext { context, _ in
      let directory = directory(context)
      _ = try await directory.entity("a")?.perform(.add(3)) { $0.total }
      context.beginSweep()
      #expect(await directory.peek("a", isUse: isUse) { $0.total } == 3)
      #expect(try await sleep(directory) == (isUse ? 0 : 1))
      #expect(await directory.peek("a", isUse: isUse) { $0.total } == 3)
    }
  }

  @Test("one that sleeps goes on where it was, and is not written again if nothing happened")
  func wakes() async throws {
    try await withContext { context, _ in
      let directory = directory(context)
      _ = try await directory.entity("a")?.perform(.add(3)) { $0.total }
      context.beginSweep()
      #expect(directory.place(ofSleeping: "a") == nil && directory.place(ofSleeping: "nobody") == nil)
      #expect(try await sleep(directory) == 1)
      #expect(await directory.peek("a") { $0.total } == 3)
      let place = try #require(directory.place(ofSleeping: "a"))
      #expect(try Counter(stateBytes: EntityImage(bytes: place.image()).state).total == 3)
      #expect(directory.awakeCount == 0, "a look does not wake it")

      #expect(try await directory["a"]?.read { $0.total } == 3)
      context.beginSweep()
      #expect(try await sleep(directory) == 1)
      #expect(shelf.count == 1)
      #expect(try await directory["a"]?.perform(.add(1)) { $0.total } == 4)
      await #expect(throws: TurnError<Counter.Rejection>.self) {
        try await directory["a"]?.perform(.add(9)) { $0.total }
      }
      context.beginSweep()
      #expect(try await sleep(directory) == 1)
      #expect(shelf.count == 2)
    }
  }

  @Test("one that a restart left asleep takes up its timers when it wakes, once")
  func armsOnce() async throws {
    try await withContext { context, _ in
      let directory = directory(context)
      var state = Counter()
      state.evolve(.added(4), at: .epoch)
      let brief = Brief(rest: state.rest, note: [1, 2])
      let place = shelf.put(EntityImage(brief: brief, state: state.stateBytes))
      directory.restore("a", sleepingAt: place, sequence: 4)
      #expect(said.totals.withLock { $0 }.isEmpty)
      await directory["a"]?.wakeUp()
      _ = try await directory["a"]?.perform(.nothing) { $0.total }
      #expect(said.totals.withLock { $0 } == [4])
      context.beginSweep()
      #expect(try await sleep(directory) == 1)
      _ = try await directory["a"]?.perform(.add(1)) { $0.total }
      #expect(said.totals.withLock { $0 } == [4, 5], "the second time only the effect of the command")
    }
  }

  @Test("deadlines of sleeping entities come in order, each once, overdue ones at the next tick")
  func wakeList() async throws {
    let time = ManualTime(start: Timestamp(milliseconds: 10_000))
    let wheel = TimerWheel(time: time)
    let context = RuntimeContext(
      log: EphemeralLog(outbox: Lane()), time: time, timers: wheel, lanes: Lanes(count: 1))
    let said = Mutex<[String]>([])
    let deadlines: [(Int64, String)] = [(12_000, "c"), (9_000, "a"), (12_000, "b"), (50_000, "d")]
    WakeList(
      deadlines.map { (Timestamp(milliseconds: $0.0), $0.1) }, context: context,
      wake: { key in said.withLock { $0.append(key) } }
    ).start()
    #expect(wheel.count == 1)
    time.advance(by: .milliseconds(20))
    wheel.fireDue()
    #expect(said.withLock { $0 } == ["a"])
    time.advance(by: .milliseconds(1_900))
    wheel.fireDue()
    #expect(said.withLock { $0 } == ["a"])
    time.advance(by: .milliseconds(200))
    wheel.fireDue()
    #expect(said.withLock { $0 } == ["a", "b", "c"])
    time.advance(by: .seconds(60))
    wheel.fireDue()
    #expect(said.withLock { $0 } == ["a", "b", "c", "d"])
    #expect(wheel.count == 0)
  }

  @Test(
    "an image and its brief come back from their bytes",
    arguments: [Rest.wakeful, .asleep(until: nil), .asleep(until: Timestamp(milliseconds: -5))])
  func image(rest: Rest) throws {
    let image = EntityImage(brief: Brief(rest: rest, note: [7, 0, 255]), state: [1, 2, 3])
    #expect(try EntityImage(bytes: image.bytes) == image)
    #expect(throws: PayloadError.self) { try EntityImage(bytes: Array(image.bytes.dropLast(1))) }
  }

  /// Images stand in snapshots: never change a byte.
  @Test("the bytes of an image are frozen")
  func frozenImage() {
    let asleep = Brief(rest: .asleep(until: Timestamp(milliseconds: 5)), note: [1, 2])
    #expect(
      EntityImage(brief: asleep, state: [9]).bytes == [0x0A, 6, 0x08, 10, 0x1A, 2, 1, 2, 0x12, 1, 9])
    #expect(EntityImage(brief: Brief(rest: .wakeful, note: []), state: []).bytes == [0x0A, 2, 0x10, 1, 0x12, 0])
  }

  @Test("what was removed while a snapshot is made is named")
  func removals() async throws {
    try await withContext { context, _ in
      let directory = directory(context)
      _ = try await directory.entity("a")?.perform(.add(1)) { $0.total }
      _ = directory.entity("never used")
      directory.beginSnapshot()
      #expect(await directory.capture("never used") == nil)
      #expect(await directory.capture("a")?.sequence == 1)
      directory.remove("a")
      // A first command was refused: the key is as free as before, whatever the snapshot says is over.
      _ = directory.entity("refused")
      directory.remove("refused")
      #expect(directory.endSnapshot() == ["a"])
      directory.remove("never used")
      #expect(directory.endSnapshot() == [])
    }
  }
}
