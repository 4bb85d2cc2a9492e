import ChatDomain
import Engine
import JSONEnvelope
import Journal
import ScriptedClients
import SimulatedDisk
import SystemPackage
import Testing

@testable import EngineRigs

@Suite("A full disk", .timeLimit(.minutes(1)))
struct DiskFullTests {
  @Test("refuses what would be written, while reads and held polls live on; with room again all goes on")
  func fullAndBack() async throws {
    let disk = MemoryDisk()
    // Room for three segments; the fourth does not fit.
    disk.capacity = 3 * 64 * 1024 + 16_384
    // A busy machine may take longer to fill the disk than a session lives without a connect.
    let rig = try await EngineRig(
      directory: "/data", maxInterval: 600_000, storage: disk, segmentByteCount: 64 * 1024)
    let service = try await rig.startChat(user: "u1")
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()

    var accepted = 0
    var refusal: EngineError?
    while refusal == nil {
      do throws(EngineError) {
        _ = try await rig.engine.chats.send(service, text: incompressible(accepted), by: .house)
        accepted += 1
      } catch {
        refusal = error
      }
      #expect(accepted < 10_000)
    }
    #expect(refusal == .storageFull)
    // What was sent before is written to the client; the poll after that is held.
    var position = ""
    while position != String(accepted + 1) {
      for message in try await client.connect() { position = Notification(message)?.position ?? position }
    }
    let poll = try client.poll()
    let all = try await rig.engine.chats.refresh(service, after: 0, message: nil, by: .house)
    #expect(all.events.filter { $0.type == .messageText }.count == accepted)
    #expect(!poll.isAnswered)

    disk.capacity = .max
    while true {
      do throws(EngineError) {
        _ = try await rig.engine.chats.send(service, text: "room again", by: .house)
        break
      } catch {
        #expect(error == .storageFull)
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
    #expect(Notification(try await poll.reply()[0])?.lines.last == ["Message.Text", "room again"])
    await rig.stop()
    let again = try await EngineRig(directory: "/data", storage: disk, segmentByteCount: 64 * 1024)
    let texts = try await again.engine.chats.refresh(service, after: 0, message: nil, by: .house).events
    #expect(texts.filter { $0.type == .messageText }.count == accepted + 1)
    await again.stop()
  }

  /// A kilobyte that does not shrink, the same in every run.
  private func incompressible(_ number: Int) -> String {
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
    return String(
      decoding: (0..<1_000).map { _ -> UInt8 in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(33 + state % 90)
      }, as: UTF8.self)
  }
}
