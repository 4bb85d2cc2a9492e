/// A text with the signatures of one or several keys. Spec: C2SP signed-note.
///
/// A note that parses says nothing yet: only `verify` tells who has signed it.
public struct SignedNote: Sendable, Hashable {
  /// What is signed: it ends with a line feed.
  public let text: [UInt8]
  /// In the order of their lines, those of unknown keys too; never none.
  public private(set) var signatures: [NoteSignature]

  /// Reads a note, strictly: what it is written as again is the same bytes.
  ///
  /// - Throws: everything but `wrongSignature` and `unsigned`.
  public init(_ bytes: [UInt8]) throws(NoteFlaw) { try self.init(bytes[...]) }

  init(_ bytes: ArraySlice<UInt8>) throws(NoteFlaw) {
    try Self.checkCharacters(bytes)
    guard let split = Self.lastEmptyLine(bytes) else { throw .noSignatures }
    text = Array(bytes[..<split])
    var lines = TextLines(bytes[(split + 1)...], after: text.count(where: { $0 == lineFeed }) + 1)
    signatures = try NoteSignature.all(&lines)
  }

  /// A new note.
  ///
  /// - Parameter text: ends with a line feed.
  /// - Throws: `textUnended`, `notUTF8`, `controlCharacter`, `tooLarge`.
  init(text: [UInt8], signature: NoteSignature) throws(NoteFlaw) {
    guard text.last == lineFeed else { throw .textUnended }
    try Self.checkCharacters(text[...])
    self.text = text
    signatures = [signature]
    guard byteCount <= EvidenceLimits.noteByteCountMaximum else { throw .tooLarge }
  }

  /// A new note of a text that cannot be wrong.
  init(_ checkpoint: LogCheckpoint, signature: NoteSignature) {
    text = checkpoint.text
    signatures = [signature]
  }

  /// A note of fewer signatures: of each of `keys` the one that it has made, and one more.
  ///
  /// - Throws: `tooManySignatures`, `tooLarge`.
  init(checkpoint note: SignedNote, keeping keys: [VerifierKey], adding signature: NoteSignature) throws(NoteFlaw) {
    text = note.text
    signatures = keys.compactMap { key in
      note.signatures.first { $0.isBy(key) && key.verify($0.bytes, of: note.text) != nil }
    }
    try add(signature)
  }

  /// The note as it is sent and kept.
  public var bytes: [UInt8] {
    text + [lineFeed] + signatures.flatMap { Array($0.line.utf8) }
  }

  /// Adds a signature, which takes the place of an older one by the same key.
  ///
  /// - Throws: `tooManySignatures`, `tooLarge`; the note stays as it was then.
  public mutating func add(_ signature: NoteSignature) throws(NoteFlaw) {
    var longer = self
    longer.signatures.removeAll { $0.keyID == signature.keyID && $0.name == signature.name }
    longer.signatures.append(signature)
    guard longer.signatures.count <= EvidenceLimits.signatureCountMaximum else { throw .tooManySignatures }
    guard longer.byteCount <= EvidenceLimits.noteByteCountMaximum else { throw .tooLarge }
    self = longer
  }

  /// Which of `keys` have signed, each once. Lines of other keys are passed over.
  ///
  /// - Throws: `wrongSignature` if a line that names one of `keys` was not made by it: then nothing of the note is to be
  ///   trusted; `unsigned` if none of `keys` has signed.
  public func verify(with keys: [VerifierKey]) throws(NoteFlaw) -> [VerifiedSignature] {
    var verified: [VerifiedSignature] = []
    for signature in signatures {
      let named = keys.filter(signature.isBy)
      guard !named.isEmpty else { continue }
      guard let found = named.lazy.compactMap({ $0.verify(signature.bytes, of: text) }).first else {
        throw .wrongSignature(by: signature.name)
      }
      if !verified.contains(where: { $0.key == found.key }) { verified.append(found) }
    }
    guard !verified.isEmpty else { throw .unsigned }
    return verified
  }

  private var byteCount: Int { text.count + 1 + signatures.reduce(0) { $0 + $1.line.utf8.count } }

  private static func checkCharacters(_ bytes: ArraySlice<UInt8>) throws(NoteFlaw) {
    guard bytes.count <= EvidenceLimits.noteByteCountMaximum else { throw .tooLarge }
    if let place = bytes.firstIndex(where: { $0 < 0x20 && $0 != lineFeed }) {
      throw .controlCharacter(line: bytes[..<place].count(where: { $0 == lineFeed }) + 1)
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
  }

  /// Where the last empty line begins: it parts text and signatures.
  private static func lastEmptyLine(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.dropFirst().last { bytes[$0] == lineFeed && bytes[$0 - 1] == lineFeed }
  }
}

/// Why a note is none, or is not to be trusted.
public enum NoteFlaw: Error, Sendable, Equatable {
  case tooLarge
  case notUTF8
  case controlCharacter(line: Int)
  /// The text does not end with a line feed.
  case textUnended
  /// No empty line with signatures behind it.
  case noSignatures
  case badSignatureLine(line: Int)
  case tooManySignatures
  /// A key that we know is named, but did not make this signature.
  case wrongSignature(by: KeyName)
  /// No key that we know has signed.
  case unsigned
}

extension NoteFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge: "a note of more than \(EvidenceLimits.noteByteCountMaximum) bytes"
    case .notUTF8: "a note that is not UTF-8"
    case .controlCharacter(let line): "line \(line) of the note has a control character"
    case .textUnended: "the note's text does not end with a line feed"
    case .noSignatures: "a note without signatures"
    case .badSignatureLine(let line): "line \(line) of the note is not a signature"
    case .tooManySignatures: "a note with more than \(EvidenceLimits.signatureCountMaximum) signatures"
    case .wrongSignature(let name): "the signature of \(name) is wrong: it or the note was changed"
    case .unsigned: "no key that is known has signed the note"
    }
  }
}
