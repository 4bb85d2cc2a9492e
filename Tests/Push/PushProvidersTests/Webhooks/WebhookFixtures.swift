import EventSourcing
import Foundation
import PushDomain
import StandInSupport
import Testing

@testable import PushProviders

extension Timestamp {
  /// The wall clock: receivers refuse signatures that are not of today.
  static var ofToday: Timestamp {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
  }
}

extension PushMessage {
  static func posted(
    to target: PushAddress, content: String = #"{"message":"New message from Agent"}"#,
    compactContent: String? = nil,
    expiry: Timestamp? = nil, collapseKey: String? = nil, priority: PushPriority = .high,
    isNowOrNever: Bool = false,
    display: PushDisplay? = nil, form: PushContentForm = .message
  ) -> PushMessage {
    PushMessage(
      producer: "412-chat", number: 1, tag: "chat.newagentmessage", alert: "New message from Agent",
      content: Array(content.utf8), compactContent: compactContent.map { Array($0.utf8) },
      service: "request-chat",
      target: target, expiry: expiry, collapseKey: collapseKey, priority: priority,
      isNowOrNever: isNowOrNever,
      display: display, form: form)
  }
}

extension PushDelivery {
  static let pushID = "0f8fad5b-d9cb-469f-a165-70867728950e"

  static func posting(
    _ message: PushMessage, _ options: [String: String], attempt: Int = 1,
    now: Timestamp = .ofToday
  ) -> PushDelivery {
    PushDelivery(
      message: message, id: pushID, attempt: attempt, options: PushOptions(options), now: now)
  }

  /// To the receiver's own URL, where 127.0.0.1 may be used.
  static func callback(_ url: String, content: String = "{}", options: [String: String] = [:])
    -> PushDelivery
  {
    .posting(
      .posted(to: PushAddress(type: "httpcb", deviceID: url), content: content),
      ["webhooks.allow_private": "127.0.0.1/32"].merging(options) { $1 })
  }

  static func custom(
    _ url: String, to target: PushAddress = PushAddress(type: "customhttp", deviceID: "device-77"),
    content: String = "{}", options: [String: String] = [:]
  ) -> PushDelivery {
    .posting(.posted(to: target, content: content), ["customhttp.url": url].merging(options) { $1 })
  }
}

/// Runs `body` with a receiver and a courier, and ends both.
func withReceiver<Result: Sendable>(
  _ settings: WebhookSettings = .patient,
  _ body: (ReceiverServer, WebhookCourier) async throws -> Result
) async throws -> Result {
  let server = try await ReceiverServer.start()
  let result: Result
  do {
    result = try await withCourier(settings) { try await body(server, $0) }
  } catch {
    try await server.stop()
    throw error
  }
  try await server.stop()
  return result
}

/// Runs `body` with a stand-in and a courier, and ends both. The suite's own stand-in is used if it is such a one.
func withStandIn<Result: Sendable>(
  _ script: String, _ arguments: [String] = [], names: StagedNames? = nil,
  _ body: (StandIn, WebhookCourier) async throws -> Result
) async throws -> Result {
  if let shared = SharedStandIn.current, shared.name == [script] + arguments {
    try await shared.standIn.tell(["reset": true])
    return try await withCourier(.patient, names: names) { try await body(shared.standIn, $0) }
  }
  let standIn = try await StandIn.start(script, arguments)
  defer { standIn.stop() }
  return try await withCourier(.patient, names: names) { try await body(standIn, $0) }
}

func withCourier<Result: Sendable>(
  _ settings: WebhookSettings = .patient, names: StagedNames? = nil,
  _ body: (WebhookCourier) async throws -> Result
) async throws -> Result {
  let courier =
    names.map { names in
      WebhookCourier(settings, AddressBook(names, settings, now: { names.now }))
    } ?? WebhookCourier(settings)
  do {
    let result = try await body(courier)
    await courier.shutdown()
    return result
  } catch {
    await courier.shutdown()
    throw error
  }
}

/// A stand-in that a suite's tests use one after the other: starting one takes longer than most tests.
struct SharedStandIn: SuiteTrait, TestScoping {
  struct Running: Sendable {
    let name: [String]
    let standIn: StandIn
  }

  @TaskLocal static var current: Running?

  let name: [String]

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let standIn = try await StandIn.start(name[0], Array(name.dropFirst()))
    defer { standIn.stop() }
    try await Self.$current.withValue(Running(name: name, standIn: standIn), operation: function)
  }
}

extension Trait where Self == SharedStandIn {
  static func standIn(_ script: String, _ arguments: String...) -> SharedStandIn {
    SharedStandIn(name: [script] + arguments)
  }
}

extension StandIn {
  /// Gives a command and waits until it holds; forgets the requests before it.
  func tell(_ command: [String: any Sendable]) async throws {
    try send(command)
    while try #require(await next(within: .seconds(60)))["done"] == nil {}
  }

  /// What the next request gets instead of the service's own answer.
  func willAnswer(_ status: Int, headers: [String: String] = [:], body: String = "") async throws {
    try await tell([
      "answers": [["status": status, "headers": headers, "body": body] as [String: any Sendable]]
    ])
  }

  var authority: String { hello["ca"] as? String ?? "" }
}

extension WebhookSettings {
  /// For receivers that are expected to answer, slow machine or not.
  static var patient: WebhookSettings { .with(read: .seconds(60)) }

  static func with(connect: Duration = .seconds(60), read: Duration) -> WebhookSettings {
    var settings = WebhookSettings()
    settings.version = "1.2.3"
    settings.lookUpTimeout = .seconds(60)
    settings.connectTimeout = connect
    settings.readTimeout = read
    return settings
  }
}
