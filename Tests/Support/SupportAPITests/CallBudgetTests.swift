import Testing

@testable import SupportAPI

@Suite("Calls that are let through")
struct CallBudgetTests {
  @Test("a budget lets a burst through, then one call an interval")
  func budget() {
    let budget = CallBudget(maximum: 3, interval: .seconds(10))
    let start = ContinuousClock.now
    for _ in 0..<3 { #expect(budget.secondsToWait(now: start) == nil) }
    #expect(budget.secondsToWait(now: start) == 10)
    #expect(budget.secondsToWait(now: start + .seconds(9)) == 1)
    #expect(budget.secondsToWait(now: start + .seconds(10)) == nil)
    #expect(budget.secondsToWait(now: start + .seconds(10)) == 10)
    for _ in 0..<3 { #expect(budget.secondsToWait(now: start + .seconds(1_000)) == nil) }
    #expect(budget.secondsToWait(now: start + .seconds(1_000)) != nil)
  }
}
