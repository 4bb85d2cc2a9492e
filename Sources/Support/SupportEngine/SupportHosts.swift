import ChatEngine
import CometEngine
import EngineKit
import EntityRuntime
import EventSourcing
import PushDomain
import PushEngine
import SupportDomain

struct SupportUserHost: EntityHost {
  let service: SupportService

  var directory: EntityDirectory<SupportUser> { service.users }
  var rearming: RearmPhase? { nil }

  func perform(_ effects: [SupportUserEffect], of user: Entity<SupportUser>) async {
    await service.perform(effects, of: user)
  }

  func note(of user: borrowing SupportUser) -> [UInt8] { SupportUserNote(user).bytes }
  func restored(_ key: String, _ user: borrowing SupportUser) { service.index.set(user: key, SupportUserNote(user)) }

  func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    service.index.set(user: key, try SupportUserNote(bytes: note))
    return true
  }

  func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    for key in scope.keys(of: .supportUser).sorted() {
      switch phase {
      case .people:
        // Nobody gets in by their tokens any more: what they make is complete from here on.
        _ = try await directory[key]?.perform(.erase) { _ in true }
        if let number = Int64(key) { await service.comet.dismiss(userKey: ReservedUserKey.of(number)) }
      // Also if nothing was left to erase: records of theirs are about to go, and replay must not miss the numbers that
      // were given out.
      case .remainders: _ = try await directory[key]?.perform(.restate) { _ in true }
      case .origins, .data, .targets: return
      }
    }
  }
}

struct SupportRequestHost: AlarmedHost {
  let service: SupportService

  var directory: EntityDirectory<SupportRequest> { service.requests }
  var timers: KeyedTimers<SupportTimer> { service.timers }
  var rearming: RearmPhase? { .owed }
  /// Of their numbers, since the index keeps them so.
  var order: (@Sendable (String, String) -> Bool)? { { ($0.utf8.count, $0) < ($1.utf8.count, $1) } }

  func perform(_ effects: [SupportRequestEffect], of request: Entity<SupportRequest>) async {
    await service.perform(effects, of: request)
  }

  func fired(_ alarm: SupportTimer, of key: String) async { await service.alarmed(key) }

  func note(of request: borrowing SupportRequest) -> [UInt8] { SupportRequestNote(request).bytes }

  func restored(_ key: String, _ request: borrowing SupportRequest) {
    service.index.set(request: key, SupportRequestNote(request))
  }

  func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    service.index.set(request: key, try SupportRequestNote(bytes: note))
    return true
  }

  func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    guard phase == .owed else { return }
    await service.takeUp()
    await rearm(found)
  }

  func add(to scope: inout ErasureScope) async {
    var keys = scope.keys(of: .supportRequest)
    for user in scope.keys(of: .supportUser).compactMap({ Int64($0) }) {
      var query = SupportQuery()
      query.requester = user
      keys.formUnion(service.index.requests(query).map(String.init))
    }
    for key in keys {
      scope.add(.supportRequest, key)
      for file in await directory.peek(key, { $0.files }) ?? [] { scope.add(.stored, file) }
    }
  }

  func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    let keys = scope.keys(of: .supportRequest)
    switch phase {
    case .origins:
      // They notify nobody any more.
      for key in keys.sorted() { _ = try await directory[key]?.perform(.erase) { _ in true } }
      service.feed.forget(Set(keys.map { SupportService.prefix + $0 }))
    case .remainders:
      // With the files gone, nothing names them any more. Also if nothing was left to erase; as their people.
      for key in keys.sorted() {
        guard let request = directory[key] else { continue }
        _ = try await request.perform(.filesDropped) { _ in true }
        _ = try await request.perform(.restate) { _ in true }
      }
    case .people, .data, .targets: break
    }
  }
}

struct SupportAppHost: EntityHost {
  let service: SupportService

  var directory: EntityDirectory<SupportApp> { service.apps }
  var rearming: RearmPhase? { nil }

  func perform(_ effects: [SupportAppEffect], of app: Entity<SupportApp>) async {
    await service.perform(effects, of: app)
  }
}

extension SupportService: PushProducer {
  /// The record rides on others' frames: nobody waits for it, and what a kill keeps from it is offered again. It is not to be
  /// lost, though: a request that owes does not sleep.
  func accepted(_ key: String, _ number: Int) async {
    guard let request = requests[key] else { return }
    if await !request.post(.handedOver(number: number), lazy: true) { await request.post(.handedOver(number: number)) }
  }

  func objection(to message: PushMessage) async -> String? { refusal(of: message) }

  func addressGone(_ queue: String, reason: String) async { await gone(queue: queue) }
}
