import Foundation
import Journal
import JournalFormat
import SystemPackage
import Testing

@Suite("Journal tools on a data directory with several journals", .timeLimit(.minutes(2)))
struct PartitionToolTests {
  /// Three journals with 300, 200 and 100 records, below `data`.
  private func partitioned() throws -> JournalTool {
    let tool = try JournalTool()
    for number in 0..<3 { try tool.write(300 - 100 * number, to: journal(number), ids: UInt64(number) + 1) }
    let data = FilePath(tool.path("data"))
    // As a server does it, which makes its journals later.
    for number in 0..<3 { try FileManager.default.moveItem(atPath: part(tool, number), toPath: aside(tool, number)) }
    _ = try PartitionStore(directory: data).make(PartitionLayout(count: 3, seed: 7))
    for number in 0..<3 { try FileManager.default.moveItem(atPath: aside(tool, number), toPath: part(tool, number)) }
    return tool
  }

  private func journal(_ number: Int) -> String { "data/p000\(number)/journal" }
  private func part(_ tool: JournalTool, _ number: Int) -> String { tool.path("data/p000\(number)") }
  private func aside(_ tool: JournalTool, _ number: Int) -> String { tool.path("aside-\(number)") }

  @Test("verify, stats and dump take all in their order, or the one that is named")
  func all() throws {
    let tool = try partitioned()
    let verified = try tool.run("verify", "$data")
    #expect(verified.status == 0, "\(verified.errors)")
    #expect(verified.output.components(separatedBy: "intact\n").count == 4)
    let headings = verified.output.split(separator: "\n").filter { $0.hasPrefix("partition ") }
    #expect(headings == ["partition 0", "partition 1", "partition 2"])
    let lines = try tool.run("verify", "$data", "--format", "json").output.split(separator: "\n")
    #expect(lines.count == 3)
    for (number, line) in lines.enumerated() {
      #expect(line.hasPrefix(#"{"partition":\#(number),"intact":true,"records":\#(300 - 100 * number),"#))
    }
    let one = try tool.run("verify", "$data", "--partition", "1", "--format", "json")
    #expect(one.status == 0 && one.output.hasPrefix(#"{"partition":1,"intact":true,"records":200,"#))
    // The directory of one, by itself, is read as ever.
    let itself = try tool.run("verify", "$data/p0001", "--format", "json")
    #expect(itself.status == 0 && itself.output.hasPrefix(#"{"intact":true,"records":200,"#))
    let counted = try tool.run("stats", "$data", "--format", "json").output.split(separator: "\n")
    #expect(counted.map { $0.hasPrefix(#"{"partition":"#) } == [true, true, true])
    let dumped = try tool.run("dump", "$data", "--limit", "301").output.split(separator: "\n")
    #expect(dumped.count == 301)
    #expect(dumped.last?.hasPrefix(#"{"partition":1,"position":1,"#) == true)
  }

  @Test("one that is damaged gives the exit code, and the others are told of all the same")
  func damaged() throws {
    let tool = try partitioned()
    try tool.change(tool.segment(1, of: journal(1))) { $0[5_000] ^= 1 }
    try FileManager.default.removeItem(atPath: tool.path(journal(2)))
    let outcome = try tool.run("verify", "$data")
    #expect(outcome.status == 65)
    #expect(outcome.output.contains("records     300 "))
    let errors = outcome.errors.split(separator: "\n").sorted()
    #expect(errors.count == 2 && errors[0].hasPrefix("error: partition 1: ") && errors[0].contains("is damaged"))
    #expect(errors.last?.hasPrefix("error: partition 2: ") == true)
    #expect(try tool.run("verify", "$data", "--partition", "0").status == 0)
    #expect(try tool.run("repair", "$data").status == 65)
    let repaired = try tool.run("repair", "$data", "--truncate", "--partition", "1")
    #expect(repaired.status == 0 && repaired.output.hasPrefix("partition 1\nwas wrong   "), "\(repaired.errors)")
    #expect(try tool.run("verify", "$data", "--partition", "1").status == 0)
  }

  @Test("a checkpoint signs all heads in one file, and each is held against its journal")
  func checkpoint() throws {
    let tool = try partitioned()
    #expect(try tool.run("key", "--out", "$key.pem").status == 0)
    let signed = try tool.run("checkpoint", "$data", "--key", "$key.pem", "--out", "$head.txt")
    #expect(signed.status == 0 && signed.output.hasPrefix("partition 0\nposition    300\n"), "\(signed.errors)")
    let file = URL(fileURLWithPath: tool.path("head.txt"))
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.hasPrefix("carillon-checkpoint 2\nmade "))
    #expect(text.contains("\npartitions 3\npartition 0 oldest-segment 1 "))
    let checkpoint = try JointCheckpoint(text: Array(text.utf8))
    #expect(checkpoint.heads.map { $0?.point.position } == [300, 200, 100])
    for number in 0..<3 { try tool.write(50, text: "later", to: journal(number), ids: 9) }
    let held = try tool.run("verify", "$data", "--against", "$head.txt")
    #expect(held.status == 0, "\(held.errors)")
    #expect(held.output.components(separatedBy: ": history is the same\n").count == 4)
    #expect(try tool.run("verify", "$data", "--against", "$head.txt", "--partition", "2").status == 0)

    // One journal by itself is no match, nor is a checkpoint of one for all.
    #expect(try tool.run("verify", "$data/p0001", "--against", "$head.txt").status == 86)
    #expect(
      try tool.run("checkpoint", "$data", "--partition", "1", "--key", "$key.pem", "--out", "$one.txt").status == 0)
    #expect(try tool.run("verify", "$data", "--against", "$one.txt").status == 86)
    #expect(try tool.run("verify", "$data", "--against", "$one.txt", "--partition", "1").status == 0)
    #expect(try tool.run("verify", "$data", "--against", "$one.txt", "--partition", "0").status == 86)

    // The partitions change places: each is whole, and none is what was signed there.
    for (from, to) in [
      (part(tool, 0), aside(tool, 0)), (part(tool, 1), part(tool, 0)), (aside(tool, 0), part(tool, 1)),
    ] {
      try FileManager.default.moveItem(atPath: from, toPath: to)
    }
    let swapped = try tool.run("verify", "$data", "--against", "$head.txt")
    #expect(swapped.status == 86 && swapped.errors.contains("error: partition 0: "), "\(swapped.errors)")

    try Data(text.replacingOccurrences(of: "made 2", with: "made 3").utf8).write(to: file)
    #expect(try tool.run("verify", "$data", "--against", "$head.txt").status == 84)
  }

  @Test("what is of one journal wants its number, which has to be one")
  func one() throws {
    let tool = try partitioned()
    let asked = try tool.run("timeline", "$data")
    #expect(asked.status == 119 && asked.errors.contains("name it by --partition"), "\(asked.errors)")
    #expect(try tool.run("timeline", "$data", "--partition", "2").status == 0)
    #expect(try tool.run("verify", "$data", "--partition", "3").status == 66)
    #expect(try tool.run("verify", "$data/p0001", "--partition", "0").status == 64)
    #expect(try tool.run("redact", "$data", "--subject", "x", "--partition", "0").status == 64)
    let url = URL(fileURLWithPath: tool.path("data/PARTITIONS"))
    try tool.change(url) { $0[30] ^= 1 }
    #expect(try tool.run("verify", "$data").status == 118)
  }
}
