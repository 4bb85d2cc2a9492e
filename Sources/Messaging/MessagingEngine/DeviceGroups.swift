import EngineKit
package import EntityRuntime
import EventSourcing
import GCMProtocol
package import PushDomain
import Synchronization
import TextEncoding

/// Why a device group was not made or changed. Spec: GCM B7.6.
public enum GroupFailure: Error, Sendable, Equatable {
  case exists
  case notFound
  case noValidTokens
  case nameMismatch
  case tooManyMembers
  case unavailable
}

extension MessagingService {
  private static let nameBytesMaximum = 256

  /// - Returns: the notification key.
  public func createGroup(
    _ name: String, tokens: [String], sender: String
  ) async throws(GroupFailure) -> String {
    guard (1...Self.nameBytesMaximum).contains(name.utf8.count) else { throw .nameMismatch }
    let members = await own(tokens, sender)
    guard !members.isEmpty else { throw .noValidTokens }
    let entity = GroupIndex.entityKey(name: name, sender: sender)
    guard let group = groups.entity(entity, limit: limits.deviceGroupsMaximum) else { throw .unavailable }
    let key = "APA91b" + Base64.encodeForURL(identifiers.bytes(96))
    return try await perform(.create(key: key, tokens: members), on: group) { $0.key } ?? key
  }

  /// - Parameter name: guards against a wrong key; nil for no guard.
  /// - Returns: the key. Removing the last member ends the group.
  public func changeGroup(
    _ key: String, name: String?, add: [String], remove: [String], sender: String
  ) async throws(GroupFailure) -> String {
    guard let entity = groupIndex[key], GroupIndex.sender(of: entity) == sender, let group = groups[entity] else {
      throw .notFound
    }
    if let name, GroupIndex.name(of: entity) != name { throw .nameMismatch }
    let joining = await own(add, sender)
    guard !joining.isEmpty || add.isEmpty else { throw .noValidTokens }
    guard !joining.isEmpty || !remove.isEmpty else { throw .noValidTokens }
    _ = try await perform(.change(add: joining, remove: remove), on: group) { $0.key }
    return key
  }

  public func groupKey(of name: String, sender: String) async throws(GroupFailure) -> String {
    guard let group = groups[GroupIndex.entityKey(name: name, sender: sender)] else { throw .notFound }
    let key: String?
    do { key = try await group.read { $0.key } } catch { throw .unavailable }
    guard let key else { throw .notFound }
    return key
  }

  /// A message of a member for the others: what one device has dismissed, say. Spec: GCM B7.8.
  /// - Returns: nil if there is no such group.
  func send(_ message: UpstreamMessage, toGroup key: String, from id: InstallationID) async -> UpstreamOutcome? {
    guard let entity = groupIndex[key], let group = groups[entity] else { return nil }
    let sender = GroupIndex.sender(of: entity)
    let own = await installations.find(app: message.category, subtype: message.subtype, sender: sender, on: id)?.token
    let members = await group.peek { $0.members }
    guard let own, members.contains(own) else { return .refused(reason: "SENDER_ID_MISMATCH") }
    var request = DownstreamRequest(target: .tokens(members.filter { $0 != own }))
    request.data = message.pairs.filter { !DownstreamRequest.isReserved($0.key) }
    request.timeToLive = min(message.timeToLive, DownstreamLimits.timeToLiveMaximum)
    guard message.pairs.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= DownstreamLimits.dataBytesMaximum
    else { return .refused(reason: "MESSAGE_TOO_BIG") }
    return (try? await send(request, sender: sender)) == nil ? .unavailable : .accepted
  }

  package func perform(_ effects: [DeviceGroupEffect], of group: Entity<DeviceGroup>) async {
    for case .changed in effects { groupIndex.set(await group.peek { $0.key }, of: group.id.key) }
  }

  /// Of these tokens the live ones that this sender may send to.
  private func own(_ tokens: [String], _ sender: String) async -> [String] {
    var own: [String] = []
    for token in tokens {
      if case .live(let found) = await installations.find(token), found.admits(sender) { own.append(token) }
    }
    return own
  }

  private func perform(
    _ command: DeviceGroupCommand, on group: Entity<DeviceGroup>,
    reply: @Sendable (borrowing DeviceGroup) -> String?
  ) async throws(GroupFailure) -> String? {
    do throws(TurnError<DeviceGroupRejection>) {
      return try await group.perform(command, reply: reply)
    } catch {
      switch error {
      case .rejected(.exists): throw .exists
      case .rejected(.notFound): throw .notFound
      case .rejected(.tooManyMembers): throw .tooManyMembers
      case .overloaded, .storageFull, .tooLarge, .failed: throw .unavailable
      }
    }
  }
}

/// Finds a group by its notification key. Rebuilt from the groups after a restart.
final class GroupIndex: Sendable {
  private struct State {
    var entities: [String: String] = [:]
    var keys: [String: String] = [:]
  }

  private let state = Mutex(State())

  init() {}

  /// The entity with this notification key.
  subscript(key: String) -> String? { state.withLock { $0.entities[key] } }

  /// - Parameter key: nil: the group has ended.
  func set(_ key: String?, of entity: String) {
    state.withLock { state in
      if let former = state.keys.removeValue(forKey: entity) { state.entities[former] = nil }
      guard let key, !key.isEmpty else { return }
      state.keys[entity] = key
      state.entities[key] = entity
    }
  }

  // A sender's name has no blank.

  static func entityKey(name: String, sender: String) -> String { "\(sender) \(name)" }
  static func sender(of entity: String) -> String { String(entity.prefix { $0 != " " }) }
  static func name(of entity: String) -> String { String(entity.drop { $0 != " " }.dropFirst()) }

  static func note(_ group: borrowing DeviceGroup) -> [UInt8] { Array((group.key ?? "").utf8) }
}
