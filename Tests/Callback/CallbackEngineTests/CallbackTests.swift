import CallbackDomain
import ChatDomain
import EventSourcing
import PushDomain
import Synchronization
import Testing

@testable import CallbackEngine
@testable import Engine
@testable import EngineRigs

@Suite("A callback in the engine")
struct CallbackTests {
  @Test("asks the customer when an agent is ready, and connects them")
  func confirmation() async throws {
    let rig = try await CallbackRig(options: ["_wait_for_user_confirm": "true", "_call_direction": "USERTERMINATED"])
    let id = try await rig.order(device: "phone-1")
    #expect(try await rig.status(id) == "QUEUED")
    try await rig.settle()
    #expect(rig.pushed == [])
    try await rig.ready("Kim")
    #expect(rig.pushed == ["get-dialog-user-confirmation-provide_code-false"])
    #expect(try await rig.status(id) == "QUEUED Kim")
    let (view, dialog) = try await rig.callbacks.connect(id)
    #expect(view.status == .routing && dialog == .connectOutbound)
    _ = try await rig.callbacks.report(.accepted, of: id, by: "Kim")
    _ = try await rig.callbacks.report(.connected, of: id, by: "Kim")
    #expect(try await rig.status(id) == "PROCESSING Kim")
    _ = try await rig.callbacks.report(.ended, of: id, by: "Kim")
    #expect(try await rig.status(id) == "COMPLETED AGENT_CONNECTED")
    try await rig.stop()
  }

  @Test("asks again, and then connects all the same, or gives up", arguments: ["CONNECT-ANYWAY", "CANCEL"])
  func unconfirmed(word: String) async throws {
    let rig = try await CallbackRig(
      options: [
        "_wait_for_user_confirm": "true", "_on_user_confirm_timeout": word, "_provide_code": "true",
        "_max_number_of_user_availability_confirmation_attempts": "2", "callback.agent_accept_timeout": "600",
      ])
    let id = try await rig.order(device: "phone-1")
    try await rig.ready("Kim")
    try await rig.advance(seconds: 31)
    #expect(rig.pushed.count == 2)
    try await rig.advance(seconds: 31)
    let asked = Array(repeating: "get-dialog-user-confirmation-provide_code-true", count: 2)
    if word == "CANCEL" {
      #expect(try await rig.status(id) == "COMPLETED FAIL_USER_NO_CONFIRM")
      #expect(rig.pushed == asked)
    } else {
      #expect(try await rig.status(id) == "ROUTING Kim")
      #expect(rig.pushed == asked + ["connect-inbound"])
    }
    try await rig.stop()
  }

  @Test("heeds what its request overrides, also when the router and the clock act")
  func overrides() async throws {
    let options = ["_wait_for_user_confirm": "true", "_overwritable_options": "_user_confirm_timeout"]
    let rig = try await CallbackRig(options: options)
    let id = try await rig.order(["_user_confirm_timeout": "100"], device: "phone-1")
    try await rig.ready("Kim")
    #expect(try await rig.callbacks.view(id).confirmation?.until == rig.now.advanced(by: .seconds(100)))
    try await rig.advance(by: .seconds(101))
    let second = try #require(try await rig.callbacks.view(id).confirmation)
    #expect(second.attempt == 2 && second.until == rig.now.advanced(by: .seconds(100)))
    try await rig.stop()
  }

  @Test("goes to the next agent if the first one does not react, who then counts as not ready")
  func vanishedAgent() async throws {
    let rig = try await CallbackRig()
    let id = try await rig.order()
    try await rig.ready("Kim")
    #expect(try await rig.status(id) == "ROUTING Kim")
    try await rig.advance(seconds: 31)
    #expect(try await rig.status(id) == "ROUTING")
    #expect(await rig.engine.agents.isReady("Kim") == false)
    try await rig.ready("Lee")
    #expect(try await rig.status(id) == "ROUTING Lee")
    _ = try await rig.callbacks.report(.accepted, of: id, by: "Lee")
    // Who has accepted may stop taking more.
    try await rig.ready("Lee", false)
    #expect(try await rig.status(id) == "ROUTING Lee")
    try await rig.advance(by: .seconds(301))
    #expect(try await rig.status(id) == "ROUTING")
    await #expect(throws: EngineError.callback(.notYours)) {
      try await rig.callbacks.report(.accepted, of: id, by: "Lee")
    }
    try await rig.stop()
  }

  @Test("goes back to the queue when the agent sends it away or is not ready any more")
  func released() async throws {
    let rig = try await CallbackRig()
    let id = try await rig.order()
    try await rig.ready("Kim")
    _ = try await rig.callbacks.report(.released, of: id, by: "Kim")
    try await rig.settle()
    #expect(try await rig.status(id) == "ROUTING")
    #expect(await rig.engine.agents.isReady("Kim") == false)
    try await rig.ready("Lee")
    #expect(try await rig.status(id) == "ROUTING Lee")
    try await rig.ready("Lee", false)
    #expect(try await rig.status(id) == "ROUTING")
    try await rig.stop()
  }

  @Test("is served by priority, then in the order in which it came")
  func fairOrder() async throws {
    let rig = try await CallbackRig(options: ["_overwritable_options": "_priority"])
    var ids: [String] = []
    for priority in ["0", "0", "5", "0"] {
      ids.append(try await rig.order(["_priority": priority]))
      try await rig.advance(by: .seconds(1))
    }
    #expect(try await rig.callbacks.queuePosition(ids[0]).position == 2)
    #expect(try await rig.work(.waiting, of: "x") == [ids[2], ids[0], ids[1], ids[3]])
    for (agent, expected) in zip(["A", "B", "C", "D"], [ids[2], ids[0], ids[1], ids[3]]) {
      try await rig.ready(agent)
      #expect(try await rig.work(.own, of: agent) == [expected])
    }
    #expect(rig.callbacks.index.counts == [.routing: 4])
    #expect(rig.callbacks.router.load == .init(waiting: 0, oldest: nil, agentsReady: 4, agentsFree: 0))
    // One after the other for one agent.
    let next = try await rig.order()
    _ = try await rig.callbacks.report(.connected, of: ids[2], by: "A")
    #expect(try await rig.status(next) == "QUEUED")
    #expect(rig.callbacks.router.load == .init(waiting: 1, oldest: rig.now, agentsReady: 4, agentsFree: 0))
    _ = try await rig.callbacks.report(.ended, of: ids[2], by: "A")
    try await rig.settle()
    #expect(try await rig.status(next) == "ROUTING A")
    try await rig.stop()
  }

  @Test("sleeps when it is snoozed, and lets the agent go meanwhile")
  func snooze() async throws {
    let rig = try await CallbackRig(options: ["_wait_for_user_confirm": "true"])
    let id = try await rig.order(device: "phone-1")
    try await rig.advance(by: .seconds(1))
    let other = try await rig.order()
    try await rig.ready("Kim")
    #expect(try await rig.status(id) == "QUEUED Kim")
    _ = try await rig.callbacks.snooze(id)
    try await rig.settle()
    #expect(try await rig.status(id) == "QUEUED")
    #expect(try await rig.status(other) == "ROUTING Kim")
    _ = try await rig.callbacks.report(.connected, of: other, by: "Kim")
    _ = try await rig.callbacks.report(.ended, of: other, by: "Kim")
    try await rig.advance(by: .seconds(299))
    #expect(try await rig.status(id) == "QUEUED")
    try await rig.advance(by: .seconds(2))
    #expect(try await rig.status(id) == "QUEUED Kim")
    #expect(rig.pushed.count == 2)
    try await rig.stop()
  }

  @Test("talks over its own chat")
  func chat() async throws {
    let rig = try await CallbackRig(options: ["_media_type": "chat"])
    let id = try await rig.order(["subject": "Order 7"], device: "phone-1")
    try await rig.ready("Kim")
    #expect(rig.pushed == ["get-dialog-start-chat"])
    let request = try await rig.callbacks.prepareChat(id, ChatStartRequest(notifiesByComet: true))
    #expect(request.subject == "Order 7" && request.pushTarget?.deviceID == "phone-1")
    // Ordered by nobody who said who they are: it is the id that opens it, and the key made for the callback.
    #expect(request.userKey == nil)
    let reply = try await rig.engine.chats.start(id, request)
    try await rig.settle()
    #expect(try await rig.status(id) == "ROUTING Kim")
    #expect(try await rig.callbacks.view(id).chatID == reply.chatSessionID)
    _ = try await rig.engine.agents.join(reply.chatSessionID, agentID: "Kim", nickname: "Kim", role: .agent)
    try await rig.settle()
    #expect(try await rig.status(id) == "PROCESSING Kim")
    _ = try await rig.engine.agents.close(reply.chatSessionID, agentID: "Kim")
    try await rig.settle()
    #expect(try await rig.status(id) == "COMPLETED AGENT_CONNECTED")
    await #expect(throws: EngineError.callback(.finished)) {
      try await rig.callbacks.prepareChat(id, ChatStartRequest())
    }
    try await rig.stop()
  }

  @Test("never has the instance of a chat alone: it would pass its time, and its id be used twice")
  func refusedChat() async throws {
    let options = ["_media_type": "chat"]
    let rig = try await CallbackRig(options: options)
    let id = try await rig.order()
    let chats = rig.engine.chats
    let request = try await rig.callbacks.prepareChat(id, ChatStartRequest())
    var nameless = request
    nameless.nickname = ""
    for _ in 0..<2 {
      await #expect(throws: EngineError.chat(.empty(field: "userDisplayName"))) { try await chats.start(id, nameless) }
      #expect(chats.index[id] == nil)
    }
    // Of many who start it at once, one has.
    let started = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 { group.addTask { (try? await chats.start(id, request)) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(started == 1)
    let next = try await rig.restarted(options: options)
    #expect(try await next.engine.chats.refresh(id, after: 0, message: nil, by: .house).events.count == 1)
    try await next.stop()
  }

  @Test("learns after a kill what its chat has come to")
  func chatAndKill() async throws {
    let options = ["_media_type": "chat"]
    let rig = try await CallbackRig(options: options)
    let id = try await rig.order()
    let start = try await rig.callbacks.prepareChat(id, ChatStartRequest())
    let reply = try await rig.engine.chats.start(id, start)
    _ = try await rig.engine.agents.join(reply.chatSessionID, agentID: "Kim", nickname: "Kim", role: .agent)
    // Killed before the callback was told: its record is not waited for.
    let next = try await rig.restarted(options: options)
    try await next.settle()
    #expect(try await next.status(id) == "PROCESSING Kim")
    try await next.stop()
  }

  @Test("does after an outage what fell due in it, once and in order")
  func outage() async throws {
    let options = ["_wait_for_agent": "false", "_call_direction": "USERTERMINATED", "_ttl": "7200"]
    let rig = try await CallbackRig(options: options)
    func at(_ minutes: Int64) -> String { rig.now.advanced(by: .seconds(60 * minutes)).iso8601 }
    // In an order that is not that of their times.
    let second = try await rig.order(["_desired_time": at(20)], device: "phone-2")
    let first = try await rig.order(["_desired_time": at(10)], device: "phone-1")
    let late = try await rig.order(["_desired_time": at(300)], device: "phone-3")
    let next = try await rig.restarted(after: .seconds(3_600), options: options)
    try await next.advance(by: .seconds(1))
    #expect(next.rig.provider.deliveries.map(\.message.target.deviceID) == ["phone-1", "phone-2"])
    #expect(try await next.status(first) == "ROUTING")
    #expect(try await next.status(second) == "ROUTING")
    #expect(try await next.status(late) == "SCHEDULED")
    // Its time and its end have passed: both are told, in their order.
    let last = try await next.restarted(after: .seconds(5 * 86_400), options: options)
    try await last.advance(by: .seconds(1))
    try await last.settle()
    let events: [CallbackEvent] = try last.rig.events(.callback, as: CallbackEvent.self)
    let due = events.filter { $0 == .cameDue }
    #expect(due.count == 3)
    #expect(last.pushed == [])
    try await last.stop()
  }

  @Test("is the same after a snapshot and a restart")
  func snapshot() async throws {
    let options = ["_wait_for_user_confirm": "true"]
    let rig = try await CallbackRig(options: options)
    let asked = try await rig.order(device: "phone-1")
    try await rig.ready("Kim")
    let scheduled = try await rig.order(
      ["_desired_time": rig.now.advanced(by: .seconds(7_200)).iso8601], device: "phone-2")
    _ = try await rig.engine.snapshotNow()
    let before = [try await rig.callbacks.view(asked), try await rig.callbacks.view(scheduled)]
    let next = try await rig.restarted(options: options)
    #expect([try await next.callbacks.view(asked), try await next.callbacks.view(scheduled)] == before)
    #expect(try await next.work(.own, of: "Kim") == [asked])
    let query = CallbackQuery(service: nil, conditions: [.init(name: "_customer_number", value: "5551234")])
    #expect(try await next.callbacks.find(query).elements.count == 2)
    try await next.advance(by: .seconds(7_200))
    #expect(next.pushed.contains("get-dialog-user-confirmation-provide_code-false"))
    try await next.stop()
  }
}
