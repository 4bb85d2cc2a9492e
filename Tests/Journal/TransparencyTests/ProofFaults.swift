import JournalFormat
import Transparency

/// What may be wrong with a proof, and what is said of it, by us and by others.
enum ProofFaults {
  static let samples = SampleRecords(100, seed: 5)

  static func proof(_ index: Int = 41, size: Int = 100) throws -> LogProof {
    samples.proof(index, in: try EvidenceWorld.note(samples.tree.head(size)), size: size)
  }

  /// A good proof with its lines changed.
  private static func wrong(_ change: (inout [String]) -> Void) throws -> [UInt8] {
    var lines = String(decoding: try proof().bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    change(&lines)
    return Array(lines.joined(separator: "\n").utf8)
  }

  static func table() throws -> [(ProofRefusal, [UInt8])] {
    return [
      (.badLine(1), []), (.badLine(1), Array("\n".utf8)), (.badLine(1), [0]),
      (.badLine(1), try wrong { $0[0] = "c2sp.org/tlog-proof@v2" }),
      (.badLine(2), try wrong { $0[1] = "extra " }), (.badLine(2), try wrong { $0[1] = "extra !" }),
      (.badLine(2), try wrong { $0[1] = "Extra QUFB" }), (.badLine(3), try wrong { $0[2] = "index 041" }),
      (.badLine(3), try wrong { $0[2] = "index -1" }), (.badLine(3), try wrong { $0[2] = "index" }),
      (.badLine(3), try wrong { $0[2] = "index 9223372036854775808" }),
      (.badLine(2), try wrong { $0.removeSubrange(1...2) }), (.badLine(4), try wrong { $0[3] = "AAAA" }),
      (.badLine(67), try wrong { $0.insert(contentsOf: [String](repeating: $0[3], count: 64), at: 3) }),
      (.badNote(.noSignatures), try wrong { $0.removeLast(5) }),
      (.badNote(.badSignatureLine(line: 8)), try wrong { $0[$0.count - 2] = "— w AAAA" }),
      (.recordMissing, try wrong { $0.remove(at: 1) }),
      (.recordMissing, try wrong { $0[1] = "extra " + Base64.encode([UInt8](repeating: 0, count: 16)) }),
      (.indexOutside(100, size: 100), try wrong { $0[2] = "index 100" }),
      (.wrongHashCount(6), try wrong { $0.remove(at: 3) }),
      (.wrongHashCount(8), try wrong { $0.insert($0[3], at: 3) }),
      (.notIncluded, try wrong { $0[2] = "index 42" }), (.notIncluded, try wrong { $0.swapAt(3, 4) }),
      (.notIncluded, try wrong { $0[1] = "extra " + Base64.encode([UInt8](repeating: 0, count: 40)) }),
      (
        .checkpoint(.quorumMissing("everybody", cosigned: ["one", "two"])),
        try wrong { $0.remove(at: $0.count - 2) }
      ),
      (
        .checkpoint(.unsigned(EvidenceWorld.log.verifierKey.name)), try wrong { $0.remove(at: $0.count - 5) }
      ),
      (
        .checkpoint(.note(.wrongSignature(by: EvidenceWorld.log.verifierKey.name))),
        try wrong { $0[$0.count - 8] = "101" }
      ),
    ]
  }
}
