/// What is wrong with a policy file, and where.
public struct PolicyFlaw: Error, Sendable, Equatable {
  public enum Problem: Sendable, Equatable {
    case tooLarge
    case controlCharacter(UInt8)
    case unknownWord(String)
    /// The line has too few words or too many.
    case form(String)
    case key(VerifierKeyFlaw)
    /// The key is of the other kind: a log's for a witness, or a witness's for a log.
    case wrongKind
    /// The same key stands on line `line`, under whatever name.
    case keyTwice(line: Int)
    /// Too long, or the name `none`, which has a meaning of its own.
    case badName(String)
    case nameTwice(String, line: Int)
    /// Nothing of that name is in the file.
    case unknownName(String)
    /// The name is defined, but not above: a group cannot contain itself, by whatever way.
    case nameComesLater(String, line: Int)
    /// The name is a member already, of the group on line `line`.
    case memberTwice(String, line: Int)
    /// The number is not one from 1 to the number of members.
    case threshold(String, members: Int)
    case quorumTwice(line: Int)
    case tooMany
    case noLog
    case noQuorum
  }

  /// From 1; nil if it is the file as a whole.
  public let line: Int?
  public let problem: Problem

  public init(line: Int?, problem: Problem) {
    self.line = line
    self.problem = problem
  }
}

extension PolicyFlaw: CustomStringConvertible {
  public var description: String { (line.map { "line \($0): " } ?? "") + "\(problem)" }
}

extension PolicyFlaw.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge: "a policy of more than \(EvidenceLimits.policyByteCountMaximum) bytes"
    case .controlCharacter(let byte): "a control character (\(byte)); lines end with a line feed alone"
    case .unknownWord(let word): "\(word) is none of log, witness, group and quorum"
    case .form(let form): "not of the form: \(form)"
    case .key(let flaw): "\(flaw)"
    case .wrongKind: "a key of the wrong kind: a log's key has kind 1, a witness's kind 4"
    case .keyTwice(let line): "the same key as on line \(line)"
    case .badName(let name): "\(name) cannot be a name"
    case .nameTwice(let name, let line): "\(name) is defined on line \(line) already"
    case .unknownName(let name): "\(name) is not defined"
    case .nameComesLater(let name, let line):
      "\(name) is defined on line \(line) only: a group names what stands above it, so that none contains itself"
    case .memberTwice(let name, let line): "\(name) is a member already, on line \(line)"
    case .threshold(let text, let members): "\(text) is not all, any or a number from 1 to \(members)"
    case .quorumTwice(let line): "the quorum is defined on line \(line) already"
    case .tooMany: "more than \(EvidenceLimits.policyEntryCountMaximum) of a kind"
    case .noLog: "the policy names no log"
    case .noQuorum: "the policy has no line quorum"
    }
  }
}
