import MessagingAPI
import Testing

@Suite("The resources that send")
struct SendRouteTests {
  @Test(
    "are found by their paths",
    arguments: [
      ("/gcm/send", SendRoute.legacy as SendRoute?), ("/fcm/send?x=1", .legacy), ("/fcm/send/token", nil),
      ("/gcm/sending", nil),
      ("/v1/projects/p/messages:send", .v1(project: "p")), ("/v1/projects/a%3Ab/messages:send?x", .v1(project: "a:b")),
      ("/v1/projects/a+b%3Ac/messages:send", .v1(project: "a+b:c")),
      ("/v1/projects//messages:send", nil), ("/v1/projects/p/q/messages:send", nil),
      ("/v1/projects/messages:send", nil),
    ])
  func routes(_ target: String, _ route: SendRoute?) { #expect(SendRoute(target: target) == route) }
}
