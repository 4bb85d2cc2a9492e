import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import PushDomain
import ScriptedClients
import Synchronization
import SystemPackage

@testable import Engine
@testable import EngineKit
@testable import PushEngine
@testable import SupportEngine

/// An engine whose clock stands still until it is told to move, and whose provider answers when it is told to.
final class DeviceRig: Sendable {
  let rig: EngineRig
  let provider: PatientProvider
  let time: ManualTime
  let directory: FilePath

  /// 2026-02-11T08:30:00Z.
  static let start = Timestamp(milliseconds: 1_770_798_600_000)

  /// - Parameters:
  ///   - directory: the data of an earlier rig, to be a restart of it.
  ///   - at: when it starts.
  init(
    directory: FilePath? = nil, storage: any JournalStorage = DiskStorage(), at now: Timestamp = DeviceRig.start,
    sections: [String: [String: String]] = [:], segmentByteCount: Int = 1 << 20,
    provider: PatientProvider = PatientProvider(), configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    let directory = try directory ?? EngineRig.temporaryDirectory()
    self.directory = directory
    self.provider = provider
    time = ManualTime(start: now)
    rig = try await EngineRig(
      directory: directory,
      sections: ["push": ["pushEnabled": "comet,test,httpcb"]].merging(sections) { $0.merging($1) { $1 } },
      storage: storage, segmentByteCount: segmentByteCount, time: time, provider: provider, configure: configure)
    try await settle()
  }

  var engine: Engine { rig.engine }
  var devices: DeviceService { rig.engine.devices }
  var couriers: CourierService { rig.engine.couriers }

  // MARK: Time

  /// Returns once everything that the process owes itself is done, but for what the provider holds.
  func settle() async throws {
    var seen = UInt64.max
    while true {
      let held = provider.heldCount
      await passed(engine.partition.context.lanes[0])
      try await engine.partition.context.untilDurable()
      // What is durable has been handed to the outbox, which need not be done with it.
      await passed(engine.partition.outbox)
      let position = engine.partition.journal.writer?.lastPosition ?? 0
      if engine.pushesUnderWay == held, provider.heldCount == held, position == seen { return }
      seen = position
      await Task.yield()
    }
  }

  private func passed(_ lane: Lane) async {
    await withCheckedContinuation { continuation in lane.enqueue { continuation.resume() } }
  }

  func advance(by duration: Duration) async throws {
    time.advance(by: duration)
    engine.tick()
    try await settle()
  }

  // MARK: End

  /// Everything under way comes to rest first.
  func stop() async throws {
    provider.answer { _ in .delivered() }
    provider.releaseAll()
    try await settle()
    await rig.stop(grace: .zero)
  }

  /// As a kill: what the provider holds has no answer in the journal.
  func kill() async {
    await rig.engine.stop(grace: .zero)
    provider.answer { _ in .delivered() }
    provider.releaseAll()
    // By the clock of the test nothing can be waited for.
    await rig.stop(grace: .zero)
  }

  /// The next process on the same data, at the same time.
  func restarted(provider: PatientProvider = PatientProvider()) async throws -> DeviceRig {
    try await DeviceRig(directory: directory, at: time.now, provider: provider)
  }

  // MARK: Parts of tests

  static func registration(
    _ token: String, owner: String? = nil, type: String = "test", app: String? = nil, platform: String? = nil,
    language: String? = nil
  ) -> DeviceRegistration {
    DeviceRegistration(
      address: PushAddress(type: type, deviceID: token, language: language), platform: platform, app: app,
      owner: owner)
  }

  @discardableResult
  func register(_ token: String, owner: String? = nil, type: String = "test") async throws(EngineError) -> DeviceView {
    try await devices.register(Self.registration(token, owner: owner, type: type)).0
  }

  func key(_ token: String, type: String = "test") -> String {
    DeviceKey.of(PushAddress(type: type, deviceID: token))
  }

  /// A chat whose customer is in the background: each line of its agent is a push.
  struct BackgroundChat: Sendable {
    let service: String
    let chatID: String
  }

  /// The customer's device has got the push of the agent's joining when this returns, unless the provider holds it.
  func backgroundChat(user: String, device: String?) async throws -> BackgroundChat {
    let service = try await rig.startChat(user: user, pushTo: device)
    let client = ScriptedClient(rig, user: user)
    _ = try await client.comeOnline()
    _ = try await client.disconnect(position: 1)
    let chat = BackgroundChat(service: service, chatID: try await rig.chatID(service))
    _ = try await engine.agents.join(chat.chatID, agentID: "k", nickname: "Agent K", role: .agent)
    try await settle()
    return chat
  }

  /// The agent writes; returns once what follows is done.
  func say(_ text: String, in chat: BackgroundChat) async throws {
    _ = try await engine.agents.send(chat.chatID, agentID: "k", text: text)
    try await settle()
  }

  /// Pushes that the chat has asked for and that nobody has taken over.
  func owed(_ chat: BackgroundChat) async -> Int {
    await engine.chats.directory[chat.service]?.peek { chat in
      chat.outstandingEffects.count { if case .push = $0 { true } else { false } }
    } ?? 0
  }

  /// Puts a push into a queue, as a producer beside the chats does; returns once what follows is done.
  @discardableResult
  func push(
    _ number: Int = 1, of producer: String = "producer", to token: String, owner: String? = nil,
    priority: PushPriority = .high, attempts: Int = 3, expiry: Timestamp? = nil, type: String = "test"
  ) async throws -> PushID {
    let message = PushMessage(
      producer: producer, number: number, tag: "shop.offer", alert: "New message",
      content: Array(#"{"text":"offer \#(number)"}"#.utf8), service: "shop",
      target: PushAddress(type: type, deviceID: token), attemptsMaximum: attempts, expiry: expiry, priority: priority,
      owner: owner)
    _ = await couriers.dispatcher.enqueue(message)
    try await settle()
    return message.id
  }

  /// Writes until nothing more fits.
  func fillDisk() async throws {
    var number: UInt64 = 0
    while true {
      number += 1
      var state = number &* 0x9E37_79B9_7F4A_7C15 | 1
      let noise = (0..<(number < 2_000 ? 400 : 1)).map { _ -> UInt8 in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(65 + state % 57)
      }
      do throws(EngineError) {
        _ = try await devices.register(Self.registration("\(number)" + String(decoding: noise, as: UTF8.self)))
      } catch {
        guard error == .storageFull else { throw error }
        return
      }
    }
  }

  /// Messages in the queue of a device, that in flight included.
  func queued(_ token: String, type: String = "test") async -> Int {
    await engine.queues[key(token, type: type)]?.peek { $0.messageCount } ?? 0
  }

  /// The events of one kind in the journal.
  func events<Event: JournaledEvent>(_ kind: EntityKind, as _: Event.Type, storage: any JournalStorage = DiskStorage())
    throws -> [Event]
  {
    var events: [Event] = []
    try JournalReader(directory: directory.appending("journal"), storage: storage).forEachRecord { record in
      guard !record.isRedacted, record.kind == kind.rawValue else { return }
      var payload = PayloadReader(record.payload)
      if let event = try? Event(tag: record.tag, payload: &payload) { events.append(event) }
    }
    return events
  }

  /// How the pushes ended, in this order.
  func ends() throws -> [FinalPushOutcome] {
    try events(.pushQueue, as: PushEvent.self).compactMap { event in
      switch event {
      case .settled(_, let outcome, _, _, _, _), .declined(_, let outcome, _): outcome
      default: nil
      }
    }
  }
}

/// Takes pushes of several types; answers as it is told, or holds what it has until it is told.
final class PatientProvider: PushProvider {
  /// Nil: hold it.
  typealias Answer = @Sendable (PushDelivery) -> PushOutcome?

  private struct State {
    var answer: Answer = { _ in .delivered() }
    var deliveries: [PushDelivery] = []
    var held: [CheckedContinuation<PushOutcome, Never>] = []
    var inHandsMaximum = 0
    var obstacle: String?
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  private let lane: @Sendable (PushAddress, PushOptions) -> CourierLane

  init(
    lane: @escaping @Sendable (PushAddress, PushOptions) -> CourierLane = { target, _ in
      CourierLane(id: "lane of \(target.type)", label: target.type)
    }
  ) { self.lane = lane }

  var types: Set<String> {
    [
      "test", "httpcb", "ios", "fcm", "airship", SupportWebhooks.webhookType, SupportWebhooks.eventsType,
      OperatorEvents.type,
    ]
  }
  func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? { state.withLock { $0.obstacle } }
  func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane { lane(target, options) }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    await withCheckedContinuation { continuation in
      let (outcome, reached) = state.withLock { state in
        state.deliveries.append(delivery)
        let outcome = state.answer(delivery)
        if outcome == nil {
          state.held.append(continuation)
          state.inHandsMaximum = max(state.inHandsMaximum, state.held.count)
        }
        let reached = state.waiters.filter { $0.count <= state.deliveries.count }
        state.waiters.removeAll { $0.count <= state.deliveries.count }
        return (outcome, reached)
      }
      if let outcome { continuation.resume(returning: outcome) }
      for waiter in reached { waiter.continuation.resume() }
    }
  }

  // MARK: For the test

  func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
  /// These, one after the other; then everything is delivered.
  func answer(_ outcomes: PushOutcome...) {
    let left = Mutex(outcomes)
    answer { _ in left.withLock { $0.isEmpty ? .delivered() : $0.removeFirst() } }
  }
  func hold() { answer { _ in nil } }
  func obstruct(_ obstacle: String?) { state.withLock { $0.obstacle = obstacle } }

  var deliveries: [PushDelivery] { state.withLock { $0.deliveries } }
  var heldCount: Int { state.withLock { $0.held.count } }
  /// The most that it ever held at once.
  var inHandsMaximum: Int { state.withLock { $0.inHandsMaximum } }

  /// The oldest that is held is answered.
  func release(_ outcome: PushOutcome = .delivered()) {
    state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }?.resume(returning: outcome)
  }

  func releaseAll(_ outcome: PushOutcome = .delivered()) {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for one in held { one.resume(returning: outcome) }
  }

  /// Returns once so many deliveries were made.
  func reaches(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.deliveries.count < count { state.waiters.append((count, continuation)) }
        return state.deliveries.count >= count
      }
      if isReached { continuation.resume() }
    }
  }
}
