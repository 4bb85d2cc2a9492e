import EdgeSecurity
import ServerKit
import Testing

@testable import HTTPKit

/// Spec: RFC 9113, 10.5.
@Suite("The limits of an HTTP/2 connection")
struct HTTP2LimitTests {
  /// What a client may do so often and no oftener, and how.
  struct Flood: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let limit: @Sendable (inout HTTP2Limits) -> Void
    /// As often as this is one too often, with the limit set to ten.
    var fatal = 11
    /// The frames of one time.
    let frames: @Sendable (_ number: Int) -> [RawFrame]
  }

  private static let post = HTTP2Stage.head("/a", "POST")

  static let floods = [
    Flood(testDescription: "streams that are reset at once") {
      $0.resetsMaximum = 10
    } frames: { number in
      let stream = UInt32(2 * number + 1)
      return [.headers(stream, HTTP2Stage.head("/poll", "POST")), .reset(stream)]
    },
    Flood(testDescription: "streams that have to be reset") {
      $0.streamErrorsMaximum = 10
    } frames: { number in
      [.headers(UInt32(2 * number + 1), HTTP2Stage.head("/a") + [("connection", "close")])]
    },
    Flood(testDescription: "streams that have to be reset, however slowly") {
      $0.streamErrorsInAllMaximum = 10
    } frames: { number in
      [.headers(UInt32(2 * number + 1), HTTP2Stage.head("/a") + [("connection", "close")])]
    },
    // The first two frames of the connection are among them.
    Flood(testDescription: "PING", limit: { $0.controlFramesMaximum = 10 }, fatal: 9) { _ in [.ping] },
    Flood(testDescription: "SETTINGS", limit: { $0.controlFramesMaximum = 10 }, fatal: 9) { _ in [.settings()] },
    Flood(testDescription: "PRIORITY", limit: { $0.controlFramesMaximum = 10 }, fatal: 9) { _ in
      [RawFrame(kind: .priority, stream: 1, payload: [0, 0, 0, 0, 16])]
    },
    Flood(testDescription: "WINDOW_UPDATE of the connection") {
      $0.idleFramesMaximum = 10
    } frames: { _ in
      [.windowUpdate(0)]
    },
    Flood(testDescription: "frames of a type that nobody knows") {
      $0.idleFramesMaximum = 10
    } frames: { _ in
      [RawFrame(kind: .unknown, stream: 0, payload: [1, 2, 3])]
    },
    Flood(testDescription: "DATA without a byte") {
      $0.emptyFramesMaximum = 10
    } frames: { number in
      (number == 0 ? [.headers(1, post, ends: false)] : []) + [.data(1)]
    },
    Flood(testDescription: "CONTINUATION") {
      $0.continuationsMaximum = 10
    } frames: { number in
      number == 0
        ? [
          RawFrame(kind: .headers, stream: 1, payload: RawFrame.block(post)),
          RawFrame(kind: .continuation, stream: 1, payload: RawFrame.block([("a", "b")])),
        ] : [RawFrame(kind: .continuation, stream: 1, payload: RawFrame.block([("a", "b")]))]
    },
  ]

  @Test("one too many ends the connection, with the reason; one less does not", arguments: floods)
  func flood(_ flood: Flood) throws {
    var settings = HTTPSettings(port: 0)
    flood.limit(&settings.limits.http2)
    let stage = try HTTP2Stage(settings)
    for number in 0..<flood.fatal - 1 { for frame in flood.frames(number) { try stage.send(frame) } }
    #expect(try stage.frames().allSatisfy { $0.kind != .goAway })
    for frame in flood.frames(flood.fatal - 1) { try stage.send(frame) }
    let end = try #require(try stage.frames().first { $0.kind == .goAway })
    #expect(end.code == 11, "ENHANCE_YOUR_CALM")
    // Nothing is read any more, and the client gets a moment to read why.
    try stage.send(.ping)
    #expect(try stage.frames().isEmpty)
    stage.pass(settings.limits.drainTimeout)
    #expect(!stage.isOpen)
  }

  @Test("windows may be opened for what is sent, and requests may say how urgent they are")
  func reasons() throws {
    var settings = HTTPSettings(port: 0)
    settings.limits.http2.idleFramesMaximum = 10
    let stage = try HTTP2Stage(settings)
    for number in 0..<100 as Range<UInt32> {
      try stage.request("/a", on: 2 * number + 1)
      try stage.send(.windowUpdate(0), .windowUpdate(0), RawFrame(kind: .unknown, payload: [1]))
    }
    #expect(try stage.frames().count == 200)
    #expect(stage.isOpen)
  }

  /// NIO makes more of it than it has to: the RFC lets a server take what breaks a stream for what breaks the connection.
  @Test("beside as many requests as the client knows that there may be at once, one more ends the connection")
  func streams() throws {
    var settings = HTTPSettings(port: 0)
    settings.limits.http2.streamsMaximum = 3
    let stage = try HTTP2Stage(settings)
    for stream in [1, 3, 5] as [UInt32] { try stage.request("/poll", "POST", on: stream) }
    #expect(try stage.frames().isEmpty)
    #expect(stage.site.services.heldPolls.current == 3)
    try stage.request("/poll", "POST", on: 7)
    #expect(try stage.frames().map(\.kind) == [.goAway])
    stage.pass(settings.limits.drainTimeout)
    #expect(!stage.isOpen)
  }

  @Test("a request counts as the connection that it would be over HTTP/1.1, but for the first of a connection")
  func addresses() throws {
    var budgets = BudgetSettings()
    budgets.connectionsByAddressMaximum = 2
    var settings = HTTPSettings(port: 0)
    settings.budgets = StrangerBudgets(budgets)
    let stage = try HTTP2Stage(settings)
    for stream in [1, 3, 5] as [UInt32] { try stage.request("/poll", "POST", on: stream) }
    #expect(try stage.news().isEmpty)
    try stage.request("/a", on: 7)
    #expect(try stage.news().first == "7: 429")
    try stage.send(.reset(5))
    try stage.request("/a", on: 9)
    #expect(try stage.news() == ["9: 200", "9: /a."])
  }

  @Test("nor are there more requests in all than there may be connections")
  func requests() throws {
    var settings = HTTPSettings(port: 0)
    settings.limits.connectionsMaximum = 2
    let stage = try HTTP2Stage(settings)
    for stream in [1, 3] as [UInt32] { try stage.request("/poll", "POST", on: stream) }
    try stage.request("/a", on: 5)
    #expect(try stage.news().first == "5: 503")
    try stage.send(.reset(1), .reset(3))
    #expect(stage.site.services.metrics.http2Streams.current == 0)
  }

  @Test("a head is as long as over HTTP/1.1, and has as many fields; what is larger by far ends the connection")
  func heads() throws {
    var settings = HTTPSettings(port: 0)
    (settings.limits.headBytesMaximum, settings.limits.headerFieldsMaximum) = (1_000, 10)
    let stage = try HTTP2Stage(settings)
    try stage.request("/a", fields: [("long", String(repeating: "x", count: 900))])
    #expect(try stage.news().first == "1: 200")
    try stage.request("/a", on: 3, fields: [("long", String(repeating: "x", count: 1_000))])
    #expect(try stage.news().first == "3: 431")
    try stage.request("/a", on: 5, fields: (0..<11).map { ("f\($0)", "") })
    #expect(try stage.news().first == "5: 431")
    try stage.request("/a", on: 7, fields: [("long", String(repeating: "x", count: 2_000))])
    #expect(try stage.frames().map(\.kind) == [.goAway])
    stage.pass(settings.limits.drainTimeout)
    #expect(!stage.isOpen)
  }
}
