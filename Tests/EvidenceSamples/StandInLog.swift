package import JournalFormat
import TestSupport
package import Transparency

/// A log in memory, of the pure module's parts: its tree grows, its tiles prove, its key signs.
package struct StandInLog: Sendable, TileSource {
  package static let signer = NoteSigner(name: name("carillon.example.com/main"), key: key(1))
  package static let cosigner = Cosigner(name: name("witness.example.com/w1"), key: key(11))
  package static let now: UInt64 = 1_770_800_000
  package static let policyText = """
    log \(signer.verifierKey.text)
    witness one \(cosigner.verifierKey.text)
    quorum one

    """

  package let size: UInt64
  private let rows: [[Hash256]]

  /// - Parameters:
  ///   - common: so many records are those of every stand-in log.
  ///   - seed: of what the others are.
  package init(_ size: Int, common: Int = .max, seed: UInt64 = 2) {
    var (shared, own) = (SeededGenerator(seed: 1), SeededGenerator(seed: seed))
    self.init((0..<size).map { $0 < common ? Self.entry(&shared) : Self.entry(&own) })
  }

  package init(_ entries: [Hash256]) {
    var growth = TreeGrowth()
    growth.append(entries)
    rows = growth.rows.map(\.hashes)
    size = UInt64(entries.count)
  }

  package static func key(_ number: UInt8) -> AuditKey {
    guard let key = try? AuditKey(seed: [UInt8](repeating: number, count: 32)) else { fatalError("32 bytes are a key") }
    return key
  }

  package static func name(_ text: String) -> KeyName {
    guard let name = KeyName(text) else { fatalError("\(text) is a name") }
    return name
  }

  package static func policy() throws -> TrustPolicy { try TrustPolicy(text: Array(policyText.utf8)) }

  private static func entry(_ generator: inout SeededGenerator) -> Hash256 {
    withUnsafeBytes(of: (generator.next(), generator.next(), generator.next(), generator.next())) {
      Hash256($0) ?? .zero
    }
  }

  package func hashes(of tile: TileAddress) throws -> [UInt8] {
    guard case .hashes(let level) = tile.row, level < rows.count, Int(tile.places.upperBound) <= rows[level].count
    else {
      throw TileProverError.beyondEnd(size: size)
    }
    return rows[level][Int(tile.places.lowerBound)..<Int(tile.places.upperBound)].flatMap(\.bytes)
  }

  private var prover: TileProver<StandInLog> { TileProver(size: size, source: self) }

  package func head(_ size: UInt64) throws -> TreeHead {
    var prover = prover
    return try prover.head(at: size)
  }

  package func consistency(_ old: UInt64, _ new: UInt64) throws -> [Hash256] {
    var prover = prover
    return try prover.consistency(from: old, to: new)
  }

  package func note(_ size: UInt64, by signer: NoteSigner = signer, cosignedAt time: UInt64? = nil) throws -> SignedNote
  {
    var note = try signer.sign(LogCheckpoint(origin: signer.verifierKey.name, head: try head(size)))
    if let time { try note.add(Self.cosigner.cosignature(of: note.text, unixSeconds: time)) }
    return note
  }

  /// That a record of it is there, in its tree of `size`.
  package func proof(_ record: DisclosedRecord, _ index: UInt64, in note: SignedNote, size: UInt64) throws -> LogProof {
    var prover = prover
    return LogProof(record: record, index: index, hashes: try prover.inclusion(of: index, in: size), note: note)
  }

  /// A whole request for a cosignature.
  package func request(_ old: UInt64, _ new: UInt64, by signer: NoteSigner = signer) throws -> [UInt8] {
    AddCheckpointRequest(oldSize: old, hashes: try consistency(old, new), note: try note(new, by: signer)).bytes
  }
}
