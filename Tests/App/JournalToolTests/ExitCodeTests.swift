import Foundation
import Journal
import JournalFormat
import SystemPackage
import Testing
import Transparency

@Suite("Journal tools on bad input", .timeLimit(.minutes(2)))
struct ExitCodeTests {
  /// Fails unless the command ends with `status` and one line that holds each of `words`, and changes nothing.
  private func expect(
    _ tool: JournalTool, _ arguments: String..., status: Int32, _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try tool.contents()
    let outcome = try tool.run(arguments)
    #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
    for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)", sourceLocation: sourceLocation) }
    #expect(try tool.contents() == before, sourceLocation: sourceLocation)
  }

  @Test("a journal that is whole, also while a writer has it")
  func whole() throws {
    let tool = try JournalTool()
    try tool.write(300)
    let lock = try DiskStorage().lock(FilePath(tool.path("journal/LOCK")))
    let outcome = try tool.run("verify", "$journal")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("intact\n"))
    #expect(outcome.errors.isEmpty)
    lock.release()
    let json = try tool.run("verify", "$journal", "--format", "json")
    #expect(json.output.hasPrefix(#"{"intact":true,"records":300,"#))
  }

  @Test("a damaged frame: 65, file and offset")
  func damaged() throws {
    let tool = try JournalTool()
    try tool.write(300)
    try tool.change(tool.segment(1)) { $0[5_000] ^= 1 }
    try expect(
      tool, "verify", "$journal", status: 65, "000000000001.segment is damaged at offset", "journal verify")
  }

  @Test("no journal, and a missing segment: 66")
  func missing() throws {
    let tool = try JournalTool()
    try tool.write(600)
    try FileManager.default.createDirectory(atPath: tool.path("empty"), withIntermediateDirectories: true)
    try expect(tool, "verify", "$empty", status: 66, "holds no segment")
    try expect(tool, "verify", "$nowhere", status: 66, "nowhere")
    try FileManager.default.removeItem(at: tool.segment(2))
    try expect(tool, "verify", "$journal", status: 66, "000000000002.segment is missing", "put it back")
  }

  @Test("a foreign file: 80")
  func foreign() throws {
    let tool = try JournalTool()
    try tool.write(300)
    try tool.change(tool.segment(2)) { $0 = Data(repeating: 7, count: 20_000) }
    try expect(tool, "verify", "$journal", status: 80, "000000000002.segment is not a journal segment", "move it")
  }

  @Test("a newer format: 81")
  func newer() throws {
    let tool = try JournalTool()
    try tool.write(10)
    try tool.change(tool.segment(1)) { bytes in
      bytes[8] = 2
      var crc = UInt32.max
      for byte in bytes[..<4092] {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
      }
      withUnsafeBytes(of: (~crc).littleEndian) { bytes.replaceSubrange(4092..<4096, with: $0) }
    }
    try expect(tool, "verify", "$journal", status: 81, "journal format 2", "start the newer one")
  }

  @Test("a half-copied segment: 82", arguments: [0, 100, 4_096, 9_000])
  func halfCopied(byteCount: Int) throws {
    let tool = try JournalTool()
    try tool.write(300)
    try tool.change(tool.segment(1)) { $0 = $0.prefix(byteCount) }
    try expect(tool, "verify", "$journal", status: 82, "000000000001.segment", "\(byteCount) bytes", "copy it again")
  }

  @Test("a last segment that was cut off: 92, whatever is left of it", arguments: [0, 3, 4_096, 9_000, 16_383])
  func cutShort(byteCount: Int) throws {
    let tool = try JournalTool()
    try tool.write(40)
    try tool.change(tool.segment(1)) { $0 = $0.prefix(byteCount) }
    try expect(tool, "verify", "$journal", status: 92, "000000000001.segment ends after \(byteCount) bytes", "repair")
  }

  @Test("repair says where a journal would end, and with --truncate ends it there")
  func repair() throws {
    let tool = try JournalTool()
    try tool.write(40)
    #expect(try tool.run("repair", "$journal").output == "intact\n")
    #expect(try tool.run("repair", "$journal", "--truncate").output == "intact: nothing was changed\n")
    try tool.change(tool.segment(1)) { $0 = $0.prefix(9_000) }
    try expect(tool, "repair", "$journal", status: 92, "ends after 9000 bytes of 16384")
    let outcome = try tool.run("repair", "$journal", "--truncate")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("now ends    at position "))
    #expect(outcome.output.contains("kept aside  "))
    let verified = try tool.run("verify", "$journal")
    #expect(verified.status == 0, "\(verified.errors)")
    #expect(try tool.contents().keys.contains { $0.hasSuffix(".cut") })
    try tool.write(10, text: "later")
    #expect(try tool.run("verify", "$journal").status == 0)
    try FileManager.default.createDirectory(atPath: tool.path("empty"), withIntermediateDirectories: true)
    try expect(tool, "repair", "$empty", "--truncate", status: 66, "holds no segment")
  }

  @Test("a journal whose beginning is gone is whole as far as it goes, and that is said")
  func beginningGone() throws {
    let tool = try JournalTool()
    try tool.write(600)
    #expect(try !tool.run("verify", "$journal").output.contains("beginning"))
    try FileManager.default.removeItem(at: tool.segment(1))
    let outcome = try tool.run("verify", "$journal")
    #expect(outcome.status == 0 && outcome.output.contains("beginning   gone: records 1 to "))
    #expect(try tool.run("verify", "$journal", "--format", "json").output.contains(#""isBeginningGone":true"#))
  }

  @Test("a tree is checked too: 105 if it is of another log, 106 if it is damaged, and none is no fault")
  func tree() throws {
    let tool = try JournalTool()
    try tool.write(300)
    #expect(try !tool.run("verify", "$journal").output.contains("tree "))
    let tree = JournalTree(directory: FilePath(tool.path("journal")))
    while try tree.extend(upTo: 300).size < 300 {}
    try tree.store()
    let outcome = try tool.run("verify", "$journal")
    #expect(outcome.status == 0 && outcome.output.contains("tree        of records 1 to 300, root "))
    #expect(try tool.run("verify", "$journal", "--format", "json").output.contains(#""treeSize":300,"treeRoot":""#))
    let row = tool.folder.appendingPathComponent("journal/tree/0.hashes")
    try tool.change(row) { $0[32 * 99] ^= 1 }
    try expect(tool, "verify", "$journal", status: 106, "tile/0/000 in ", "position 100")
    try tool.change(row) { bytes in for place in 0..<8192 { bytes[place] = UInt8(truncatingIfNeeded: place) } }
    try expect(tool, "verify", "$journal", status: 105, "is of another log, from position 1 on")
    try tool.change(row) { $0.removeLast(100) }
    try expect(tool, "verify", "$journal", status: 106, "it was cut")
    // What is wrong with the records comes first.
    try tool.change(tool.segment(1)) { $0[5_000] ^= 1 }
    try expect(tool, "verify", "$journal", status: 65, "000000000001.segment is damaged")
  }

  @Test("segments of two journals: 83")
  func mixed() throws {
    let tool = try JournalTool()
    try tool.write(600)
    try tool.write(600, to: "other", ids: 2)
    try Data(contentsOf: tool.segment(2, of: "other")).write(to: tool.segment(2))
    try expect(tool, "verify", "$journal", status: 83, "000000000002.segment does not continue")
  }

  @Test("the command line: 64; a subject that nobody is: 1")
  func nothing() throws {
    let tool = try JournalTool()
    try tool.write(10)
    #expect(try tool.run("verify", "$journal", "--public-key", "x").status == 64)
    #expect(try tool.run("diff", "$journal", "--entity", "chat:1", "--at", "5", "--at", "2").status == 64)
    try expect(tool, "timeline", "$journal", "--subject", "nobody", status: 1, "nobody")
    try expect(tool, "diff", "$journal", "--entity", "chat:1", "--at", "1", "--at", "2", status: 1, "chat:1")
  }

  // MARK: Checkpoints

  /// A journal with 300 records, a key, and a checkpoint of it.
  private func signed() throws -> JournalTool {
    let tool = try JournalTool()
    try tool.write(300)
    let key = try tool.run("key", "--out", "$key.pem")
    try Data(key.output.utf8).write(to: URL(fileURLWithPath: tool.path("public.pem")))
    #expect(try tool.run("checkpoint", "$journal", "--key", "$key.pem", "--out", "$head.txt").status == 0)
    return tool
  }

  @Test("a checkpoint holds; the key is its owner's only; nothing is overwritten")
  func holds() throws {
    let tool = try signed()
    let mode = try FileManager.default.attributesOfItem(atPath: tool.path("key.pem"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try tool.run("key", "--out", "$key.pem").status == 73)
    #expect(try tool.run("checkpoint", "$journal", "--key", "$key.pem", "--out", "$head.txt").status == 73)
    try tool.write(300, text: "later")
    let outcome = try tool.run("verify", "$journal", "--against", "$head.txt", "--public-key", "$public.pem")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("position 300: history is the same"))
  }

  @Test("a note of the tree is signed beside it; without a tree, an origin or a good one there is none")
  func note() throws {
    let tool = try signed()
    let arguments = ["checkpoint", "$journal", "--key", "$key.pem", "--out", "$next.txt"]
    #expect(try tool.run(arguments + ["--note", "$note"]).status == 64)
    #expect(try tool.run(arguments + ["--origin", "a.test/b"]).status == 64)
    for origin in ["a b", "a+b", "", "a\nb", String(repeating: "a", count: 256)] {
      #expect(try tool.run(arguments + ["--note", "$note", "--origin", origin]).status == 64, "\(origin)")
    }
    let outcome = try tool.run(arguments + ["--note", "$note", "--origin", "a.test/b"])
    #expect(outcome.status != 0 && outcome.errors.contains("is not made yet"))
    #expect(!FileManager.default.fileExists(atPath: tool.path("next.txt")))
    let tree = JournalTree(directory: FilePath(tool.path("journal")))
    while try tree.extend(upTo: 300).size < 300 {}
    try tree.store()
    #expect(try tool.run(arguments + ["--note", "$note", "--origin", "a.test/b"]).status == 0)
    let note = try SignedNote(Array(try Data(contentsOf: URL(fileURLWithPath: tool.path("note")))))
    let pem = try String(contentsOf: URL(fileURLWithPath: tool.path("public.pem")), encoding: .utf8)
    let name = try #require(KeyName("a.test/b"))
    let key = VerifierKey(name: name, kind: .note, key: try AuditPublicKey(text: pem))
    #expect(try note.verify(with: [key]).count == 1)
    #expect(try LogCheckpoint(text: note.text).head == tree.head())
    #expect(try tool.run("verify", "$journal", "--against", "$next.txt", "--public-key", "$public.pem").status == 0)
    // Neither is overwritten.
    let again = ["checkpoint", "$journal", "--key", "$key.pem", "--note", "$note", "--origin", "a.test/b"]
    #expect(try tool.run(again + ["--out", "$third.txt"]).status == 73)
  }

  @Test("a wrong signature: 84; an unknown key: 85; no checkpoint, or another journal's: 86")
  func wrongCheckpoints() throws {
    let tool = try signed()
    #expect(try tool.run("key", "--out", "$other.pem").status == 0)
    try expect(
      tool, "verify", "$journal", "--against", "$key.pem", status: 86, "key.pem is not a checkpoint: line 1")
    try tool.write(300, to: "other", ids: 2)
    #expect(try tool.run("checkpoint", "$other", "--key", "$other.pem", "--out", "$other.txt").status == 0)
    try expect(tool, "verify", "$journal", "--against", "$other.txt", status: 86, "another journal")
    try expect(
      tool, "verify", "$journal", "--against", "$other.txt", "--public-key", "$public.pem", status: 85, "another key")
    try tool.change(URL(fileURLWithPath: tool.path("head.txt"))) { bytes in
      bytes = Data(String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "made 2", with: "made 3").utf8)
    }
    try expect(tool, "verify", "$journal", "--against", "$head.txt", status: 84, "the signature is wrong")
  }

  @Test("a changed history: 87; a shorter one: 88; a deleted one: 89")
  func otherHistories() throws {
    let tool = try signed()
    try tool.write(600, text: "changed", to: "changed")
    try expect(tool, "verify", "$changed", "--against", "$head.txt", status: 87, "position 300")
    try tool.write(200, to: "short")
    try expect(tool, "verify", "$short", "--against", "$head.txt", status: 88, "ends at position 200")
    try tool.write(2_000, text: "later")
    for number in 1...9 { try FileManager.default.removeItem(at: tool.segment(number)) }
    try expect(tool, "verify", "$journal", "--against", "$head.txt", status: 89, "was deleted")
  }

  @Test("a history that was changed and linked anew is 87 before anything else: snapshots, gaps, damage behind it")
  func linkedAnew() throws {
    let tool = try signed()
    // As long as the right one, so that segments begin at the same positions.
    try tool.write(600, text: "jello", to: "changed")
    let store = SnapshotStore(directory: FilePath(tool.path("changed")))
    var search = JournalHeadSearch()
    _ = try JournalReader(directory: FilePath(tool.path("journal"))).verify(frame: { search.add($0) })
    let head = try #require(search.head)
    _ = try store.begin(at: head.point, createdMilliseconds: 1_770_000_000_000).finish()
    try expect(tool, "verify", "$changed", "--against", "$head.txt", status: 87, "position 300")
    try expect(
      tool, "verify", "$changed", "--contains", head.point.chainHash.description, status: 87, "no frame of this journal"
    )
    // Without a checkpoint the snapshot tells.
    try expect(tool, "verify", "$changed", status: 87, "history was changed", "snapshot")
    let segments = try tool.contents(of: "changed").keys.filter { $0.hasSuffix(".segment") }.sorted()
    try tool.change(URL(fileURLWithPath: tool.path("changed/" + (segments.last ?? "")))) { $0[4_200] ^= 1 }
    try expect(tool, "verify", "$changed", "--against", "$head.txt", status: 87, "position 300")
    // One segment of it among the others: it fits in everything but what was there before.
    try Data(contentsOf: tool.segment(1, of: "changed")).write(to: tool.segment(1))
    try expect(tool, "verify", "$journal", status: 87, "history was changed", "000000000002.segment")
  }

  private static let openssl = URL(fileURLWithPath: "/usr/bin/openssl")

  @Test("openssl checks a checkpoint", .enabled(if: FileManager.default.isExecutableFile(atPath: openssl.path)))
  func byHand() throws {
    let tool = try signed()
    let text = try String(contentsOfFile: tool.path("head.txt"), encoding: .utf8)
    let lines = text.split(separator: "\n")
    let signature = try #require(lines.last?.split(separator: " ").last.flatMap { Data(base64Encoded: String($0)) })
    try signature.write(to: URL(fileURLWithPath: tool.path("signature")))
    try Data((lines.dropLast().joined(separator: "\n") + "\n").utf8)
      .write(to: URL(fileURLWithPath: tool.path("signed")))
    let arguments = [
      "pkeyutl", "-verify", "-pubin", "-inkey", "$public.pem", "-rawin", "-in", "$signed", "-sigfile", "$signature",
    ]
    let outcome = try JournalTool.run(Self.openssl, tool.expand(arguments))
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(try JournalTool.run(Self.openssl, tool.expand(["pkey", "-in", "$key.pem", "-noout"])).status == 0)
  }
}

@Suite("Journal tools and snapshots", .timeLimit(.minutes(2)))
struct SnapshotAuditTests {
  /// Gives `journal` a snapshot at the head of `source`.
  private func snapshot(_ tool: JournalTool, of source: String, in journal: String = "journal") throws -> SnapshotInfo {
    var search = JournalHeadSearch()
    _ = try JournalReader(directory: FilePath(tool.path(source))).verify(frame: { search.add($0) })
    let head = try #require(search.head)
    let writer = try SnapshotStore(directory: FilePath(tool.path(journal)))
      .begin(at: head.point, createdMilliseconds: 1_770_000_000_000)
    return try writer.finish()
  }

  @Test("a journal's own snapshot is checked; another journal's: 90; one behind the end: 88; damaged: 65")
  func snapshots() throws {
    let tool = try JournalTool()
    try tool.write(100)
    let own = try snapshot(tool, of: "journal")
    try tool.write(50, text: "later")
    let outcome = try tool.run("verify", "$journal")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("snapshots   1, taken at position 100\n"))

    try tool.write(90, to: "other", ids: 2)
    let foreign = try snapshot(tool, of: "other")
    #expect(try tool.run("verify", "$journal").status == 90)
    #expect(try tool.run("verify", "$journal").errors.contains("belongs to another journal"))
    try FileManager.default.removeItem(atPath: foreign.file.string)

    try tool.write(400, to: "other", ids: 2)
    let ahead = try snapshot(tool, of: "other")
    #expect(try tool.run("verify", "$journal").status == 88)
    try FileManager.default.removeItem(atPath: ahead.file.string)

    try tool.change(URL(fileURLWithPath: own.file.string)) { $0[$0.count - 20] ^= 1 }
    let damaged = try tool.run("verify", "$journal")
    #expect(damaged.status == 65, "\(damaged.errors)")
    #expect(damaged.errors.contains("offset"))
  }
}
