/// Whether a journal's directory is written by a server of its own or follows another, and in which epoch: the content of
/// the file `EPOCH` (`FORMAT.md`, "Epoch").
public struct JournalEpoch: Sendable, Hashable {
  static let magic: [UInt8] = Array("CARIEPCH".utf8)
  static let version: UInt32 = 1
  /// Of the file.
  public static let byteCount = 32
  /// A promotion passes over fewer epochs than this, so that two of one journal hardly ever begin the same.
  public static let passedOverMaximum: UInt32 = 256
  /// An epoch that is further above the own one is not believed, whoever tells of it: one wrong word would else use up all
  /// that there are, and no server could take over any more. It leaves room for promotions that nobody has told of.
  public static let leapMaximum = 16 * passedOverMaximum

  public enum Role: UInt32, Sendable, CaseIterable {
    /// A server writes it.
    case primary = 1
    /// It is a copy, which grows with what it is a copy of.
    case standby = 2
    /// It is a backup, or being restored from one: nobody writes it before all of it is there and checked.
    case backup = 3
  }

  public var role: Role
  /// Of what a primary writes, at least 1; of a standby, that of the primary which it follows.
  public var own: UInt32
  /// The highest that the directory was told of: higher than its own, another journal has taken its place.
  public var told: UInt32

  public init(role: Role, own: UInt32, told: UInt32) {
    self.role = role
    self.own = own
    self.told = told
  }

  /// Whether a journal that is written in `own` may believe that there is such an epoch.
  public static func isCredible(_ epoch: UInt32, above own: UInt32) -> Bool {
    epoch <= own || epoch - own <= leapMaximum
  }

  /// The file as it goes to the disk.
  public func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.store(role.rawValue, little: 16)
      bytes.store(own, little: 20)
      bytes.store(told, little: 24)
      _ = bytes.closeHeader(magic: Self.magic, version: Self.version)
    }
    return bytes
  }

  /// - Throws: `newerVersion`; `headerDamaged` for all else that is not such a file.
  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(FormatError) -> JournalEpoch {
    guard bytes.count == byteCount else { throw .headerDamaged }
    switch bytes.headerFault(magic: magic, version: version, byteCount: byteCount) {
    case .newerVersion(let version): throw .newerVersion(version)
    case .foreignMagic, .damaged: throw .headerDamaged
    case nil: break
    }
    guard let role = Role(rawValue: bytes.little(16, as: UInt32.self)) else { throw .headerDamaged }
    let epoch = JournalEpoch(
      role: role, own: bytes.little(20, as: UInt32.self), told: bytes.little(24, as: UInt32.self))
    guard epoch.own > 0, epoch.told >= epoch.own else { throw .headerDamaged }
    return epoch
  }
}
