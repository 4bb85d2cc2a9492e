import JournalFormat
import Transparency

/// A log and its witnesses with keys that are the same in every run.
enum EvidenceWorld {
  static let log = NoteSigner(name: name("carillon.example.com/main"), key: key(1))
  /// Another instance with another key.
  static let otherLog = NoteSigner(name: name("other.example.com/main"), key: key(2))
  static let witnesses = (1...3).map {
    Cosigner(name: name("witness.example.com/w\($0)"), key: key(UInt8(10 + $0)))
  }
  static let now: UInt64 = 1_770_800_000

  static func key(_ number: UInt8) -> AuditKey {
    guard let key = try? AuditKey(seed: [UInt8](repeating: number, count: 32)) else { fatalError("32 bytes are a key") }
    return key
  }

  static func name(_ text: String) -> KeyName {
    guard let name = KeyName(text) else { fatalError("\(text) is a name") }
    return name
  }

  static func vkey(_ index: Int) -> String { witnesses[index].verifierKey.text }

  /// All three witnesses have to have cosigned, so that no line of a checkpoint is without weight.
  static let strictPolicyText = """
    # Whom the tests trust.
    log \(log.verifierKey.text) https://carillon.example.com/tlog
    witness one \(vkey(0)) https://w1.example.com
    witness two \(vkey(1))
    witness three \(vkey(2))
    group everybody all one two three
    quorum everybody

    """

  static func policy(_ text: String = strictPolicyText) throws -> TrustPolicy {
    try TrustPolicy(text: Array(text.utf8))
  }

  /// A checkpoint, signed by the log and cosigned a second apart by some witnesses.
  static func note(
    _ head: TreeHead, by signer: NoteSigner = log, cosignedBy indices: [Int] = [0, 1, 2], at time: UInt64 = now
  ) throws -> SignedNote {
    var note = try signer.sign(LogCheckpoint(origin: signer.verifierKey.name, head: head))
    for index in indices {
      try note.add(witnesses[index].cosignature(of: note.text, unixSeconds: time + UInt64(index)))
    }
    return note
  }
}

/// Each byte of some bytes, changed in one bit.
func flips(_ bytes: [UInt8]) -> [(index: Int, bytes: [UInt8])] {
  bytes.indices.map { index in
    var changed = bytes
    changed[index] ^= 1 << UInt8(index % 8)
    return (index, changed)
  }
}
