public import ChatDomain
public import EngineKit
package import EntityRuntime
package import EventSourcing
import JSONEnvelope
import Logging
import OptionKit
public import PushDomain
package import PushEngine

/// Subscriptions of apps and others, and what back ends publish to them. Each call returns once what it did is durable.
/// Spec: GMS 10.
///
/// ```
///   publish ─> index ─> each Subscription: published ──durable──> push ─> PushQueue of the address
///                                          handedOver <── the queue has it
/// ```
public final class NotificationService: Sendable {
  package let directory: EntityDirectory<Subscription>
  let index: SubscriptionIndex
  let dispatcher: PushDispatcher
  package let timers: KeyedTimers<SubscriptionTimer>
  let identifiers: Identifiers
  let context: RuntimeContext
  let limits: EngineLimits

  static let bounds = SubscriptionLimits()

  /// Producer of a subscription's pushes: this and its id.
  package static let prefix = "subscription/"

  package init(_ partitions: Partitions, dispatcher: PushDispatcher) {
    directory = partitions.directory(.subscription)
    index = SubscriptionIndex()
    timers = partitions.timers()
    self.dispatcher = dispatcher
    identifiers = partitions.node.identifiers
    context = partitions.context
    limits = partitions.node.limits
    partitions.add(self)
    dispatcher.producers.register(self)
    dispatcher.producers.register { [self] id in
      guard let terms = await directory[id]?.peek({ $0.terms }), terms.expiresAt > context.time.now else { return nil }
      return terms
    }
  }

  // MARK: For apps

  /// Subscribes. - Returns: the id of the subscription.
  /// - Throws: `.invalid`, `.limitReached`, `.storageFull`, `.unavailable`.
  public func subscribe(_ order: SubscriptionOrder) async throws(EngineError) -> String {
    let terms = try terms(order)
    let key = identifiers.uuid()
    guard let subscription = directory.entity(key, limit: limits.subscriptionsMaximum) else {
      throw .limitReached("subscriptions")
    }
    do throws(TurnError<SubscriptionRejection>) {
      try await subscription.perform(.open(terms)) { _ in }
    } catch {
      directory.remove(key)
      throw Self.failure(error)
    }
    return key
  }

  /// - Parameter userKey: the `gms_user` that whoever asks shows; nil for none.
  /// - Returns: nil if there is no such subscription for them, or none any more.
  public func subscription(_ id: String, for userKey: String? = nil) async throws(EngineError) -> SubscriptionView? {
    guard let subscription = directory[id] else { return nil }
    let view: SubscriptionView?
    do { view = try await subscription.read { SubscriptionView($0, id: id) } } catch { throw Self.failure(error) }
    guard let view, view.terms.opens(to: userKey), view.terms.expiresAt > context.time.now else { return nil }
    return view
  }

  /// - Parameter userKey: the `gms_user` that whoever asks shows; nil for none.
  /// - Returns: false if there is no such subscription for them.
  public func unsubscribe(_ id: String, for userKey: String? = nil) async throws(EngineError) -> Bool {
    // Whose it is never changes.
    guard let subscription = directory[id], await subscription.peek({ $0.terms?.opens(to: userKey) }) == true else {
      return false
    }
    do throws(TurnError<SubscriptionRejection>) {
      try await subscription.perform(.end(reason: "ended by its subscriber")) { _ in }
      return true
    } catch {
      if case .rejected(.unknown) = error { return false }
      throw Self.failure(error)
    }
  }

  /// Where the pushes of a chat go whose app names a subscription: to its address, as long as it lasts. Its filter is for
  /// what is published. Spec: GMS 3.4, `subscriptionID`.
  /// - Throws: `.invalid` if there is no such subscription, or it is one that no chat can be pushed to.
  public func chatTarget(
    _ id: String, for userKey: String? = nil, language: String?
  ) async throws(EngineError) -> PushTarget {
    guard let view = try await subscription(id, for: userKey) else {
      throw .invalid(field: "subscriptionID", reason: "names no subscription")
    }
    let address = view.terms.address
    guard address.type != CometCourier.type else {
      throw .invalid(
        field: "subscriptionID", reason: "names a subscription of the type comet, which reaches no app that is away")
    }
    return PushTarget(
      type: address.type, deviceID: address.deviceID, provider: address.provider, language: language,
      debug: address.debug, subscriptionID: id)
  }

  // MARK: For back ends

  /// Publishes an event.
  /// - Parameters:
  ///   - subscriberID: to this one's subscriptions only.
  ///   - id: the publisher's own, among what it publishes under the tag: a subscription that had it not long ago
  ///     (`RecentIDs`) does not get it again, and is counted. Nil for one that is never published again.
  /// - Returns: how many subscriptions it goes to; each of them has it on the disk.
  /// - Throws: `.invalid`; `.limitReached`, `.storageFull`, `.unavailable` if some could not take it: whoever publishes
  ///   it again under the same id publishes it to the others.
  public func publish(
    tag: String, _ content: PublicationContent, subscriberID: String? = nil, id: String? = nil
  ) async throws(EngineError) -> Int {
    try check(tag, "tag", 1...Self.bounds.tagBytesMaximum)
    if let id { try check(id, "id", 1...Self.bounds.nameBytesMaximum) }
    guard content.bytes.count <= limits.pushDataBytesMaximum else {
      throw .invalid(field: "message", reason: "is longer than \(limits.pushDataBytesMaximum) bytes")
    }
    let keys = index.matching(tag: tag, subscriberID: subscriberID)
    let command = SubscriptionCommand.publish(
      tag: tag, content, id: id, owedMaximum: Self.bounds.owedMaximum)
    var count = 0
    var failure: EngineError?
    for start in stride(from: 0, to: keys.count, by: limits.targetsAtOnce) {
      let chunk = keys[start..<min(start + limits.targetsAtOnce, keys.count)]
      // Some at once: each waits for the disk.
      let results = await withTaskGroup(of: Result<Bool, EngineError>.self) { group in
        for key in chunk { group.addTask { await self.publish(command, to: key) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for result in results {
        switch result {
        case .success(let isTaken): count += isTaken ? 1 : 0
        case .failure(let error): failure = error
        }
      }
    }
    if let failure { throw failure }
    return count
  }

  /// False for one that has come to its end meanwhile.
  private func publish(_ command: SubscriptionCommand, to key: String) async -> Result<Bool, EngineError> {
    guard let subscription = directory[key] else { return .success(false) }
    do throws(TurnError<SubscriptionRejection>) {
      try await subscription.perform(command) { _ in }
      return .success(true)
    } catch {
      if case .rejected(.unknown) = error { return .success(false) }
      return .failure(Self.failure(error))
    }
  }

  // MARK: What subscriptions want

  package func perform(_ effects: [SubscriptionEffect], of subscription: Entity<Subscription>) async {
    let key = subscription.id.key
    for effect in effects {
      switch effect {
      case .opened(let terms):
        index.set(key, SubscriptionNote(terms))
        await dispatcher.devices.show(DeviceRegistration(address: terms.address, owner: terms.userKey))
      case .setAlarm(let deadline): timers.start(.expiry, of: key, at: deadline)
      case .push(let publication): await push(publication, of: subscription)
      case .forget:
        timers.cancel(.expiry, of: key)
        index.remove(key)
        directory.remove(key)
      }
    }
  }

  private func push(_ publication: Publication, of subscription: Entity<Subscription>) async {
    guard let terms = await subscription.peek({ $0.terms }) else { return }
    let id = PushID(producer: Self.prefix + subscription.id.key, number: publication.number)
    var order = PushDispatcher.Order(
      id: id, address: terms.address, tag: publication.tag, app: nil, owner: terms.userKey)
    order.isPersonal = false
    order.alert = publication.content.alert
    order.content = publication.content.bytes
    order.form = publication.content.isObject ? .message : .text
    await dispatcher.push(order)
  }

  /// The timer has fired. A clock that was set back meanwhile makes it too early: it is set anew.
  package func fired(_ alarm: SubscriptionTimer, of key: String) async {
    guard let subscription = directory[key] else { return }
    await subscription.post(.expire)
    // With something owed it ends when that is handed over.
    let again = await subscription.peek { $0.owed.isEmpty ? $0.terms?.expiresAt : nil }
    // Not at once, should the disk have no room for its end at the moment.
    if let again { timers.start(.expiry, of: key, at: max(again, context.time.now.advanced(by: .seconds(1)))) }
  }

  // MARK: Parts

  private func terms(_ order: SubscriptionOrder) throws(EngineError) -> SubscriptionTerms {
    let bounds = Self.bounds
    try check(order.subscriberID, "subscriberId", 1...bounds.nameBytesMaximum)
    let filter: SubscriptionFilter
    do throws(SubscriptionFilter.Problem) { filter = try SubscriptionFilter(order.filter) } catch {
      switch error {
      case .empty: throw .missing(field: "filter")
      case .tooLong: throw .invalid(field: "filter", reason: "is longer than \(SubscriptionFilter.lengthMaximum) bytes")
      }
    }
    let enabled = dispatcher.options.current.section(.push)[DeliveryOptions.keys.enabledTypes]
    guard SubscriptionOrder.types.contains(order.type), enabled.contains(order.type) else {
      throw .invalid(field: "notificationDetails.type", reason: "is not enabled on this server")
    }
    let deviceID: String
    do throws(DeviceIdentifier.Problem) {
      deviceID = try DeviceIdentifier.cleaned(order.deviceID, type: order.type)
    } catch { throw .invalid(field: "notificationDetails.deviceId", reason: error.reason) }
    if let owner = order.owner, order.type == CometCourier.type, deviceID != owner {
      throw .invalid(field: "notificationDetails.deviceId", reason: "is not the gms_user of the request")
    }
    if let provider = order.provider { try check(provider, "providerName", 1...bounds.nameBytesMaximum) }
    if let authorization = order.authorization {
      try check(authorization, "authorization", 1...bounds.valueBytesMaximum)
      guard authorization.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .invalid(field: "authorization", reason: "is no Base64 text")
      }
    }
    guard order.properties.count <= bounds.propertiesMaximum else {
      throw .invalid(field: "notificationDetails.properties", reason: "has too many members")
    }
    for property in order.properties {
      try check(property.name, "notificationDetails.properties", 1...bounds.nameBytesMaximum)
      try check(property.value, "notificationDetails.properties", 0...bounds.valueBytesMaximum)
    }
    let seconds = min(max(order.seconds ?? defaultSeconds, bounds.secondsMinimum), bounds.secondsMaximum)
    return SubscriptionTerms(
      subscriberID: order.subscriberID, filter: filter,
      address: PushAddress(
        type: order.type, deviceID: deviceID, provider: order.provider, debug: order.debug,
        authorization: order.authorization),
      properties: order.properties, expiresAt: context.time.now.advanced(by: .seconds(seconds)), owner: order.owner)
  }

  /// Spec: GMS 8.3, bad values become the least.
  private var defaultSeconds: Int {
    dispatcher.options.current.section(.push)[NotificationOptions.keys.secondsToLast]
  }

  private func check(_ text: String, _ field: String, _ bounds: ClosedRange<Int>) throws(EngineError) {
    guard !text.isEmpty || bounds.contains(0) else { throw .missing(field: field) }
    guard bounds.contains(text.utf8.count) else {
      throw .invalid(field: field, reason: "is longer than \(bounds.upperBound) bytes")
    }
  }

  private static func failure(_ error: TurnError<SubscriptionRejection>) -> EngineError {
    switch error {
    case .rejected(.tooManyOwed): .limitReached("publications under way")
    case .rejected(.unknown), .failed: .unavailable
    case .overloaded: .limitReached("journal")
    case .tooLarge: .limitReached("journal record")
    case .storageFull: .storageFull
    }
  }
}

package enum SubscriptionTimer: Hashable, Sendable {
  case expiry
}

extension PublicationContent {
  /// What a phone shows: the text, or what the object calls its message.
  fileprivate var alert: String {
    isObject ? (try? JSONValue(parsing: bytes))?["message"]?.string ?? "" : String(decoding: bytes, as: UTF8.self)
  }
}

extension NotificationService: AlarmedHost {
  package func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    guard phase == .data else { return }
    for key in scope.keys(of: .subscription).sorted() { _ = try await directory[key]?.perform(.erase) { _ in true } }
  }

  package var rearming: RearmPhase? { .owed }

  package func note(of subscription: borrowing Subscription) -> [UInt8] {
    // One without terms is over, and in no index.
    subscription.terms.map { SubscriptionNote($0).bytes } ?? []
  }

  package func restored(_ key: String, _ subscription: borrowing Subscription) {
    if let terms = subscription.terms { index.set(key, SubscriptionNote(terms)) }
  }

  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    if !note.isEmpty { index.set(key, try SubscriptionNote(bytes: note)) }
    return true
  }
}

extension NotificationService: PushProducer {
  package func accepted(_ key: String, _ number: Int) async { await directory[key]?.post(.handedOver(number)) }
}
