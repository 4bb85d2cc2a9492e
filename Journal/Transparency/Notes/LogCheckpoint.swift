internal import JournalFormat

/// What a log says of its tree at a moment, as the text of a note. Spec: C2SP tlog-checkpoint.
///
/// ```
/// carillon.example.com/main                       the origin: the log's name, and that of its key
/// 20852163                                        the size
/// CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=    the root
/// ```
public struct LogCheckpoint: Sendable, Hashable {
  public let origin: KeyName
  public let head: TreeHead
  /// Whatever others add; ours have none.
  public let furtherLines: [String]

  /// - Parameter head: of a size up to `EvidenceLimits.numberMaximum`.
  public init(origin: KeyName, head: TreeHead) {
    precondition(head.size <= EvidenceLimits.numberMaximum, "a size is a number that others can count with")
    self.origin = origin
    self.head = head
    furtherLines = []
  }

  /// - Parameter text: a note's.
  /// - Throws: `LogCheckpointFlaw` with the line.
  public init(text: [UInt8]) throws(LogCheckpointFlaw) {
    var lines = TextLines(text[...])
    guard let origin = lines.next().flatMap({ KeyName($0) }) else { throw .badOrigin }
    guard let size = lines.next().flatMap(Decimal.parse) else { throw .badSize }
    guard let root = lines.next().flatMap({ Hash256(base64: $0) }) else { throw .badRoot }
    var further: [String] = []
    while !lines.rest.isEmpty {
      guard let line = lines.next(), !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
        throw .badLine(lines.number)
      }
      further.append(text)
    }
    self.origin = origin
    head = TreeHead(size: size, root: root)
    furtherLines = further
  }

  /// The text to be signed.
  public var text: [UInt8] {
    Array((["\(origin)", "\(head.size)", head.root.base64] + furtherLines).map { $0 + "\n" }.joined().utf8)
  }
}

/// Why a note's text is no checkpoint.
public enum LogCheckpointFlaw: Error, Sendable, Equatable {
  /// The first line is empty, too long, or has a space, a control character or `+`.
  case badOrigin
  case badSize
  case badRoot
  /// A further line that is empty or not ended.
  case badLine(Int)
}

extension LogCheckpointFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badOrigin: "not a checkpoint: its origin is empty, too long, or has a space, a control character or +"
    case .badSize: "not a checkpoint: its second line is not a size"
    case .badRoot: "not a checkpoint: its third line is not a hash"
    case .badLine(let line): "not a checkpoint: its line \(line) is empty"
    }
  }
}
