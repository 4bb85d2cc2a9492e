import Testing

@testable import CarillonClient

@Suite("Agents' events")
struct AgentEventTests {
  @Test("one about a callback brings the callback and what has happened to it")
  func callback() throws {
    let data = """
      {"change":"offered","id":"7Q2M","service":"callback-chat","state":"ROUTING","customerNumber":"+4930555010",\
      "subject":"Order 81","agentId":"k","accepted":true}
      """
    let message = try #require(AgentEventMessage(.init(id: "9", name: "callback", data: data)))
    guard case .callback(let callback, "offered") = message.kind else {
      Issue.record("\(message.kind)")
      return
    }
    #expect(callback.id == "7Q2M" && callback.service == "callback-chat" && callback.state == "ROUTING")
    #expect(callback.agentID == "k" && callback.isAccepted)
    #expect(callback.customerNumber == "+4930555010" && callback.subject == "Order 81")
    #expect(callback.reason == nil && callback.chatID == nil)
    #expect(message.chatID.isEmpty)
  }

  @Test("one about a callback without id or state is a kind that is not known", arguments: ["{}", #"{"id":"7Q2M"}"#])
  func malformed(_ data: String) throws {
    let message = try #require(AgentEventMessage(.init(name: "callback", data: data)))
    #expect(message.kind == .other("callback"))
  }
}
