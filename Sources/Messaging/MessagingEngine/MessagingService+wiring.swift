package import EngineKit
package import EntityRuntime
package import EventSourcing
package import OptionKit
package import PushDomain
import PushEngine

extension MessagingService: Feature {
  package static var kinds: [EntityCard] { [.installation, .group, .broadcast] }
  package static var options: [OptionSpecification] { MessagingOptions.options + MessagingSettings.options }
  package static var metrics: [MetricKey] { [] }

  package func run() async { await broadcasts.lane.run() }
  package func finish() { broadcasts.lane.finish() }

  /// Devices and app servers are told, those who watch are let go.
  package func drain() async {
    gateway.drainAll()
    gateway.upstream.drainAll()
    tap.finish()
  }
}

extension MessagingService: MailCarrier {
  package func perform(_ effects: [MailEffect], of queue: Entity<PushQueue>) async {
    let (device, sender) = (MailboxKey.device(of: queue.id.key), MailboxKey.sender(of: queue.id.key))
    for effect in effects {
      switch effect {
      case .waits(let mail):
        if let device {
          gateway.stored(mail, for: device)
        } else if let sender {
          gateway.upstream.stored(mail, for: sender)
        }
      case .ended(let mails, let ending):
        if let device {
          await gateway.ended(mails, ending, for: device)
        } else if let sender {
          gateway.upstream.ended(mails, ending, for: sender)
        }
      case .dropped(let last, _): tap.note { MessageStep(.dropped, last, at: $0) }
      case .noticed(let last, _, let isOpen):
        if let device { gateway.noticed(last, isOpen: isOpen, for: device) }
      }
    }
  }
}

extension MessagingService: EntityHost {
  package func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    switch phase {
    case .origins: for key in scope.keys(of: .installation).sorted() { try await eraseInstallation(key) }
    case .targets:
      // A group goes on with those who are left.
      for key in scope.keys(of: .deviceGroup).sorted() {
        guard let group = groups[key] else { continue }
        let tokens = await group.peek { $0.members }.filter { scope.holds(token: $0) }
        _ = try await group.perform(.erase(tokens: tokens)) { _ in true }
      }
    case .people, .data, .remainders: break
    }
  }

  /// Its connection goes first, then what it has registered; its number stays known.
  private func eraseInstallation(_ key: String) async throws {
    if let id = UInt64(key) { gateway.revoke(InstallationID(id)) }
    guard let installation = installations.directory[key] else { return }
    _ = try await installation.perform(.erase) { _ in true }
    // Also if nothing was left to erase: records of it are about to go, and replay must not miss them.
    _ = try await installation.perform(.restate) { _ in true }
  }

  package var directory: EntityDirectory<DeviceGroup> { groups }
  package var rearming: RearmPhase? { nil }

  package func note(of group: borrowing DeviceGroup) -> [UInt8] { GroupIndex.note(group) }
  package func restored(_ key: String, _ group: borrowing DeviceGroup) { groupIndex.set(group.key, of: key) }

  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    guard let notificationKey = String(validating: note, as: UTF8.self) else { throw .notUTF8 }
    groupIndex.set(notificationKey, of: key)
    return true
  }
}

extension InstallationService: EntityHost {
  package var rearming: RearmPhase? { nil }

  package func note(of device: borrowing Installation) -> [UInt8] { InstallationNote(device).boundedBytes }
  package func restored(_ key: String, _ device: borrowing Installation) { restored(key, InstallationNote(device)) }

  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    let note = try InstallationNote(bytes: note)
    // What was too much for a note is in the state.
    guard !note.isCut else { return false }
    restored(key, note)
    return true
  }

  package func takeUp(_ phase: RearmPhase, _ found: FoundEntities) async {
    guard phase == .revoked else { return }
    for key in found.awake { await remind(key) }
  }
}

extension BroadcastRunner: EntityHost {
  package var rearming: RearmPhase? { .owed }
}
