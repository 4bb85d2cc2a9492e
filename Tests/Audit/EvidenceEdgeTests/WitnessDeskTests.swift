import EvidenceEdge
import EvidenceSamples
import Journal
import JournalFormat
import Logging
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing
import Transparency

/// A witness without a server, on some disk; where it would end its process, it answers nothing.
private struct WitnessRig {
  private let desk: WitnessDesk
  private let answers: AsyncStream<WitnessAnswer?>
  private let told: AsyncStream<WitnessAnswer?>.Continuation

  init(
    _ disk: any JournalStorage, isMade: Bool = false, cosigner: Cosigner = StandInLog.cosigner,
    logs: [VerifierKey] = [StandInLog.signer.verifierKey]
  ) throws(KeepingFailure) {
    let (answers, told) = AsyncStream<WitnessAnswer?>.makeStream()
    (self.answers, self.told) = (answers, told)
    desk = try WitnessDesk(
      cosigner, logs: logs, state: WitnessState("/w", isMade: isMade, storage: disk),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, unixSeconds: { StandInLog.now },
      onFatal: { _ in told.yield(nil) })
  }

  func ask(_ body: [UInt8]) async -> WitnessAnswer? {
    guard desk.ask(body, { [told] in told.yield($0) }) else { return nil }
    for await answer in answers { return answer }
    return nil
  }

  func stop() async { await desk.stop() }
}

@Suite("A witness with its directory")
struct WitnessDeskTests {
  private static let log = StandInLog(400)
  private static let fork = StandInLog(400, common: 100)
  private static let file = FilePath("/w").appending(WitnessRecord.fileName(of: StandInLog.signer.verifierKey.name))

  @Test("what it has said outlives it: a fork is refused by the next process as well")
  func restart() async throws {
    let disk = MemoryDisk()
    let first = try WitnessRig(disk, isMade: true)
    #expect(await first.ask(try Self.log.request(0, 100))?.status == 200)
    #expect(await first.ask(try Self.log.request(100, 300))?.status == 200)
    await first.stop()

    let second = try WitnessRig(disk.crash())
    #expect(await second.ask(try Self.log.request(0, 400)) == .conflict(knownSize: 300))
    #expect(await second.ask(try Self.fork.request(300, 300)) == .fork(knownSize: 300))
    #expect(await second.ask(try Self.fork.request(300, 400)) == .inconsistent)
    #expect(await second.ask(try Self.log.request(300, 400))?.status == 200)
    await second.stop()
  }

  @Test("the first half of a fork stays in its file, and the other half is kept beside it, once")
  func keepsFork() async throws {
    let disk = MemoryDisk()
    let rig = try WitnessRig(disk, isMade: true)
    _ = await rig.ask(try Self.log.request(0, 300))
    let record = disk.contents(of: Self.file)
    #expect(await rig.ask(try Self.fork.request(300, 300))?.isAlarm == true)
    _ = await rig.ask(try StandInLog(300, common: 7).request(300, 300))
    #expect(disk.contents(of: Self.file) == record)
    let kept = FilePath("/w").appending("\(StandInLog.signer.verifierKey.name.fileStem).fork")
    #expect(disk.contents(of: kept) == (try Self.fork.note(300).bytes))
    await rig.stop()
  }

  @Test(
    "a power loss, a kill or a failing disk at any step leaves what was said, or what is about to be", arguments: 1...40
  )
  func dies(seed: Int) async throws {
    for call in 1...16 {
      let disk = MemoryDisk()
      let rig = try WitnessRig(disk, isMade: true)
      _ = await rig.ask(try Self.log.request(0, 100))
      disk.set(fault: DiskFault(.fail(.ioError), call: call, lasts: true))
      let isAnswered = await rig.ask(try Self.log.request(100, 300)) != nil
      await rig.stop()
      for survivor in [disk.powerLoss(seed: UInt64(seed)), disk.crash()] {
        let next = try WitnessRig(survivor)
        let answer = await next.ask(try Self.log.request(7, 400))
        #expect(
          answer == .conflict(knownSize: 300) || (!isAnswered && answer == .conflict(knownSize: 100)),
          "call \(call), seed \(seed): \(String(describing: answer))")
        await next.stop()
      }
      // Making, writing, syncing, renaming, syncing: beyond that nothing failed.
      if isAnswered {
        #expect(call > 4)
        return
      }
    }
    Issue.record("no request has come to its end")
  }

  @Test("a record that was changed, that is another witness's, or that bears another's name stops the start")
  func damaged() async throws {
    let disk = MemoryDisk()
    let rig = try WitnessRig(disk, isMade: true)
    _ = await rig.ask(try Self.log.request(0, 100))
    await rig.stop()
    let bytes = try #require(disk.contents(of: Self.file))
    let root = "carillon-witness 1\n\(StandInLog.signer.verifierKey.name)\n100\n".utf8.count + 3

    for changed in [[], Array(bytes.prefix(90)), bytes.enumerated().map { $0 == root ? $1 ^ 1 : $1 }] {
      let copy = disk.crash()
      copy.setContents(of: Self.file, to: changed)
      #expect(throws: KeepingFailure.self) { try WitnessRig(copy) }
    }
    let renamed = disk.crash()
    renamed.setContents(of: "/w/other.witnessed", to: bytes)
    #expect(throws: KeepingFailure.foreign("/w/other.witnessed")) { try WitnessRig(renamed) }
    let other = Cosigner(name: StandInLog.cosigner.verifierKey.name, key: StandInLog.key(12))
    #expect(throws: KeepingFailure.self) { try WitnessRig(disk.crash(), cosigner: other) }
    let huge = disk.crash()
    huge.setContents(of: Self.file, to: [UInt8](repeating: 65, count: WitnessRecord.byteCountMaximum + 1))
    #expect(throws: KeepingFailure.self) { try WitnessRig(huge) }
  }

  @Test("a directory that is missing is no new witness's unless that is said, and two witnesses never share one")
  func directory() async throws {
    #expect(throws: KeepingFailure.absent("/w")) { try WitnessRig(MemoryDisk()) }
    let disk = MemoryDisk()
    let rig = try WitnessRig(disk, isMade: true)
    #expect(throws: KeepingFailure.inUse("/w")) { try WitnessRig(disk, isMade: true) }
    await rig.stop()
    let foreign = MemoryDisk()
    try foreign.createDirectory("/w")
    foreign.setContents(of: "/w/WITNESS", to: Array("carillon-witness-state 2\n".utf8))
    #expect(throws: KeepingFailure.foreign("/w/WITNESS")) { try WitnessRig(foreign, isMade: true) }
  }

  @Test("a log that is not named any more is not witnessed, and not forgotten")
  func logLeaves() async throws {
    let disk = MemoryDisk()
    let rig = try WitnessRig(disk, isMade: true)
    _ = await rig.ask(try Self.log.request(0, 100))
    await rig.stop()
    let other = NoteSigner(name: StandInLog.name("other.example.com/main"), key: StandInLog.key(2))
    let without = try WitnessRig(disk.crash(), logs: [other.verifierKey])
    #expect(await without.ask(try Self.log.request(100, 300)) == .unknownLog)
    await without.stop()
    let again = try WitnessRig(disk.crash())
    #expect(await again.ask(try Self.log.request(0, 300)) == .conflict(knownSize: 100))
    await again.stop()
  }
}
