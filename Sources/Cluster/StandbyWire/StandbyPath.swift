/// What a standby copies of a primary's data directory, by its path below that directory: a closed list, so that no
/// answer can make it write anywhere else, and no request can make the primary read anything else.
///
/// Left out is what each of the two has of its own (`LOCK`, `EPOCH`), what is rebuilt (the tree, the index of records,
/// sleeping states), and whatever is still being written.
public enum StandbyPath: Sendable, Hashable {
  /// A segment in either form, live or archived.
  case segment(number: UInt64, isPacked: Bool, isArchived: Bool)
  case snapshot(position: UInt64)
  /// The edge of the tree at a snapshot's point.
  case edge(position: UInt64)
  /// An erasure that has begun.
  case redactionIntent
  /// A stored file, named by its hash.
  case blob(String)
  /// A signed checkpoint of so many records.
  case checkpoint(size: UInt64)
  /// `tokens.json`.
  case tokens
  /// A provider's token, kept over restarts.
  case providerToken(String)

  /// - Parameter text: relative, with `/` between its components; nil if nothing of that path is copied.
  public init?(_ text: String) {
    guard text.utf8.count <= StandbyLimits.pathByteCountMaximum else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let found: StandbyPath? =
      switch (parts.first, parts.count) {
      case ("tokens.json", 1): .tokens
      case ("provider-tokens", 2): Self.providerToken(named: parts[1])
      case ("checkpoints", 2): Self.number(parts[1], ".checkpoint", digitCount: 20).map { .checkpoint(size: $0) }
      case ("blobs", 3): Self.blob(parts[1], parts[2])
      case ("journal", 2): Self.journalFile(parts[1])
      case ("journal", 3) where parts[1] == "archive": Self.segment(parts[2], isArchived: true)
      case ("journal", 3) where parts[1] == "snapshots": Self.snapshotFile(parts[2])
      default: nil
      }
    // Each has one spelling, so that two paths are one file if and only if they are the same.
    guard let found, found.text == text else { return nil }
    self = found
  }

  /// The path.
  public var text: String {
    switch self {
    case .segment(let number, let isPacked, let isArchived):
      "journal/\(isArchived ? "archive/" : "")\(Self.digits(number, 12))\(isPacked ? ".packed" : ".segment")"
    case .snapshot(let position): "journal/snapshots/\(Self.digits(position, 20)).snapshot"
    case .edge(let position): "journal/snapshots/\(Self.digits(position, 20)).edge"
    case .redactionIntent: "journal/redaction.intent"
    case .blob(let name): "blobs/\(name.prefix(2))/\(name)"
    case .checkpoint(let size): "checkpoints/\(Self.digits(size, 20)).checkpoint"
    case .tokens: "tokens.json"
    case .providerToken(let name): "provider-tokens/\(name)"
    }
  }

  /// Only its owner may read it.
  public var isSecret: Bool {
    switch self {
    case .tokens, .providerToken: true
    case .segment, .snapshot, .edge, .redactionIntent, .blob, .checkpoint: false
    }
  }

  private static func journalFile(_ name: String) -> StandbyPath? {
    name == "redaction.intent" ? .redactionIntent : segment(name, isArchived: false)
  }

  private static func segment(_ name: String, isArchived: Bool) -> StandbyPath? {
    for (suffix, isPacked) in [(".segment", false), (".packed", true)] {
      guard let number = number(name, suffix, digitCount: 12),
        (1...StandbyLimits.numberMaximum).contains(number)
      else { continue }
      return .segment(number: number, isPacked: isPacked, isArchived: isArchived)
    }
    return nil
  }

  private static func snapshotFile(_ name: String) -> StandbyPath? {
    number(name, ".snapshot", digitCount: 20).map { .snapshot(position: $0) }
      ?? number(name, ".edge", digitCount: 20).map { .edge(position: $0) }
  }

  /// 64 digits, in the folder of the first two.
  private static func blob(_ folder: String, _ name: String) -> StandbyPath? {
    let isDigest = name.utf8.count == 64 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return isDigest && name.hasPrefix(folder) ? .blob(name) : nil
  }

  /// As they are made: digests in letters, digits and a few signs. A token that is being written has another name.
  private static func providerToken(named name: String) -> StandbyPath? {
    let isPlain = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || [45, 46, 95].contains(byte)
    }
    return isPlain && !name.isEmpty && !name.hasPrefix(".") && !name.hasSuffix(".new") ? .providerToken(name) : nil
  }

  private static func number(_ name: String, _ suffix: String, digitCount: Int) -> UInt64? {
    guard name.hasSuffix(suffix) else { return nil }
    let digits = name.dropLast(suffix.count)
    guard digits.utf8.count >= digitCount, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return UInt64(digits)
  }

  private static func digits(_ number: UInt64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
