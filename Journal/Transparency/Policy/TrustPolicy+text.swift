internal import JournalFormat

extension TrustPolicy {
  /// Reads a policy file.
  ///
  /// - Throws: the first thing that is wrong with it, and on which line.
  public init(text bytes: [UInt8]) throws(PolicyFlaw) {
    guard bytes.count <= EvidenceLimits.policyByteCountMaximum else { throw PolicyFlaw(line: nil, problem: .tooLarge) }
    var draft = PolicyDraft(definedLines: PolicyDraft.definitions(bytes))
    for (index, line) in bytes.split(separator: lineFeed, omittingEmptySubsequences: false).enumerated() {
      do throws(PolicyFlaw.Problem) {
        try draft.take(line, number: index + 1)
      } catch {
        throw PolicyFlaw(line: index + 1, problem: error)
      }
    }
    guard !draft.logs.isEmpty else { throw PolicyFlaw(line: nil, problem: .noLog) }
    guard let quorum = draft.quorum else { throw PolicyFlaw(line: nil, problem: .noQuorum) }
    self.init(
      logs: draft.logs, witnesses: draft.witnesses, groups: draft.groups, quorum: quorum.member,
      quorumName: quorum.name)
  }
}

extension PolicyFlaw.Problem: Error {}

/// A policy as far as its file was read. Spec: C2SP tlog-policy: all but ASCII is opaque, so words are compared as bytes.
private struct PolicyDraft {
  private typealias Word = ArraySlice<UInt8>

  private(set) var logs: [TrustPolicy.Log] = []
  private(set) var witnesses: [TrustPolicy.Witness] = []
  private(set) var groups: [TrustPolicy.Group] = []
  private(set) var quorum: (name: String, member: TrustPolicy.Member?, line: Int)?
  private var names: [ArraySlice<UInt8>: (member: TrustPolicy.Member, line: Int)] = [:]
  /// On which line each key stands; one key may be a log's and a witness's.
  private var keyLines: [VerifierKey.Kind: [[UInt8]: Int]] = [:]
  private var memberLines: [TrustPolicy.Member: Int] = [:]
  /// Where each name is defined in the whole file, to say why it cannot be used above.
  private let definedLines: [ArraySlice<UInt8>: Int]

  init(definedLines: [ArraySlice<UInt8>: Int]) { self.definedLines = definedLines }

  private static let none = Array("none".utf8)[...]

  private static func words(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  static func definitions(_ bytes: [UInt8]) -> [ArraySlice<UInt8>: Int] {
    var lines: [ArraySlice<UInt8>: Int] = [:]
    for (index, line) in bytes.split(separator: lineFeed, omittingEmptySubsequences: false).enumerated() {
      let words = words(line)
      guard words.count > 1, ["witness", "group"].contains(text(words[0])), lines[words[1]] == nil else { continue }
      lines[words[1]] = index + 1
    }
    return lines
  }

  private static func text(_ word: ArraySlice<UInt8>) -> String { String(decoding: word, as: UTF8.self) }

  mutating func take(_ line: ArraySlice<UInt8>, number: Int) throws(PolicyFlaw.Problem) {
    if let byte = line.first(where: { ($0 < 0x20 && $0 != UInt8(ascii: "\t")) || $0 == 0x7F }) {
      throw .controlCharacter(byte)
    }
    let words = Self.words(line)
    guard let first = words.first, first.first != UInt8(ascii: "#") else { return }
    switch Self.text(first) {
    case "log": try takeLog(words, number)
    case "witness": try takeWitness(words, number)
    case "group": try takeGroup(words, number)
    case "quorum": try takeQuorum(words, number)
    default: throw .unknownWord(String(Self.text(first).prefix(40)))
    }
  }

  private mutating func takeLog(_ words: [Word], _ number: Int) throws(PolicyFlaw.Problem) {
    guard (2...3).contains(words.count) else { throw .form("log <key> [url]") }
    let key = try takeKey(words[1], .note, number)
    guard logs.count < EvidenceLimits.policyEntryCountMaximum else { throw .tooMany }
    logs.append(TrustPolicy.Log(key: key, url: words.count > 2 ? Self.text(words[2]) : nil))
  }

  private mutating func takeWitness(_ words: [Word], _ number: Int) throws(PolicyFlaw.Problem) {
    guard (3...4).contains(words.count) else { throw .form("witness <name> <key> [url]") }
    let key = try takeKey(words[2], .cosignature, number)
    guard witnesses.count < EvidenceLimits.policyEntryCountMaximum else { throw .tooMany }
    try define(words[1], .witness(witnesses.count), number)
    witnesses.append(
      TrustPolicy.Witness(name: Self.text(words[1]), key: key, url: words.count > 3 ? Self.text(words[3]) : nil))
  }

  private mutating func takeGroup(_ words: [Word], _ number: Int) throws(PolicyFlaw.Problem) {
    guard words.count >= 4 else { throw .form("group <name> <n|all|any> <members…>") }
    var members: [TrustPolicy.Member] = []
    for word in words[3...] {
      let member = try resolve(word)
      if let line = memberLines[member] { throw .memberTwice(Self.text(word), line: line) }
      memberLines[member] = number
      members.append(member)
    }
    let threshold: Int
    switch Self.text(words[2]) {
    case "all": threshold = members.count
    case "any": threshold = 1
    default:
      guard let parsed = Decimal.parse(words[2]), (1...UInt64(members.count)).contains(parsed) else {
        throw .threshold(Self.text(words[2]), members: members.count)
      }
      threshold = Int(parsed)
    }
    guard groups.count < EvidenceLimits.policyEntryCountMaximum else { throw .tooMany }
    try define(words[1], .group(groups.count), number)
    groups.append(TrustPolicy.Group(threshold: threshold, members: members))
  }

  private mutating func takeQuorum(_ words: [Word], _ number: Int) throws(PolicyFlaw.Problem) {
    guard words.count == 2 else { throw .form("quorum <name|none>") }
    if let quorum { throw .quorumTwice(line: quorum.line) }
    quorum = (Self.text(words[1]), words[1] == Self.none ? nil : try resolve(words[1]), number)
  }

  private mutating func takeKey(
    _ word: Word, _ kind: VerifierKey.Kind, _ number: Int
  ) throws(PolicyFlaw.Problem) -> VerifierKey {
    let key: VerifierKey
    guard let text = String(validating: word, as: UTF8.self) else { throw .key(.notAVerifierKey) }
    do throws(VerifierKeyFlaw) { key = try VerifierKey(text: text) } catch { throw .key(error) }
    guard key.kind == kind else { throw .wrongKind }
    if let line = keyLines[kind]?[key.key.raw] { throw .keyTwice(line: line) }
    keyLines[kind, default: [:]][key.key.raw] = number
    return key
  }

  private mutating func define(
    _ word: Word, _ member: TrustPolicy.Member, _ number: Int
  ) throws(PolicyFlaw.Problem) {
    guard word != Self.none, word.count <= EvidenceLimits.keyNameByteCountMaximum else {
      throw .badName(String(Self.text(word).prefix(40)))
    }
    if let other = names[word] { throw .nameTwice(Self.text(word), line: other.line) }
    names[word] = (member, number)
  }

  private func resolve(_ word: Word) throws(PolicyFlaw.Problem) -> TrustPolicy.Member {
    if let found = names[word] { return found.member }
    if let line = definedLines[word] { throw .nameComesLater(Self.text(word), line: line) }
    throw .unknownName(String(Self.text(word).prefix(40)))
  }
}
