import Synchronization
import Testing

@testable import EntityRuntime

@Suite("A pulse through the lanes")
struct PulseTests {
  @Test("comes back once each lane has carried it", .timeLimit(.minutes(1)), arguments: [1, 2, 7])
  func answered(count: Int) async {
    let lanes = Lanes(count: count)
    async let running: Void = lanes.run()
    await withCheckedContinuation { continuation in lanes.pulse { continuation.resume() } }
    lanes.finish()
    await running
  }

  @Test("does not come back while a lane stands still, whichever it is", .timeLimit(.minutes(1)), arguments: 0..<3)
  func standstill(lane: Int) async {
    let lanes = Lanes(count: 3)
    async let running: Void = lanes.run()
    let (reached, reaches) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    lanes[lane].enqueue { await withCheckedContinuation { reaches.yield($0) } }
    var stops = reached.makeAsyncIterator()
    guard let goOn = await stops.next() else { return }
    let isAnswered = Mutex(false)
    lanes.pulse { isAnswered.withLock { $0 = true } }
    // The others have carried it as far as they can once each has done a job behind it.
    for other in 0..<3 where other != lane { await done(lanes[other]) }
    #expect(!isAnswered.withLock { $0 })
    goOn.resume()
    for each in 0..<3 { await done(lanes[each]) }
    #expect(isAnswered.withLock { $0 })
    lanes.finish()
    await running
  }

  private func done(_ lane: Lane) async {
    await withCheckedContinuation { continuation in lane.enqueue { continuation.resume() } }
  }

  @Test("does not come back from lanes that have ended")
  func finished() async {
    let lanes = Lanes(count: 2)
    lanes.finish()
    await lanes.run()
    lanes.pulse { Issue.record("they carry nothing any more") }
  }
}
