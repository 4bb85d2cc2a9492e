import EventSourcing
import PushDomain
import SupportDomain
import Testing

@testable import Engine
@testable import EngineRigs
@testable import SupportEngine

@Suite("Push addresses of support, between two users")
struct SupportOwnershipTests {
  private static let key = SupportDevice.Key(identifier: "abcd", platform: .ios, address: .pushToken)
  private let index = SupportIndex(queue: { $0.key.identifier })

  /// Somebody with an address that was registered so many seconds after the start; nil for nobody with none.
  private func note(_ seconds: Int64?) -> SupportUserNote {
    let identity = SupportIdentity(key: .anonymous(app: "demo", guid: "guid"))
    var user = SupportUser()
    user.evolve(.identified(identity), at: .epoch)
    if let seconds {
      let time = Timestamp(milliseconds: seconds * 1_000)
      user.evolve(
        .deviceRegistered(
          SupportDevice(
            id: 1, identifier: Self.key.identifier, platform: Self.key.platform, address: Self.key.address,
            locale: "en", app: "demo", createdAt: time, updatedAt: time)), at: time)
    }
    return SupportUserNote(user)
  }

  @Test("whoever registers an address last has it, whatever the clock says", arguments: [50, 100, 150] as [Int64])
  func last(seconds: Int64) {
    for user in ["1", "2"] { #expect(index.set(user: user, note(nil)).isEmpty) }
    #expect(index.set(user: "1", note(100)).isEmpty)
    let displaced = index.set(user: "2", note(seconds))
    #expect(displaced.map(\.user) == [1])
    #expect(displaced.map(\.identifier) == ["abcd"])
    #expect(index.owner(of: Self.key)?.user == 2)
    // The other one hears of it a moment later.
    #expect(index.set(user: "1", note(nil)).isEmpty)
    #expect(index.owner(of: Self.key)?.user == 2)
    #expect(index.owner(ofQueue: "abcd")?.user == 2)
  }

  @Test("whoever registers again what they had, in the moment in which they lose it, has it")
  func again() {
    for user in ["1", "2"] { index.set(user: user, note(nil)) }
    index.set(user: "1", note(100))
    index.set(user: "2", note(100))
    // Ended and registered again before the index heard of either: it looks as it did.
    let displaced = index.set(user: "1", note(100), opened: [Self.key])
    #expect(displaced.map(\.user) == [2])
    #expect(index.owner(of: Self.key)?.user == 1)
  }

  @Test("who has lost an address does not get it back by another one", arguments: [false, true])
  func other(isFirst: Bool) throws {
    for user in ["1", "2"] { index.set(user: user, note(nil)) }
    index.set(user: "1", note(100))
    index.set(user: "2", note(100))
    var more = note(100)
    var device = try #require(more.devices.first)
    device.id = 2
    device.key = SupportDevice.Key(identifier: "other", platform: .ios, address: .pushToken)
    more.devices.insert(device, at: isFirst ? 0 : 1)
    #expect(index.set(user: "1", more).isEmpty)
    #expect(index.owner(of: Self.key)?.user == 2)
    #expect(index.owner(of: device.key)?.user == 1)
  }

  @Test("of two who are found with one address after a kill, the later one has it", arguments: [false, true])
  func found(isLaterFirst: Bool) {
    let both = [("1", note(100)), ("2", note(50))]
    for (user, note) in isLaterFirst ? both : both.reversed() { index.set(user: user, note) }
    #expect(index.owner(of: Self.key)?.user == 1)
    #expect(index.superseded.map(\.user) == [2])
  }
}

@Suite("Support requests with pushes of our own, after a kill", .timeLimit(.minutes(1)))
struct SupportDirectAfterKillTests {
  @Test("a push that waits is not sent to whoever has the address now, even if its queue has not heard of it")
  func owner() async throws {
    let rig = try await SupportRig(options: ["integration": "direct"])
    let provider = rig.provider
    provider.answer { _ in .retryable(reason: "503") }
    let (ann, ben) = (try await rig.user(), try await rig.user("guid-ben"))
    try await rig.register("abcd", by: ann)
    try await rig.comment("first", on: try await rig.request(by: ann), by: try await rig.agent())
    #expect(provider.deliveries.count == 1)

    // All that a kill leaves of the registration: the queue still holds what is Ann's.
    var note = try #require(rig.support.index[user: ann.number])
    let device = try #require(note.devices.first)
    note.devices = []
    rig.support.index.set(user: String(ann.number), note)
    var other = try #require(rig.support.index[user: ben.number])
    other.devices = [device]
    rig.support.index.set(user: String(ben.number), other)

    try await rig.advance(by: .seconds(3_600))
    #expect(provider.deliveries.count == 1)
    try await rig.stop()
  }
}
