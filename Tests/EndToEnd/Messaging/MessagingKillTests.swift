import CarillonClient
import Foundation
import JSONEnvelope
import TestSupport
import Testing

extension ServerFromOutside {
  /// Spec: GCM D8.3-D8.7: what is answered is kept, what is acknowledged is forgotten, whatever happens to the server.
  @Suite("Kill -9 with messages accepted, stored, under way and half acknowledged", .timeLimit(.minutes(5)))
  struct MessagingKillTests {
    static let seed: UInt64 = 20_261_122
    static let kills = KillPlan.count(30, long: 200)
    /// Less than wait for a device at most, which acknowledges nothing until its next login.
    static let burst = 24
    /// All that a device may be sent that never acknowledges: one more, and all would be dropped.
    static let patience = 90

    static let habits: [(name: String, habit: KillDevice.Habit)] = [
      ("selective", .init(acknowledges: "selective", lists: true)),
      ("stream", .init(acknowledges: "stream", lists: true)),
      ("login", .init(acknowledges: "none", lists: true)),
      ("selective-forgetful", .init(acknowledges: "selective", lists: false)),
      ("stream-forgetful", .init(acknowledges: "stream", lists: false)),
      ("never", .init(acknowledges: "none", lists: false)),
    ]

    @Test("no id that was answered is lost; what is not acknowledged comes again as the same, what is does not")
    func kills() async throws {
      try await MessagingRig.run(isSecured: false) { rig in
        let pool = HTTPPool(ServerAddress(host: "127.0.0.1", port: rig.server.port))
        defer { pool.shutDown() }
        let sender = KillSender(pool, key: rig.key)
        let devices = try await Self.devices(rig)
        let away = KillDevice(
          name: "away", habit: .init(acknowledges: "selective", lists: true),
          device: try await rig.device(.mcs, "away", ["--login", "no"]))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for device in devices + [away] { group.addTask { await device.watch() } }
          for device in devices { try await device.isBack(after: 0) }
          try await Self.play(rig, sender, devices, away)
          try await Self.judge(rig, sender, devices, away)
          group.cancelAll()
        }
        #expect(try await rig.server.stop() == 0)
        let verdict = try await rig.server.command(["journal", "verify", "--data-directory", rig.server.dataDirectory])
        #expect(verdict.status == 0, "\(verdict.output)")
      }
    }

    private static func devices(_ rig: MessagingRig) async throws -> [KillDevice] {
      try await withThrowingTaskGroup { group in
        for (name, habit) in habits {
          group.addTask {
            KillDevice(name: name, habit: habit, device: try await rig.device(.mcs, name, habit.arguments))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }

    /// Bursts of messages, each with a kill in its midst; some kills come while the journal is still read.
    private static func play(
      _ rig: MessagingRig, _ sender: KillSender, _ devices: [KillDevice], _ away: KillDevice
    ) async throws {
      var random = SeededGenerator(seed: seed)
      let busy = devices.filter { !$0.habit.forgetsAll }
      for round in 1...kills {
        let logins = devices.map { $0.snapshot.logins }
        let sending = Task {
          // The patient ones first: they are few messages that meet every kill from now on.
          if round * 2 <= patience {
            for _ in 1...2 { await sender.send(to: devices + [away]) }
          }
          await sender.burst(burst, to: busy, clients: 3)
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 5...150, using: &random)))
        try await rig.server.killNow()
        await sending.value
        if Int.random(in: 0..<8, using: &random) == 0 {
          try rig.server.launch()
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
          try await rig.server.killNow()
        }
        try await rig.server.start()
        for (device, before) in zip(devices, logins) { try await device.isBack(after: before) }
        let violations = devices.flatMap { $0.snapshot.violations } + sender.snapshot.violations
        guard violations.isEmpty else {
          throw EndToEndFailure("seed \(seed), after kill \(round): \(violations.prefix(5))")
        }
      }
    }

    // MARK: The verdict

    private static func judge(
      _ rig: MessagingRig, _ sender: KillSender, _ devices: [KillDevice], _ away: KillDevice
    ) async throws {
      try away.device.script.send(["do": "login"])
      // One more to each, and one more life of the server: what was settled stays away, also behind what is new.
      for isLast in [false, true] {
        await sender.send(to: devices + [away])
        try await receiveAll(sender, devices + [away])
        guard !isLast else { break }
        let logins = devices.map { $0.snapshot.logins }
        try await rig.server.killNow()
        try await rig.server.start()
        for (device, before) in zip(devices, logins) { try await device.isBack(after: before) }
        try away.device.script.send(["do": "login"])
      }
      let state = sender.snapshot
      #expect(state.violations.isEmpty)
      for device in devices + [away] {
        let seen = device.snapshot
        #expect(seen.violations.isEmpty, "\(device.name)")
        for promise in state.answered where promise.device == device.name {
          #expect(seen.received[promise.number] == promise.id, "\(device.name): \(promise.number)")
        }
        if !device.habit.forgetsAll { #expect(!seen.settled.isEmpty, "\(device.name): nothing was ever confirmed") }
        if device.habit.lists { #expect(seen.repeats == 0, "\(device.name) listed all, so nothing comes twice") }
      }
      let never = try #require(devices.first { $0.habit.forgetsAll })
      // A run in which hardly anything was accepted, or nothing came again, would prove nothing.
      #expect(never.snapshot.repeats > min(kills, patience / 2) * 2)
      #expect(state.answered.count > kills * 10)
      let repeats = devices.map { "\($0.name) \($0.snapshot.repeats)" }.joined(separator: ", ")
      print("\(kills) kills: \(state.answered.count) ids answered, \(state.doubtful) doubtful, repeats: \(repeats)")
    }

    private static func receiveAll(_ sender: KillSender, _ devices: [KillDevice]) async throws {
      for device in devices {
        let owed = Set(sender.snapshot.answered.filter { $0.device == device.name }.map(\.id))
        do {
          try await eventually("all that \(device.name) is owed") {
            owed.isSubset(of: device.snapshot.ids) ? true : nil
          }
        } catch {
          let lost = owed.subtracting(device.snapshot.ids)
          throw EndToEndFailure(
            "seed \(seed): \(device.name) never got \(lost.count) of \(owed.count): \(lost.prefix(5))")
        }
      }
    }
  }
}
