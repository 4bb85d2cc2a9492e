import EventSourcing
import PushDomain
import Testing

@testable import PushProviders

@Suite("Access token of FCM, by virtual time")
struct AccessTokenTests {
  private func after(_ seconds: Int64) -> Timestamp { mobileNow.advanced(by: .seconds(seconds)) }

  @Test("it is renewed five minutes before its end, while it is still in use")
  func renewal() {
    var age = AccessTokenAge()
    #expect(age.step(now: mobileNow) == .renewFirst)
    age.obtained("a", lifeSeconds: 3_600, now: mobileNow)
    #expect(age.step(now: after(3_299)) == .use("a"))
    #expect(age.step(now: after(3_300)) == .useAndRenew("a"))
    age.obtained("b", lifeSeconds: 3_600, now: after(3_300))
    #expect(age.step(now: after(3_600)) == .use("b"))
  }

  @Test("a failed renewal hurts nobody until the old one ends, and is tried again after a pause")
  func failedRenewal() {
    var age = AccessTokenAge()
    age.obtained("a", lifeSeconds: 3_600, now: mobileNow)
    age.failed(.passing("503"), now: after(3_300), random: 1)
    #expect(age.step(now: after(3_300)) == .use("a"))
    #expect(age.step(now: after(3_301)) == .useAndRenew("a"))
    age.failed(.passing("503"), now: after(3_301), random: 1)
    #expect(age.step(now: after(3_302)) == .use("a"))
    #expect(age.step(now: after(3_303)) == .useAndRenew("a"))
  }

  @Test("without a token a failure pauses the lane until the next try")
  func noToken() {
    var age = AccessTokenAge()
    age.failed(.passing("token endpoint: 503"), now: mobileNow, random: 1)
    #expect(age.step(now: mobileNow) == .fail(.lanePaused(reason: "token endpoint: 503", for: .seconds(1))))
    #expect(age.step(now: after(1)) == .renewFirst)
  }

  @Test("the pauses double up to a minute, and vary by half")
  func pauses() {
    var age = AccessTokenAge()
    var now = mobileNow
    var pauses: [Int64] = []
    for _ in 0..<9 {
      age.failed(.passing("x"), now: now, random: 1)
      guard case .fail(.lanePaused(_, let pause)) = age.step(now: now) else { return #expect(Bool(false)) }
      pauses.append(pause.wholeMilliseconds)
      now = now.advanced(by: pause)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { $0 * 1_000 })
    age.failed(.passing("x"), now: now, random: 0)
    #expect(age.step(now: now) == .fail(.lanePaused(reason: "x", for: .seconds(30))))
  }

  @Test("denied, the lane is broken; but not while an old one holds")
  func denied() {
    var age = AccessTokenAge()
    age.failed(.denied("400 invalid_grant"), now: mobileNow, random: 1)
    #expect(age.step(now: mobileNow) == .fail(.laneBroken(reason: "400 invalid_grant")))
    age.obtained("a", lifeSeconds: 3_600, now: mobileNow)
    age.failed(.denied("400 invalid_grant"), now: after(3_400), random: 1)
    #expect(age.step(now: after(3_500)) == .useAndRenew("a"))
  }

  @Test("dropped, it is not used again; dropping another changes nothing")
  func dropped() {
    var age = AccessTokenAge()
    age.obtained("a", lifeSeconds: 3_600, now: mobileNow)
    age.drop("b")
    #expect(age.step(now: mobileNow) == .use("a"))
    age.drop("a")
    #expect(age.step(now: mobileNow) == .renewFirst)
  }

  @Test(
    "a short life is renewed at its half, an absurd one is bounded",
    arguments: [
      (60, 30), (2, 1), (0, 0), (-5, 0), (Int.max, 86_400 - 300),
    ])
  func lives(life: Int, renewal: Int64) {
    var age = AccessTokenAge()
    age.obtained("a", lifeSeconds: life, now: mobileNow)
    #expect(age.current?.renewAt == after(renewal) || life < 2)
    #expect((age.current?.end ?? .epoch) > mobileNow)
  }

  @Test(
    "what the endpoint answers",
    arguments: [
      (400, #"{"error":"invalid_grant"}"#, AccessTokenAge.Failure.denied("token endpoint: 400 invalid_grant")),
      (401, "", .denied("token endpoint: 401")), (404, "<html>", .denied("token endpoint: 404")),
      (302, "", .denied("token endpoint: 302")), (429, "", .passing("token endpoint: 429")),
      (503, "", .passing("token endpoint: 503")), (200, "{}", .passing("token endpoint: 200 unreadable")),
      (200, #"{"access_token":"a\nb"}"#, .passing("token endpoint: 200 unreadable")),
    ])
  func answers(status: Int, body: String, expected: AccessTokenAge.Failure) {
    #expect(throws: expected) { try AccessTokenSource.read(status, Array(body.utf8)) }
  }

  @Test("a good answer, its life as a number, as a string or left out")
  func goodAnswers() throws {
    for (body, life) in [
      (#"{"access_token":"t","expires_in":3599}"#, 3_599), (#"{"access_token":"t","expires_in":"60"}"#, 60),
      (#"{"access_token":"t"}"#, 3_600),
    ] {
      let answer = try AccessTokenSource.read(200, Array(body.utf8))
      #expect(answer.token == "t")
      #expect(answer.lifeSeconds == life)
    }
  }
}
