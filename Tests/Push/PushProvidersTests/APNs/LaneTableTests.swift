import Synchronization
import Testing

@testable import PushProviders

@Suite("Lane table under load")
struct LaneTableTests {
  private final class Lane: PooledLane {
    let content: Int
    private let closings = Mutex(0)

    init(_ content: Int) { self.content = content }

    var closingCount: Int { closings.withLock { $0 } }
    func close() async { closings.withLock { $0 += 1 } }
  }

  private final class Files: Sendable {
    private let state = Mutex((content: 0, made: [Lane]()))

    func change() { state.withLock { $0.content += 1 } }
    var made: [Lane] { state.withLock { $0.made } }

    func lane(_ previous: Lane?) -> Lane {
      state.withLock { state in
        if let previous, previous.content == state.content { return previous }
        let lane = Lane(state.content)
        state.made.append(lane)
        return lane
      }
    }
  }

  @Test("while it is used no lane is closed, and in the end each is closed once", arguments: [1, 3, 20] as [Int])
  func load(lanesMaximum: Int) async {
    let files = Files()
    let table = LaneTable<Int, Lane>(lanesMaximum: lanesMaximum) { _, previous in files.lane(previous) }
    let wrong = await withTaskGroup(of: Int.self) { group in
      for number in 0..<2_000 {
        group.addTask {
          if number % 97 == 0 { files.change() }
          if number % 31 == 0 { table.reload() }
          let answer = await table.withLane(number % 7) { lane in
            let before = lane.closingCount
            for _ in 0..<3 { await Task.yield() }
            return before + lane.closingCount
          }
          return (try? answer.get()) ?? 1
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
    #expect(table.lanes.count <= lanesMaximum)
    await table.shutdown()
    #expect(files.made.allSatisfy { $0.closingCount == 1 })
    #expect(table.obstacle(1)?.reason == "shut down")
  }

  @Test("an obstacle is remembered until the reload")
  func obstacle() {
    let asked = Mutex(0)
    let table = LaneTable<Int, Lane>(lanesMaximum: 2) { _, _ throws(PushObstacle) in
      asked.withLock { $0 += 1 }
      throw PushObstacle("no file")
    }
    for _ in 0..<5 { #expect(table.obstacle(1)?.reason == "no file") }
    #expect(asked.withLock { $0 } == 1)
    table.reload()
    #expect(table.obstacle(1)?.reason == "no file")
    #expect(asked.withLock { $0 } == 2)
  }
}
