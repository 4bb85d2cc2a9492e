import JournalFormat
public import SystemPackage

/// How the journals of a data directory lie in it: one by itself, or several partitions, in a directory each. It stays
/// what it was when the directory was made.
public struct PartitionLayout: Sendable, Equatable {
  /// More than a machine has processors for.
  public static let countMaximum = 64

  /// Partitions in all, at least 1.
  public let count: Int
  /// What decides, with an entity's key, in which partition it lies.
  public let seed: UInt64

  /// Where there is only one.
  public static let single = PartitionLayout(count: 1, seed: 0)

  /// - Precondition: `count` is from 1 to `countMaximum`.
  public init(count: Int, seed: UInt64) {
    precondition((1...Self.countMaximum).contains(count), "a data directory has no such number of partitions")
    self.count = count
    self.seed = seed
  }

  public var hasSeveral: Bool { count > 1 }

  /// In their order.
  public var partitions: [PartitionID] { (0..<UInt16(count)).map { PartitionID(rawValue: $0) } }

  /// What belongs to a partition: its journal, and what sleeps. One alone has the data directory for itself.
  public func directory(of partition: PartitionID, in data: FilePath) -> FilePath {
    hasSeveral ? data.appending(partition.directoryName) : data
  }

  /// The directory of a partition's journal.
  public func journal(of partition: PartitionID, in data: FilePath) -> FilePath {
    directory(of: partition, in: data).appending(Self.journalName)
  }

  /// Where a partition's old segments are, if all archives are to be below `archive`.
  public func archive(of partition: PartitionID, below archive: FilePath?) -> FilePath? {
    hasSeveral ? archive?.appending(partition.directoryName) : archive
  }

  static let journalName = "journal"
}

extension PartitionID {
  /// `p0000`, `p0001`, …
  var directoryName: String {
    let digits = String(rawValue)
    return "p" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }

  /// Nil if that is no partition's directory.
  init?(directoryName name: String) {
    guard name.utf8.count == 5, let number = UInt16(name.dropFirst()),
      PartitionID(rawValue: number).directoryName == name
    else { return nil }
    self.init(rawValue: number)
  }
}

// The text of `PARTITIONS` (`FORMAT.md`, "Partitions").
extension PartitionLayout {
  private static let beginning = "carillon partitions "
  private static let version: UInt32 = 1

  func encoded() -> [UInt8] {
    let text = "\(Self.beginning)\(Self.version)\ncount \(count)\nseed \(Self.hexadecimal(seed))\n"
    let bytes = Array(text.utf8)
    let checksum = bytes.withUnsafeBytes { $0.checksum(seed: 0) }
    return bytes + Array("checksum \(Self.hexadecimal(checksum))\n".utf8)
  }

  /// - Throws: `newerVersion`; `headerDamaged` for all else that is not such a text, byte for byte.
  static func decode(_ bytes: [UInt8]) throws(FormatError) -> PartitionLayout {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, first.hasPrefix(beginning),
      let version = UInt32(first.dropFirst(beginning.count))
    else { throw .headerDamaged }
    guard version <= Self.version else { throw .newerVersion(version) }
    guard lines.count == 5, let count = value(of: "count ", in: lines[1]).flatMap({ Int($0) }),
      (2...countMaximum).contains(count),
      let seed = value(of: "seed ", in: lines[2]).flatMap({ UInt64($0, radix: 16) })
    else { throw .headerDamaged }
    let layout = PartitionLayout(count: count, seed: seed)
    guard layout.encoded() == bytes else { throw .headerDamaged }
    return layout
  }

  private static func value(of name: String, in line: Substring) -> Substring? {
    line.hasPrefix(name) ? line.dropFirst(name.count) : nil
  }

  /// As many digits as the type has.
  private static func hexadecimal(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: type(of: number).bitWidth / 4 - digits.utf8.count) + digits
  }
}
