import EventSourcing
import Testing

@testable import PushProviders

@Suite("Header retry-after")
struct RetryAfterTests {
  @Test(
    "seconds and dates are read, bounded, and never negative",
    arguments: [
      ("0", 0), ("7", 7), (" 7 ", 7), ("86401", 86_400), ("99999999999999999999999", 86_400),
      ("Fri, 15 Jan 2027 08:00:30 GMT", 30), ("Fri, 15 Jan 2027 07:00:00 GMT", 0),
      ("Sun, 06 Nov 2094 08:49:37 GMT", 86_400),
    ])
  func good(value: String, seconds: Int) {
    #expect(RetryAfterHeader.pause(value, now: mobileNow) == .seconds(seconds))
  }

  @Test(
    "anything else asks for nothing",
    arguments: [
      "", " ", "-5", "1.5", "soon", "Fri, 15 Jan 2027 08:00:30", "Fri, 99 Jan 2027 08:00:30 GMT",
      "Fri, 15 Foo 2027 08:00:30 GMT", "٣",
    ])
  func bad(value: String) { #expect(RetryAfterHeader.pause(value, now: mobileNow) == nil) }

  @Test("no header asks for nothing")
  func none() { #expect(RetryAfterHeader.pause(nil, now: mobileNow) == nil) }
}
