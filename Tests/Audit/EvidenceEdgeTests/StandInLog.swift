import EvidenceEdge
import JournalFormat
import Synchronization
import TestSupport
import Transparency

/// A log in memory, of the pure module's parts: its tree grows, its tiles prove, its key signs.
struct StandInLog: Sendable, TileSource {
  static let signer = NoteSigner(name: name("carillon.example.com/main"), key: key(1))
  static let cosigner = Cosigner(name: name("witness.example.com/w1"), key: key(11))
  static let now: UInt64 = 1_770_800_000
  static let policyText = """
    log \(signer.verifierKey.text)
    witness one \(cosigner.verifierKey.text)
    quorum one

    """

  let size: UInt64
  private let rows: [[Hash256]]

  /// - Parameters:
  ///   - common: so many records are those of every stand-in log.
  ///   - seed: of what the others are.
  init(_ size: Int, common: Int = .max, seed: UInt64 = 2) {
    var (shared, own) = (SeededGenerator(seed: 1), SeededGenerator(seed: seed))
    let entries = (0..<size).map { $0 < common ? Self.entry(&shared) : Self.entry(&own) }
    var growth = TreeGrowth()
    growth.append(entries)
    rows = growth.rows.map(\.hashes)
    self.size = UInt64(size)
  }

  static func key(_ number: UInt8) -> AuditKey {
    guard let key = try? AuditKey(seed: [UInt8](repeating: number, count: 32)) else { fatalError("32 bytes are a key") }
    return key
  }

  static func name(_ text: String) -> KeyName {
    guard let name = KeyName(text) else { fatalError("\(text) is a name") }
    return name
  }

  static func policy() throws -> TrustPolicy { try TrustPolicy(text: Array(policyText.utf8)) }

  private static func entry(_ generator: inout SeededGenerator) -> Hash256 {
    withUnsafeBytes(of: (generator.next(), generator.next(), generator.next(), generator.next())) {
      Hash256($0) ?? .zero
    }
  }

  func hashes(of tile: TileAddress) throws -> [UInt8] {
    guard case .hashes(let level) = tile.row, level < rows.count, Int(tile.places.upperBound) <= rows[level].count
    else {
      throw TileProverError.beyondEnd(size: size)
    }
    return rows[level][Int(tile.places.lowerBound)..<Int(tile.places.upperBound)].flatMap(\.bytes)
  }

  private var prover: TileProver<StandInLog> { TileProver(size: size, source: self) }

  func head(_ size: UInt64) throws -> TreeHead {
    var prover = prover
    return try prover.head(at: size)
  }

  func consistency(_ old: UInt64, _ new: UInt64) throws -> [Hash256] {
    var prover = prover
    return try prover.consistency(from: old, to: new)
  }

  func note(_ size: UInt64, by signer: NoteSigner = signer, cosignedAt time: UInt64? = nil) throws -> SignedNote {
    var note = try signer.sign(LogCheckpoint(origin: signer.verifierKey.name, head: try head(size)))
    if let time { try note.add(Self.cosigner.cosignature(of: note.text, unixSeconds: time)) }
    return note
  }

  /// A whole request for a cosignature.
  func request(_ old: UInt64, _ new: UInt64, by signer: NoteSigner = signer) throws -> [UInt8] {
    AddCheckpointRequest(oldSize: old, hashes: try consistency(old, new), note: try note(new, by: signer)).bytes
  }
}

/// What a log shows at a moment; the test changes it as it likes.
final class ShownLog: LogReading {
  struct Show: Sendable {
    var log: StandInLog
    var size: UInt64
    var cosignedAt: UInt64? = StandInLog.now
    /// In place of what the log has.
    var files: [String: LogFile] = [:]
    /// What was asked for.
    var asked: [String] = []
  }

  let show: Mutex<Show>

  init(_ log: StandInLog, size: UInt64) { show = Mutex(Show(log: log, size: size)) }

  func file(_ path: String, byteCountMaximum: Int) async -> LogFile {
    let file = content(path)
    if case .content(let bytes) = file, bytes.count > byteCountMaximum { return .failed("too large") }
    return file
  }

  func content(_ path: String) -> LogFile {
    show.withLock { show in
      show.asked.append(path)
      if let file = show.files[path] { return file }
      if path == "checkpoint" {
        guard let note = try? show.log.note(show.size, cosignedAt: show.cosignedAt) else { return .absent }
        return .content(note.bytes)
      }
      guard let tile = TileAddress(path: path), let bytes = try? show.log.hashes(of: tile) else { return .absent }
      return .content(bytes)
    }
  }
}
