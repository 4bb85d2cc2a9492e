import Foundation
import JournalFormat
import TestSupport
import Transparency

/// A directory as `Tests/Journal/Evidence/judge/main.go` reads it, filled from a tree of random records.
struct EvidenceDirectory {
  let url: URL
  let samples: SampleRecords
  /// Of the trees that there are checkpoints of, each the beginning of the next.
  let sizes: [Int]

  /// - Parameter sizeCount: how many sizes of trees are chosen, beside those where something changes.
  init(recordCount: Int, sizeCount: Int, seed: UInt64) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "carillon-evidence-\(UUID().uuidString)")
    samples = SampleRecords(recordCount, seed: seed)
    var random = SeededGenerator(seed: seed &+ 1)
    let turns = [1, 2, 3, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 65_792, recordCount]
    let others = (0..<sizeCount).map { _ in Int.random(in: 1...recordCount, using: &random) }
    sizes = Set(turns.filter { $0 <= recordCount } + others).sorted()
    for folder in ["checkpoints", "proofs", "consistency", "tile", "refused"] {
      try FileManager.default.createDirectory(at: url.appending(path: folder), withIntermediateDirectories: true)
    }
    let keys = [EvidenceWorld.log.verifierKey] + EvidenceWorld.witnesses.map(\.verifierKey)
    try write(keys.map { $0.text + "\n" }.joined(), to: "vkeys.txt")
    try write(EvidenceWorld.strictPolicyText, to: "policy")
  }

  func remove() { try? FileManager.default.removeItem(at: url) }

  func write(_ bytes: [UInt8], to path: String) throws {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

  /// A checkpoint of each size, and of the empty tree.
  ///
  /// - Returns: by their sizes.
  func writeCheckpoints() throws -> [Int: SignedNote] {
    var notes: [Int: SignedNote] = [:]
    for size in [0] + sizes {
      let note = try EvidenceWorld.note(samples.tree.head(size))
      notes[size] = note
      try write(note.bytes, to: "checkpoints/\(size).txt")
    }
    return notes
  }

  func writeProofs(_ count: Int, in notes: [Int: SignedNote], seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<count {
      let size = sizes[number % sizes.count]
      guard let note = notes[size] else { continue }
      let proof = samples.proof(Int.random(in: 0..<size, using: &random), in: note, size: size)
      try write(proof.bytes, to: "proofs/\(number).tlog-proof")
    }
  }

  func writeConsistency(_ count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<count {
      let ends = [sizes[Int.random(in: sizes.indices, using: &random)], sizes[number % sizes.count]].sorted()
      let lines =
        zip(["old", "new"], ends).map { "\($0) \($1) \(Base64.encode(samples.tree.head($1).root.bytes))" }
        + samples.tree.consistency(from: ends[0], to: ends[1]).map { Base64.encode($0.bytes) }
      try write(lines.map { $0 + "\n" }.joined(), to: "consistency/\(number).txt")
    }
  }

  /// All full tiles, and for each size its partial ones.
  func writeTiles() throws {
    for level in 0...2 {
      let whole = samples.tree.size >> (8 * level)
      for number in 0..<(whole / 256) { try writeTile(level, number, 256) }
      for count in Set(sizes.map { $0 >> (8 * level) }) where count % 256 > 0 {
        try writeTile(level, count / 256, count % 256)
      }
    }
  }

  private func writeTile(_ level: Int, _ number: Int, _ width: Int) throws {
    precondition(number < 1_000, "one group of digits")
    let digits = String(repeating: "0", count: 3 - "\(number)".count) + "\(number)"
    try write(
      samples.tree.tile(level: level, number: number, width: width),
      to: "tile/\(level)/\(digits)" + (width < 256 ? ".p/\(width)" : ""))
  }

  /// A checkpoint and a proof, each byte of them changed in turn.
  ///
  /// - Returns: how many there are.
  func writeRefused(_ note: SignedNote, _ proof: LogProof) throws -> Int {
    let (notes, proofs) = (flips(note.bytes), flips(proof.bytes))
    for (index, bytes) in notes { try write(bytes, to: "refused/\(index).txt") }
    for (index, bytes) in proofs { try write(bytes, to: "refused/\(index).tlog-proof") }
    return notes.count + proofs.count
  }
}
