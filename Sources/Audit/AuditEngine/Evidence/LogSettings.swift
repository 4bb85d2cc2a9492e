package import EngineKit
import OptionKit
package import Transparency

/// What an operator has set of the log that strangers can check.
package struct LogSettings: Sendable, Equatable {
  package struct Witness: Sendable, Hashable {
    package let key: VerifierKey
    /// Without a slash at its end.
    package let url: String

    package var name: String { key.name.description }
  }

  package let origin: KeyName
  /// The file of the key that signs.
  package let keyFile: String
  /// Between two checkpoints; nil: none are made by themselves.
  package let interval: Duration?
  package let witnesses: [Witness]
  /// So many of them have to cosign.
  package let quorum: Int
  package let trustRootsFile: String?

  package static let witnessesMaximum = 32

  /// - Returns: nil unless origin and key are set. What cannot be read was refused at start.
  package init?(_ options: Options) {
    let (server, keys) = (options.section(.server), LogOptions.keys)
    guard let origin = server[keys.origin].flatMap({ KeyName($0) }),
      let keyFile = server[JournalOptions.keys.checkpointKey]
    else { return nil }
    self.origin = origin
    self.keyFile = keyFile
    interval = server[keys.interval] > .zero ? server[keys.interval] : nil
    var known: Set<VerifierKey> = []
    witnesses = server[keys.witnesses].prefix(Self.witnessesMaximum).compactMap { try? Self.witness($0) }.filter {
      known.insert($0.key).inserted
    }
    quorum = min(server[keys.quorum] ?? (witnesses.isEmpty ? 0 : witnesses.count / 2 + 1), witnesses.count)
    trustRootsFile = server[keys.trustRootsFile]
  }

  /// Why a text cannot be an origin; nil if it can.
  package static func flaw(ofOrigin text: String) -> String? {
    KeyName(text) == nil
      ? "must have 1 to \(EvidenceLimits.keyNameByteCountMaximum) bytes, without spaces, control characters and +" : nil
  }

  /// A member of `journal.witnesses`.
  ///
  /// - Throws: what is wrong with it.
  package static func witness(_ text: String) throws(WitnessFlaw) -> Witness {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2 else { throw WitnessFlaw(reason: "is not a verifier key, a space and a URL") }
    let key: VerifierKey
    do throws(VerifierKeyFlaw) { key = try VerifierKey(text: words[0]) } catch { throw WitnessFlaw(reason: "\(error)") }
    guard key.kind == .cosignature else { throw WitnessFlaw(reason: "is the key of a log, not of a witness") }
    var url = words[1]
    while url.hasSuffix("/") { url.removeLast() }
    return Witness(key: key, url: String(url))
  }

  package struct WitnessFlaw: Error, Equatable {
    package let reason: String
  }
}
