import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import PushDomain
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Subscriptions and what is published to them", .timeLimit(.minutes(1)))
struct NotificationTests {
  private static let url = "https://hooks.example.test/in/17"

  private static func order(
    _ subscriber: String = "app-17", filter: String = "orders.*", type: String = "httpcb", device: String = url,
    seconds: Int? = 3_600
  ) -> SubscriptionOrder {
    var order = SubscriptionOrder(subscriberID: subscriber, filter: filter, type: type, deviceID: device)
    order.seconds = seconds
    return order
  }

  private static let shipped = PublicationContent(bytes: Array("Your order has left".utf8), isObject: false)

  private func texts(_ provider: PatientProvider) -> [String] {
    provider.deliveries.map { String(decoding: $0.message.content, as: UTF8.self) }
  }

  @Test("what matches is pushed once to each subscription, as it was published")
  func publishing() async throws {
    let rig = try await DeviceRig()
    let notifications = rig.engine.notifications
    let first = try await notifications.subscribe(Self.order())
    _ = try await notifications.subscribe(Self.order("app-18", filter: "orders.shipped", device: Self.url + "8"))
    _ = try await notifications.subscribe(Self.order("app-19", filter: "billing.*", device: Self.url + "9"))
    #expect(try await notifications.publish(tag: "orders.shipped", Self.shipped) == 2)
    #expect(try await notifications.publish(tag: "orders.shipped", Self.shipped, subscriberID: "app-18") == 1)
    #expect(try await notifications.publish(tag: "nobody.cares", Self.shipped) == 0)
    try await rig.settle()
    let devices = rig.provider.deliveries.map(\.message.target.deviceID).sorted()
    #expect(devices == [Self.url, Self.url + "8", Self.url + "8"])
    #expect(texts(rig.provider) == Array(repeating: "Your order has left", count: 3))
    let message = try #require(rig.provider.deliveries.first { $0.message.target.deviceID == Self.url }?.message)
    #expect(message.producer == "subscription/\(first)" && message.number == 1 && message.tag == "orders.shipped")
    #expect(message.form == .text && message.alert == "Your order has left")
    // Handed over: nothing is owed any more.
    #expect(await notifications.directory[first]?.peek { $0.owed.isEmpty } == true)
    try await rig.stop()
  }

  @Test("published again under its id it goes to those that have not had it, after a restart too")
  func repetition() async throws {
    let first = try await DeviceRig()
    _ = try await first.engine.notifications.subscribe(Self.order())
    func publish(_ rig: DeviceRig, id: String) async throws -> Int {
      let count = try await rig.engine.notifications.publish(tag: "orders.shipped", Self.shipped, id: id)
      try await rig.settle()
      return count
    }
    for _ in 1...2 { #expect(try await publish(first, id: "4711") == 1) }
    #expect(first.provider.deliveries.count == 1)
    _ = try await first.engine.notifications.subscribe(Self.order("app-18", device: Self.url + "8"))
    #expect(try await publish(first, id: "4711") == 2)
    #expect(first.provider.deliveries.map(\.message.target.deviceID) == [Self.url, Self.url + "8"])
    await first.kill()

    let rig = try await first.restarted()
    #expect(try await publish(rig, id: "4711") == 2)
    #expect(rig.provider.deliveries.isEmpty)
    #expect(try await publish(rig, id: "4712") == 2)
    #expect(rig.provider.deliveries.count == 2)
    try await rig.advance(by: RecentIDs.retention)
    #expect(try await publish(rig, id: "4711") == 2)
    #expect(rig.provider.deliveries.count == 4)
    for id in ["", String(repeating: "x", count: 257)] {
      await #expect(throws: EngineError.self) { try await publish(rig, id: id) }
    }
    try await rig.stop()
  }

  @Test("a subscription ends at its time, after at least 30 seconds, and takes nothing then", arguments: [1, 30])
  func expiry(seconds: Int) async throws {
    let rig = try await DeviceRig()
    let notifications = rig.engine.notifications
    let id = try await notifications.subscribe(Self.order(seconds: seconds))
    try await rig.advance(by: .milliseconds(29_900))
    #expect(try await notifications.publish(tag: "orders.x", Self.shipped) == 1)
    #expect(try await notifications.subscription(id) != nil)
    try await rig.advance(by: .milliseconds(200))
    #expect(try await notifications.publish(tag: "orders.x", Self.shipped) == 0)
    #expect(try await notifications.subscription(id) == nil)
    #expect(notifications.directory.count == 0)
    try await rig.stop()
  }

  @Test("unsubscribing ends it, once")
  func unsubscribing() async throws {
    let rig = try await DeviceRig()
    let notifications = rig.engine.notifications
    let id = try await notifications.subscribe(Self.order())
    #expect(try await notifications.unsubscribe(id))
    #expect(try await !notifications.unsubscribe(id))
    #expect(try await notifications.publish(tag: "orders.x", Self.shipped) == 0)
    try await rig.stop()
  }

  @Test("what was published and not sent before a kill is sent after it, once, and the rest goes on")
  func restart() async throws {
    let rig = try await DeviceRig()
    let id = try await rig.engine.notifications.subscribe(Self.order())
    rig.provider.hold()
    #expect(try await rig.engine.notifications.publish(tag: "orders.a", Self.shipped) == 1)
    try await rig.settle()
    await rig.kill()

    let next = try await rig.restarted()
    try await next.settle()
    #expect(texts(next.provider) == ["Your order has left"])
    #expect(try await next.engine.notifications.subscription(id)?.terms.filter.text == "orders.*")
    #expect(try await next.engine.notifications.publish(tag: "orders.b", Self.shipped) == 1)
    try await next.settle()
    #expect(next.provider.deliveries.map(\.message.number) == [1, 2])
    try await next.advance(by: .seconds(3_600))
    #expect(next.engine.notifications.directory.count == 0)
    try await next.stop()
  }

  @Test("a subscription that sleeps in a snapshot is found by its filter, and expires at its time")
  func asleep() async throws {
    let rig = try await DeviceRig()
    let id = try await rig.engine.notifications.subscribe(Self.order())
    try await rig.engine.snapshotNow()
    try await rig.stop()

    let next = try await rig.restarted()
    #expect(next.engine.notifications.directory.awakeCount == 0)
    #expect(try await next.engine.notifications.publish(tag: "orders.a", Self.shipped) == 1)
    try await next.settle()
    #expect(next.provider.deliveries.count == 1)
    try await next.engine.snapshotNow()
    try await next.stop()

    let last = try await next.restarted()
    // The first tick wakes it up, the next one is its alarm's.
    try await last.advance(by: .seconds(3_601))
    try await last.advance(by: .seconds(1))
    #expect(try await last.engine.notifications.subscription(id) == nil)
    #expect(last.engine.notifications.directory.count == 0)
    try await last.stop()
  }

  @Test(
    "what cannot be subscribed is refused by the name of its field",
    arguments: [
      (order("", filter: "*"), EngineError.missing(field: "subscriberId")),
      (order(filter: ""), .missing(field: "filter")),
      (order(type: "gcm"), .invalid(field: "notificationDetails.type", reason: "is not enabled on this server")),
      (order(type: "test"), .invalid(field: "notificationDetails.type", reason: "is not enabled on this server")),
      (
        order(device: ""),
        .invalid(field: "notificationDetails.deviceId", reason: "is empty")
      ),
      (
        order(String(repeating: "x", count: 257)), .invalid(field: "subscriberId", reason: "is longer than 256 bytes")
      ),
    ])
  func refused(order: SubscriptionOrder, error: EngineError) async throws {
    let rig = try await DeviceRig()
    await #expect(throws: error) { try await rig.engine.notifications.subscribe(order) }
    #expect(rig.engine.notifications.directory.count == 0)
    try await rig.stop()
  }

  @Test("the number of subscriptions and the length of a message have bounds")
  func bounds() async throws {
    let rig = try await DeviceRig { $0.limits.subscriptionsMaximum = 1 }
    let notifications = rig.engine.notifications
    _ = try await notifications.subscribe(Self.order())
    await #expect(throws: EngineError.limitReached("subscriptions")) { try await notifications.subscribe(Self.order()) }
    let long = PublicationContent(bytes: Array(repeating: 0x41, count: 16_385), isObject: false)
    await #expect(throws: EngineError.self) { try await notifications.publish(tag: "orders.x", long) }
    await #expect(throws: EngineError.missing(field: "tag")) { try await notifications.publish(tag: "", Self.shipped) }
    try await rig.stop()
  }

  @Test("a type without its credentials keeps the subscription going, and nothing is owed")
  func obstructed() async throws {
    let rig = try await DeviceRig()
    rig.provider.obstruct("not set: something")
    let id = try await rig.engine.notifications.subscribe(Self.order())
    #expect(try await rig.engine.notifications.publish(tag: "orders.x", Self.shipped) == 1)
    try await rig.settle()
    #expect(await rig.engine.notifications.directory[id]?.peek { $0.owed.isEmpty } == true)
    #expect(rig.provider.deliveries.isEmpty)
    try await rig.stop()
  }

  @Test(
    "an erasure by subscriber, device id or user key leaves nothing of them, and others keep theirs",
    arguments: ["SECRET-SUBSCRIBER", "https://hooks.example.test/SECRET-DEVICE", "SECRET-USER"])
  func erasure(subject: String) async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory, sections: ["push": ["pushEnabled": "comet,httpcb"]])
    let notifications = rig.engine.notifications
    let isUser = subject == "SECRET-USER"
    let order =
      isUser
      ? Self.order("someone", type: "comet", device: subject)
      : Self.order("SECRET-SUBSCRIBER", device: "https://hooks.example.test/SECRET-DEVICE")
    let theirs = try await notifications.subscribe(order)
    let other = try await notifications.subscribe(Self.order("app-18", device: Self.url))
    #expect(try await notifications.publish(tag: "orders.x", Self.shipped) == 2)
    _ = try await rig.engine.redactions.redact(subject: subject, by: "ops", reason: "asked for")
    #expect(try await notifications.subscription(theirs) == nil)
    #expect(try await notifications.subscription(other) != nil)
    await rig.stop()
    #expect(try SubjectBytes.places(of: "SECRET", in: directory) == [])

    let next = try await EngineRig(directory: directory, sections: ["push": ["pushEnabled": "comet,httpcb"]])
    #expect(try await next.engine.notifications.subscription(theirs) == nil)
    #expect(try await next.engine.notifications.publish(tag: "orders.x", Self.shipped) == 1)
    await next.stop()
  }
}
