import NIOCore
import NIOEmbedded
import ServerKit
import Testing

@testable import HTTPKit

/// What a connection says is handed in: these have no capability at all behind them.
@Suite("HTTP connection of a site")
struct HTTPSiteTests {
  @Test("a poll is answered when its answer is there, and hears that it has been written")
  func poll() throws {
    let site = try ScriptedSite()
    try site.request("/poll")
    #expect(try site.answers().isEmpty)
    #expect(site.services.heldPolls.current == 1)
    site.answerPoll()
    #expect(try site.answers() == ["200 news"])
    #expect(site.news == ["written"])
    #expect(site.services.heldPolls.current == 0)
    try site.request("/poll")
    site.answerPoll()
    #expect(try site.answers() == ["200 news"])
    #expect(site.news == ["written", "written"])
  }

  @Test("a poll hears that its client has left; what comes for it then is written to nobody")
  func departure() throws {
    let site = try ScriptedSite()
    try site.request("/poll")
    site.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    site.channel.embeddedEventLoop.run()
    #expect(site.news == ["departed"])
    site.answerPoll()
    #expect(try site.answers().isEmpty)
    #expect(site.news == ["departed", "not written"])
    #expect(site.services.heldPolls.current == 0)
  }

  @Test("a refusal is in the site's own words, and the connection goes on; a body beyond the site's limit ends it")
  func refusals() throws {
    let site = try ScriptedSite()
    try site.request("/closed", body: "[]")
    #expect(try site.answers() == ["403 /closed: closed"])
    try site.request("/open", body: "[]")
    #expect(try site.answers() == ["200 /open"])
    try site.request("/long", body: String(repeating: "x", count: 17))
    #expect(try site.answers() == ["413 /long: The request body is larger than 16 bytes"])
  }
}
