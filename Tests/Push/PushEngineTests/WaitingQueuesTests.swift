import EventSourcing
import PushDomain
import Testing

@testable import PushEngine

@Suite("The index of queues that wait")
struct WaitingQueuesTests {
  @Test("pages follow the order of the keys, whatever order they came in, and skip what waits no longer")
  func pages() {
    let index = DeadLetterIndex()
    let target = PushAddress(type: "ios", deviceID: "")
    let keys = (0..<300).map { String(($0 * 7_919) % 10_007) }
    for key in keys { index.set(key, PushBacklog(since: .epoch, target: target, tag: "")) }
    index.set(keys[5], nil)
    let expected = keys.filter { $0 != keys[5] }.sorted()
    for limit in [1, 7, 100, 1_000] {
      var found: [String] = []
      while true {
        let page = index.waiting(after: found.last ?? "", limit: limit)
        #expect(page.count <= limit)
        guard !page.isEmpty else { break }
        found += page
      }
      #expect(found == expected)
    }
  }
}
