/// The frozen number of a kind of entity in the journal.
public struct EntityKind: RawRepresentable, Sendable, Hashable, Codable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let chatSession = EntityKind(rawValue: 1)
  public static let cometSession = EntityKind(rawValue: 2)
  public static let pushQueue = EntityKind(rawValue: 3)
  public static let agent = EntityKind(rawValue: 4)
  public static let redactionLog = EntityKind(rawValue: 5)
  public static let device = EntityKind(rawValue: 6)
  public static let installation = EntityKind(rawValue: 7)
  public static let deviceGroup = EntityKind(rawValue: 8)
  public static let broadcast = EntityKind(rawValue: 9)
  public static let callback = EntityKind(rawValue: 10)
  public static let subscription = EntityKind(rawValue: 11)
  public static let stored = EntityKind(rawValue: 12)
  public static let supportRequest = EntityKind(rawValue: 13)
  public static let supportUser = EntityKind(rawValue: 14)
  public static let supportApp = EntityKind(rawValue: 15)
  public static let consoleSession = EntityKind(rawValue: 16)
  public static let cannedReplies = EntityKind(rawValue: 17)

  /// What the journal's tools print and accept.
  private static let names: [EntityKind: String] = [
    .chatSession: "chat", .cometSession: "comet", .pushQueue: "push", .agent: "agent", .redactionLog: "audit",
    .device: "device", .installation: "installation", .deviceGroup: "group", .broadcast: "broadcast",
    .callback: "callback", .subscription: "subscription", .stored: "stored", .supportRequest: "request",
    .supportUser: "user", .supportApp: "app", .consoleSession: "console",
    .cannedReplies: "canned",
  ]

  /// The name that the journal's tools print and accept; nil for a kind that this version does not know.
  public var name: String? { Self.names[self] }

  /// - Parameter name: as printed by `name`.
  public init?(name: some StringProtocol) {
    guard let kind = Self.names.first(where: { $0.value == name })?.key else { return nil }
    self = kind
  }
}

/// Names one entity: its kind and its key, which is unique within the kind.
public struct EntityID: Sendable, Hashable, Codable, CustomStringConvertible {
  public let kind: EntityKind
  public let key: String

  public init(_ kind: EntityKind, _ key: String) {
    self.kind = kind
    self.key = key
  }

  /// `chat:412-0b7c…`, the form that the journal's tools print and accept.
  public var description: String { "\(kind.name ?? String(kind.rawValue)):\(key)" }
}
