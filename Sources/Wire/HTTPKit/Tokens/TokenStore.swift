import EntityRuntime
package import EventSourcing
import Synchronization
import TextEncoding

/// The access tokens of agents, supervisors, bots, operators and app servers, in `tokens.json` of the data directory (mode 0600).
///
/// Secrets are 32 random bytes behind the prefix `car_`; only their SHA-256 is stored. `carillon token` and the running
/// server open the same file: each look-up asks for the file's version, so a revocation holds from the next request on.
/// Any thread may call; the calls read and write the disk, which for this small file takes microseconds.
public final class TokenStore: Sendable {
  private struct Cache {
    var version: TokenFile.Version?
    let tokens: [AccessToken]
    let senders: SenderTable
    /// When the version was asked for last.
    var checkedAt: ContinuousClock.Instant
  }

  let file: TokenFile
  private let cache: Mutex<Cache?>
  private let followers = Mutex<[@Sendable () -> Void]>([])
  package let now: @Sendable () -> Timestamp
  package let shortLived: ShortLivedToken
  /// Nil: nobody signs in.
  let sessions: (any SessionReader)?
  /// Names that people are just being signed in with.
  let claims = Mutex<[String: NameClaim]>([:])

  /// - Parameter directory: must exist; the file is made with the first token.
  /// - Throws: `.storage` or `.malformed` if a file is there that cannot be read.
  public convenience init(directory: String) throws(TokenStoreError) {
    try self.init(directory: directory, now: { SystemTime().now })
  }

  package init(directory: String, now: @escaping @Sendable () -> Timestamp) throws(TokenStoreError) {
    file = TokenFile(directory: directory)
    cache = Mutex(nil)
    self.now = now
    shortLived = ShortLivedToken()
    sessions = nil
    _ = try list()
  }

  /// The same tokens, which open sessions act as.
  package init(_ tokens: TokenStore, opening sessions: any SessionReader) {
    file = tokens.file
    cache = Mutex(nil)
    now = tokens.now
    shortLived = tokens.shortLived
    self.sessions = sessions
  }

  /// Makes a token.
  /// - Parameter name: whose it is: 1 to 64 printable bytes, unique among the usable tokens and, where sessions are
  ///   known, the people who are signed in without one.
  /// - Parameter sender: for the role `sender`, and for that one only.
  /// - Parameter services: that its holder has to do with; empty for all. For roles that take part in chats.
  /// - Returns: the secret, which can never be shown again.
  public func create(
    name: String, role: TokenRole, sender: SenderGrant? = nil, services: [String] = []
  ) throws(TokenStoreError) -> String {
    let services = try Self.checked(services, role)
    guard (sender != nil) == (role == .sender), sender?.isValid ?? true else {
      throw TokenStoreError(
        .invalidSender, "a sender's id and project have 1 to 64 letters, digits or -_.: and no other role has them")
    }
    guard Self.isName(name) else {
      throw TokenStoreError(.invalidName, "a token's name has 1 to 64 bytes and no control characters")
    }
    let secret = Self.makeSecret()
    let token = AccessToken(
      id: Self.makeID(), name: name, role: role, createdAt: now().iso8601, revokedAt: nil,
      digest: Self.digest(of: secret), sender: sender, services: services)
    try file.locked { () throws(TokenStoreError) in
      var content = try file.read()
      let tokens = content.tokens
      guard !tokens.contains(where: { $0.isUsable && $0.name == name }) else {
        throw TokenStoreError(.nameTaken, "there is a usable token named \(name) already: revoke it first")
      }
      try requireNobody(called: name, but: token.id)
      guard tokens.count < EdgeLimits.tokensMaximum else {
        throw TokenStoreError(.limitReached, "there are \(tokens.count) tokens already")
      }
      content.tokens.append(token)
      try file.replace(by: content)
    }
    return secret
  }

  /// Gives the holder of a token another secret in one step: the old one is useless from the next request on.
  /// - Parameter idOrName: of a usable token.
  /// - Returns: the new secret, which can never be shown again.
  public func rotate(_ idOrName: String) throws(TokenStoreError) -> (secret: String, token: AccessToken) {
    let secret = Self.makeSecret()
    return try file.locked { () throws(TokenStoreError) in
      var content = try file.read()
      let place = try Self.place(of: idOrName, in: content.tokens)
      guard content.tokens.count < EdgeLimits.tokensMaximum else {
        throw TokenStoreError(.limitReached, "there are \(content.tokens.count) tokens already")
      }
      let time = now().iso8601
      let fresh = content.tokens[place].renewed(id: Self.makeID(), createdAt: time, digest: Self.digest(of: secret))
      content.tokens[place].revokedAt = time
      content.tokens.append(fresh)
      try file.replace(by: content)
      return (secret, fresh)
    }
  }

  /// Whether `secret` is that of the usable token with this id or name.
  public func isSecret(_ secret: String, of idOrName: String) -> Bool {
    token(for: secret).map { $0.id == idOrName || $0.name == idOrName } ?? false
  }

  /// Whether somebody may be called so.
  package static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  /// In the order of their names, each once; nil for all. - Throws: `.invalidServices`.
  package static func checked(_ services: [String], _ role: TokenRole) throws(TokenStoreError) -> [String]? {
    guard !services.isEmpty else { return nil }
    guard role.takesPartInChats else {
      throw TokenStoreError(.invalidServices, "a token of the role \(role.rawValue) has no services")
    }
    let names = Set(services).sorted()
    guard names.count <= EdgeLimits.servicesByTokenMaximum else {
      throw TokenStoreError(.invalidServices, "a token names at most \(EdgeLimits.servicesByTokenMaximum) services")
    }
    for name in names {
      guard (1...EdgeLimits.serviceNameBytesMaximum).contains(name.utf8.count),
        name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
      else {
        throw TokenStoreError(
          .invalidServices, "a service's name has 1 to \(EdgeLimits.serviceNameBytesMaximum) bytes and no blanks")
      }
    }
    return names
  }

  /// Makes the token useless from the next request on.
  /// - Parameter idOrName: of a usable token.
  @discardableResult
  public func revoke(_ idOrName: String) throws(TokenStoreError) -> AccessToken {
    try file.locked { () throws(TokenStoreError) in
      var content = try file.read()
      let place = try Self.place(of: idOrName, in: content.tokens)
      content.tokens[place].revokedAt = now().iso8601
      try file.replace(by: content)
      return content.tokens[place]
    }
  }

  /// Whoever follows is told when a session has been opened or is over; and when somebody has looked at the tokens and
  /// the file was another than before, whoever has changed it: on the thread that looked.
  package func onChange(_ follower: @escaping @Sendable () -> Void) {
    followers.withLock { $0.append(follower) }
    sessions?.onChange(follower)
  }

  /// All tokens, revoked ones included, oldest first.
  public func list() throws(TokenStoreError) -> [AccessToken] {
    try current().tokens
  }

  private func current() throws(TokenStoreError) -> Cache {
    let checkedAt = ContinuousClock.now
    // The version is asked for before the content: a change in between is then seen at the next look-up.
    let version = try file.version()
    if var cached = cache.withLock({ $0 }), cached.version == version {
      cached.checkedAt = checkedAt
      cache.withLock { [cached] in $0 = cached }
      return cached
    }
    let tokens = try file.read().tokens
    let fresh = Cache(version: version, tokens: tokens, senders: SenderTable(tokens), checkedAt: checkedAt)
    let isChange = cache.withLock { cache in
      defer { cache = fresh }
      return cache != nil
    }
    if isChange { for follower in followers.withLock({ $0 }) { follower() } }
    return fresh
  }

  /// The senders' keys, as they were at most `EdgeLimits.senderKeyStaleness` ago. A file that cannot be read opens
  /// nothing.
  package func senders() -> SenderTable {
    if let cached = cache.withLock({ $0 }), ContinuousClock.now - cached.checkedAt < EdgeLimits.senderKeyStaleness {
      return cached.senders
    }
    return freshSenders
  }

  /// What `find` finds among the senders' keys, as they were at most that long ago; what it does not find there may be newer
  /// than that, and is looked for as they are now.
  func sender<Found>(_ find: (SenderTable) -> Found?) -> Found? { find(senders()) ?? find(freshSenders) }

  private var freshSenders: SenderTable { (try? current())?.senders ?? SenderTable([]) }

  /// No usable token: the server listens on loopback only.
  public var isEmpty: Bool { (try? list())?.contains { $0.isUsable } != true }

  /// The usable token that `secret` belongs to. A file that cannot be read opens nothing.
  package func token(for secret: String) -> AccessToken? {
    guard secret.utf8.count <= EdgeLimits.secretBytesMaximum, let tokens = try? list() else { return nil }
    let digest = Self.digest(of: secret)
    // Every entry is compared in full, whatever was found before.
    var found: AccessToken?
    for token in tokens where token.isUsable {
      if ConstantTime.equal(token.digest, digest) { found = token }
    }
    return found
  }

  static func place(of idOrName: String, in tokens: [AccessToken]) throws(TokenStoreError) -> Int {
    guard let place = tokens.firstIndex(where: { $0.isUsable && ($0.id == idOrName || $0.name == idOrName) }) else {
      throw TokenStoreError(.unknownToken, "no usable token has this id or name")
    }
    return place
  }

  private static func makeSecret() -> String { "car_" + Base64.encodeForURL(randomBytes(32)) }
  private static func makeID() -> String { Hexadecimal.encode(randomBytes(8)) }

  package static func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  package static func digest(of secret: String) -> [UInt8] { SHA256Bytes.of(secret) }
}
