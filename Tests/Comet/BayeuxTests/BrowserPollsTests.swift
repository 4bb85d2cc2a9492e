import Bayeux
import Testing

@Suite("Held polls by browser")
struct BrowserPollsTests {
  enum Step: Sendable {
    case enters(String, isLetIn: Bool)
    case leaves(String)
  }

  @Test(
    "each browser has as many places as it may, and gets back those that are left",
    arguments: [
      (1, [.enters("a", isLetIn: true), .enters("a", isLetIn: false), .enters("b", isLetIn: true)], 2),
      (1, [.enters("a", isLetIn: true), .leaves("a"), .enters("a", isLetIn: true), .enters("a", isLetIn: false)], 1),
      (2, [.enters("a", isLetIn: true), .enters("a", isLetIn: true), .enters("a", isLetIn: false), .leaves("a")], 1),
      (
        2,
        [
          .enters("a", isLetIn: true), .enters("a", isLetIn: true), .leaves("a"), .leaves("a"),
          .enters("a", isLetIn: true),
        ], 1
      ),
      (0, [.enters("a", isLetIn: false)], 0),
      // Nobody counts.
      (-1, [.enters("a", isLetIn: true), .enters("a", isLetIn: true), .enters("a", isLetIn: true), .leaves("a")], 0),
    ] as [(Int, [Step], Int)])
  func places(maximum: Int, steps: [Step], held: Int) {
    var polls = BrowserPolls(maximum: maximum)
    for step in steps {
      switch step {
      case .enters(let browser, let isLetIn): #expect(polls.enter(browser) == isLetIn)
      case .leaves(let browser): polls.leave(browser)
      }
    }
    #expect(polls.count == held)
  }
}
