import CallbackDomain
import ChatDomain
import EventSourcing
import JSONEnvelope
import PushDomain
import ScriptedClients
import StorageDomain
import SupportDomain
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Whose things are", .timeLimit(.minutes(1)))
struct OwnershipTests {
  private static let callbacks = ["service.callback-voice": ["_service": "callback", "_media_type": "chat"]]

  /// A session that shook hands with this key, or these members of `ext`, subscribed and connected once.
  private func online(_ rig: EngineRig, user: String? = nil, serviceID: String? = nil) async throws -> ScriptedClient {
    let client = try await subscribed(rig, user: user, serviceID: serviceID)
    _ = try await client.connect()
    return client
  }

  private func subscribed(
    _ rig: EngineRig, user: String? = nil, serviceID: String? = nil
  ) async throws -> ScriptedClient {
    let ext = serviceID.map { #","ext":{"serviceId":"\#($0)"}"# } ?? ""
    let shaken = try await ScriptedClient(rig, user: user).ask(
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]\#(ext)}]"#)
    let client = ScriptedClient(rig, user: user, clientID: shaken[0]["clientId"]?.string)
    _ = try await client.ask(#"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys"}]"#)
    return client
  }

  /// The texts that wait for a session: those that it missed come with its first connect.
  private func texts(_ client: ScriptedClient) async throws -> [String] {
    try await client.ask(
      #"[{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling","advice":{"timeout":0}}]"#
    ).compactMap { Notification($0) }.flatMap(\.lines).filter { $0[0] == "Message.Text" }.map { $0[1] }
  }

  @Test("over Comet the service id alone opens nothing of a chat that has a user", arguments: [false, true])
  func serviceID(isAllowed: Bool) async throws {
    let options = isAllowed ? ["_open_by_service_id": "true"] : [:]
    let rig = try await EngineRig(
      directory: EngineRig.temporaryDirectory(), sections: ["service.request-chat": options], maxInterval: 60_000)
    let chats = rig.engine.chats
    // One that listens before the chat begins, and one that comes later.
    let service = try await chats.create(service: "request-chat", data: [])
    let early = try await online(rig, serviceID: service)
    _ = try await chats.start(service, ChatStartRequest(userKey: "ann", notifiesByComet: true))
    let late = try await online(rig, serviceID: service)
    let owner = try await online(rig, user: "ann")
    _ = try await chats.send(service, text: "secret", by: .customer(userKey: "ann"))
    #expect(try await texts(owner) == ["secret"])
    for stranger in [early, late] {
      let heard = try await texts(stranger)
      #expect(heard == (isAllowed ? ["secret"] : []))
    }
    if !isAllowed {
      // Nor do they keep the customer from being absent.
      _ = try await owner.disconnect(position: 2)
      _ = try await rig.engine.agents.join(rig.chatID(service), agentID: "k", nickname: "K", role: .agent)
      #expect(try await rig.engine.agents.summary(rig.chatID(service), for: .overseer).customerOnline == false)
    }
    // By REST the same.
    if isAllowed {
      _ = try await chats.send(service, text: "old app")
    } else {
      await #expect(throws: EngineError.chat(.unknownService)) { try await chats.send(service, text: "old app") }
      await #expect(throws: EngineError.chat(.unknownService)) {
        try await chats.refresh(service, after: 0, message: nil)
      }
    }
    await #expect(throws: EngineError.chat(.unknownService)) {
      try await chats.refresh(service, after: 0, message: nil, by: .customer(userKey: "ben"))
    }
    await rig.stop()
  }

  @Test("a chat without a user is opened by its service id")
  func withoutUser() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.engine.chats.create(service: "request-chat", data: [])
    _ = try await rig.engine.chats.start(service, ChatStartRequest(notifiesByComet: true))
    let client = try await online(rig, serviceID: service)
    _ = try await rig.engine.chats.send(service, text: "mine", by: .customer(userKey: "anything"))
    #expect(try await texts(client) == ["mine"])
    await rig.stop()
  }

  @Test("the key that was made for a callback opens its chat and nothing more, whoever began it, also after a restart")
  func madeKey() async throws {
    for beginsWithMade in [true, false] {
      let directory = try EngineRig.temporaryDirectory()
      let rig = try await EngineRig(directory: directory, sections: Self.callbacks)
      let (callbacks, chats) = (rig.engine.callbacks, rig.engine.chats)
      let id = try await callbacks.create(
        service: "callback-voice",
        CallbackOrder(fields: [NameValuePair("_customer_number", "+1")], userKey: "ann")
      ).view.id
      let view = try await callbacks.view(id)
      #expect(try await callbacks.chatKey(of: view, showing: "ann") == "ann")
      let made = try await callbacks.chatKey(of: view, showing: nil)
      #expect(made != "ann" && made.count >= 20)
      #expect(try await callbacks.chatKey(of: try await callbacks.view(id), showing: nil) == made)
      let other = try await rig.startChat(user: "ann")

      for stranger in [nil, "ben"] as [String?] {
        await #expect(throws: EngineError.chat(.unknownService)) {
          try await callbacks.prepareChat(id, ChatStartRequest(userKey: stranger))
        }
      }
      let start = ChatStartRequest(userKey: beginsWithMade ? made : "ann", notifiesByComet: true)
      let prepared = try await callbacks.prepareChat(id, start)
      #expect(prepared.userKey == "ann")
      let early = try await online(rig, user: made)
      _ = try await chats.start(id, prepared)
      _ = try await chats.send(id, text: "one", by: .customer(userKey: made))
      _ = try await chats.send(other, text: "private", by: .customer(userKey: "ann"))
      #expect(try await texts(early) == ["one"])
      let anns = try await texts(subscribed(rig, user: "ann"))
      #expect(anns.sorted() == ["one", "private"], "\(anns)")
      await #expect(throws: EngineError.chat(.unknownService)) {
        try await chats.send(other, text: "x", by: .customer(userKey: made))
      }
      #expect(await callbacks.opens(id, to: made) == false)
      #expect(await rig.engine.storage.hasInstance(id, for: made) == false)
      #expect(await rig.engine.storage.hasInstance(id, for: "ann"))
      await rig.stop()

      let next = try await EngineRig(directory: directory, sections: Self.callbacks)
      let guest = try await online(next, user: made)
      _ = try await next.engine.chats.send(id, text: "two", by: .customer(userKey: made))
      #expect(try await texts(guest).suffix(1) == ["two"])
      #expect(try await !texts(subscribed(next, user: made)).contains("private"))
      await next.stop()
    }
  }

  @Test("who orders without a user and chats without one needs the id, or the key that was made for it")
  func callbackOfNobody() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), sections: Self.callbacks)
    let (callbacks, chats) = (rig.engine.callbacks, rig.engine.chats)
    let id = try await callbacks.create(
      service: "callback-voice", CallbackOrder(fields: [NameValuePair("_customer_number", "+1")])
    ).view.id
    let made = try await callbacks.chatKey(of: try await callbacks.view(id), showing: "ben")
    _ = try await chats.start(id, try await callbacks.prepareChat(id, ChatStartRequest(notifiesByComet: true)))
    let guest = try await online(rig, user: made)
    for shown in [nil, made] { _ = try await chats.send(id, text: shown ?? "none", by: .customer(userKey: shown)) }
    #expect(try await texts(guest) == ["none", made])
    await rig.stop()
  }

  @Test("what is stored with a user opens to them alone, and goes when they are erased")
  func storage() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let upload = [StorageUpload("note", .text("secret"))]
    let anns = try await rig.engine.storage.create(upload, seconds: 60, owner: "ann")
    let nobodys = try await rig.engine.storage.create(upload, seconds: 60)
    await rig.stop()

    let next = try await EngineRig(directory: directory)
    let storage = next.engine.storage
    for stranger in [nil, "ben"] as [String?] {
      let place = StoragePlace.id(anns, user: stranger)
      await #expect(throws: StorageFailure.unknown) { _ = try await storage.values(place) }
      await #expect(throws: StorageFailure.unknown) { try await storage.update(place, upload, seconds: 60) }
      await #expect(throws: StorageFailure.unknown) { try await storage.delete(place) }
      await #expect(throws: StorageFailure.unknown) { try await storage.delete("note", of: place) }
      #expect(try await storage.value("note", of: .id(nobodys, user: stranger)) == .text("secret"))
    }
    #expect(try await storage.value("note", of: .id(anns, user: "ann")) == .text("secret"))
    _ = try await next.engine.redactions.redact(subject: "ann", by: "ops", reason: "asked for")
    await #expect(throws: StorageFailure.unknown) { _ = try await storage.values(.id(anns, user: "ann")) }
    await next.stop()
  }

  @Test("the data of an instance open as its chat does")
  func instances() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let storage = rig.engine.storage
    let made = try await rig.engine.chats.create(
      service: "request-chat", data: [NameValuePair("a", "1")], userKey: "ann")
    let started = try await rig.startChat(user: "ann")
    for id in [made, started] {
      for stranger in [nil, "ben"] as [String?] {
        let place = StoragePlace.instance(id, user: stranger)
        await #expect(throws: StorageFailure.unknownInstance) { _ = try await storage.values(place) }
        await #expect(throws: StorageFailure.unknownInstance) {
          try await storage.update(place, [StorageUpload("b", .text("2"))], seconds: 0)
        }
        await #expect(throws: StorageFailure.unknownInstance) { try await storage.delete(place) }
      }
      try await storage.update(.instance(id, user: "ann"), [StorageUpload("b", .text("2"))], seconds: 0)
      #expect(try await storage.value("b", of: .instance(id, user: "ann")) == .text("2"))
    }
    await rig.stop()
  }

  @Test("a subscription is seen and ended by whoever made it, and erased with them")
  func subscriptions() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory, sections: ["push": ["pushEnabled": "comet,httpcb"]])
    var order = SubscriptionOrder(
      subscriberID: "app-17", filter: "*", type: "httpcb", deviceID: "https://hooks.example.test/in")
    let nobodys = try await rig.engine.notifications.subscribe(order)
    order.owner = "ann"
    order.seconds = 3_600
    let anns = try await rig.engine.notifications.subscribe(order)
    (order.type, order.deviceID) = ("comet", "ben")
    await #expect(throws: EngineError.self) { try await rig.engine.notifications.subscribe(order) }
    await rig.stop()

    let next = try await EngineRig(directory: directory, sections: ["push": ["pushEnabled": "comet,httpcb"]])
    let notifications = next.engine.notifications
    for stranger in [nil, "ben"] as [String?] {
      #expect(try await notifications.subscription(anns, for: stranger) == nil)
      #expect(try await !notifications.unsubscribe(anns, for: stranger))
      #expect(try await notifications.subscription(nobodys, for: stranger) != nil)
    }
    #expect(try await notifications.subscription(anns, for: "ann")?.terms.owner == "ann")
    _ = try await next.engine.redactions.redact(subject: "ann", by: "ops", reason: "asked for")
    #expect(try await notifications.subscription(anns, for: "ann") == nil)
    #expect(try await notifications.unsubscribe(nobodys, for: nil))
    await next.stop()
  }

  @Test("an upload is attached and deleted by who made it")
  func uploads() async throws {
    let rig = try await SupportRig()
    let (ann, ben) = (try await rig.user("ann"), try await rig.user("ben"))
    let file = try await rig.support.upload([1], fileName: "a.png", contentType: "image/png", by: ann)
    var order = SupportRequestOrder()
    order.comment.body = "Look"
    order.comment.uploads = [file.token]
    let agent = try await rig.support.agent(named: "kim")
    for stranger in [ben, agent] {
      await #expect(throws: SupportFailure.notFound) { try await rig.support.deleteUpload(file.token, by: stranger) }
    }
    await #expect(
      throws: SupportFailure.invalid(field: "comment.uploads[0]", reason: "is no upload, or none any more")
    ) { try await rig.support.create(order, by: ben) }
    #expect(try await rig.support.create(order, by: ann).firstComment?.attachments == [file])
    try await rig.stop()
  }
}
