import Testing

@testable import StandbyWire

@Suite("Paths that a standby copies")
struct StandbyPathTests {
  @Test(
    "each kind has one spelling",
    arguments: [
      ("journal/000000000007.segment", .segment(number: 7, isPacked: false, isArchived: false)),
      ("journal/000000000007.packed", .segment(number: 7, isPacked: true, isArchived: false)),
      ("journal/archive/000000000001.segment", .segment(number: 1, isPacked: false, isArchived: true)),
      ("journal/archive/1234567890123.packed", .segment(number: 1_234_567_890_123, isPacked: true, isArchived: true)),
      ("journal/snapshots/00000000000000000042.snapshot", .snapshot(position: 42)),
      ("journal/snapshots/00000000000000000042.edge", .edge(position: 42)),
      ("journal/redaction.intent", .redactionIntent),
      ("tokens.json", .tokens),
      ("checkpoints/00000000000000001000.checkpoint", .checkpoint(size: 1000)),
      ("provider-tokens/abc_D-1.0", .providerToken("abc_D-1.0")),
      (StandbyWireSamples.file.path, StandbyWireSamples.blob),
    ] as [(String, StandbyPath)])
  func good(text: String, path: StandbyPath) {
    #expect(StandbyPath(text) == path)
    #expect(path.text == text)
  }

  @Test(
    "nothing else is one",
    arguments: [
      "", "/", ".", "..", "journal", "journal/", "/tokens.json", "./tokens.json", "tokens.json/", "../tokens.json",
      "journal/../tokens.json", "journal//000000000007.segment", "journal/./000000000007.segment",
      "journal/LOCK", "journal/EPOCH", "journal/MAINTENANCE", "journal/next.preallocating", "journal/STANDBY.json",
      "journal/7.segment", "journal/000000000000.segment", "journal/0000000000007.segment",
      "journal/000000000007.segment.4096.cut", "journal/000000000007.packed.packing",
      "journal/99999999999999999999999.segment", "journal/18446744073709551615.segment",
      "journal/archive/4611686018427387905.packed", "journal/tree/STATE", "journal/index/000000000007.terms",
      "journal/archive/archive/000000000007.segment", "journal/archive/redaction.intent", "asleep/1.spill",
      "journal/snapshots/42.snapshot", "journal/snapshots/00000000000000000042.snapshot.writing",
      "journal/snapshots/000000000000000000042.snapshot", "checkpoints/1000.checkpoint", "provider-tokens/",
      "provider-tokens/.hidden", "provider-tokens/a/b", "provider-tokens/a.new", "provider-tokens/..",
      "blobs/ab/\(String(repeating: "a0", count: 32))", "blobs/a0/\(String(repeating: "A0", count: 32))",
      "blobs/a0/\(String(repeating: "a0", count: 32)).writing", "blobs/\(String(repeating: "a0", count: 32))",
      "tokens.json\0", "Tokens.json", "scan/1", String(repeating: "a", count: 600),
    ])
  func bad(text: String) { #expect(StandbyPath(text) == nil) }

  @Test("what opens doors is its owner's alone")
  func secrets() {
    #expect(StandbyPath.tokens.isSecret)
    #expect(StandbyPath.providerToken("a").isSecret)
    #expect(!StandbyWireSamples.blob.isSecret)
  }
}
