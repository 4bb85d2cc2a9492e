import NIOEmbedded
import Testing

@testable import HTTPKit
@testable import ServerKit

@Suite("The time of an HTTP/2 connection")
struct HTTP2TimeTests {
  private let limits = EdgeLimits()

  @Test("ends if no request comes, and before that for a client that does not even begin", arguments: [true, false])
  func silence(_ introduces: Bool) throws {
    let stage = try HTTP2Stage(introduces: introduces)
    stage.pass(limits.headTimeout - .seconds(1))
    #expect(stage.isOpen)
    stage.pass(.seconds(1))
    #expect(try stage.news().suffix(2) == ["goaway later 0", "ping"])
    stage.pass(limits.drainTimeout)
    #expect(!stage.isOpen)
  }

  @Test("ends when nothing has been asked for a while, not while an answer is waited for")
  func idle() throws {
    let stage = try HTTP2Stage()
    try stage.request("/poll", "POST")
    stage.pass(limits.keepAliveTimeout + .seconds(60))
    stage.site.answerPoll()
    #expect(try stage.news() == ["1: 200", "1: news."])
    stage.pass(limits.keepAliveTimeout - .seconds(1))
    #expect(try stage.news().isEmpty)
    stage.pass(.seconds(1))
    #expect(try stage.news() == ["goaway later 0", "ping"])
    stage.pass(limits.drainTimeout)
    #expect(!stage.isOpen)
  }

  @Test("is as long for a body as over HTTP/1.1; the other requests go on")
  func endlessBody() throws {
    let stage = try HTTP2Stage()
    try stage.request("/a", "POST", ends: false)
    try stage.send(.data(1, "1234"))
    stage.pass(limits.bodyTimeout)
    #expect(try stage.news() == ["1: 408", "1: /a: The body came too slowly.", "1 reset 0"])
    try stage.request("/b", on: 3)
    #expect(try stage.news() == ["3: 200", "3: /b."])
  }

  @Test("is up for an answer that the client does not take: it never opens its window", arguments: [true, false])
  func closedWindow(_ opensLittle: Bool) throws {
    let stage = try HTTP2Stage()
    try stage.send(.settings((id: 4, value: 0)))
    try stage.request("/a")
    #expect(try stage.news() == ["1: 200"])
    // A byte now and then is no progress.
    if opensLittle { try stage.send(.windowUpdate(1)) }
    #expect(try stage.news() == (opensLittle ? ["1: /"] : []))
    stage.pass(limits.writeTimeout)
    #expect(try stage.news() == ["1 reset 8"])
    #expect(stage.isOpen)
    try stage.send(.settings((id: 4, value: 100)))
    try stage.request("/b", on: 3)
    #expect(try stage.news() == ["3: 200", "3: /b."])
  }

  @Test("is the same for whoever opens the window")
  func openedWindow() throws {
    let stage = try HTTP2Stage()
    try stage.send(.settings((id: 4, value: 1)))
    try stage.request("/abc")
    #expect(try stage.news() == ["1: 200", "1: /"])
    try stage.send(.windowUpdate(1, 2))
    #expect(try stage.news() == ["1: ab"])
    try stage.send(.windowUpdate(1))
    #expect(try stage.news() == ["1: c."])
  }

  @Test("is over when the server stops: no more requests, and the connection ends behind the last answer")
  func stop() throws {
    let stage = try HTTP2Stage()
    try stage.request("/poll", "POST")
    let poll = try #require(stage.site.connection)
    stop(stage)
    #expect(try stage.news() == ["goaway later 0", "ping"])
    // What the client had begun before it heard of it may be asked again elsewhere.
    try stage.request("/a", on: 3)
    #expect(try stage.news() == ["3 reset 7"])
    let echo = RawFrame(kind: .ping, flags: RawFrame.ack, payload: try #require(stage.lastPing))
    try stage.send(echo)
    #expect(try stage.news() == ["goaway 1 0"])
    stage.site.answerPoll(on: poll)
    #expect(try stage.news() == ["1: 200", "1: news."])
    #expect(!stage.isOpen)
  }

  @Test("is over when the server stops, for whoever does not say that it has heard", arguments: [true, false])
  func stopOfSilent(_ hasRequest: Bool) throws {
    let stage = try HTTP2Stage()
    if hasRequest { try stage.request("/poll", "POST") }
    stop(stage)
    if hasRequest { stage.site.answerPoll() }
    stage.pass(limits.drainTimeout)
    #expect(!stage.isOpen)
  }

  @Test("is over at once when the server has waited long enough")
  func cut() throws {
    let stage = try HTTP2Stage()
    try stage.request("/poll", "POST")
    stage.site.residents.cutAll()
    stage.site.channel.embeddedEventLoop.run()
    #expect(!stage.isOpen)
    #expect(stage.site.news == ["departed"])
    #expect(stage.site.services.metrics.http2Connections.current == 0)
    #expect(stage.site.services.metrics.http2Streams.current == 0)
  }

  private func stop(_ stage: HTTP2Stage) {
    stage.site.residents.stopAll()
    stage.site.channel.embeddedEventLoop.run()
  }
}
