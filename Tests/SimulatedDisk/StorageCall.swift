public import Journal
public import SystemPackage

/// One call into a storage, by the name that tests and crash points know it by.
public struct StorageCall: Sendable, Hashable {
  /// Kind of file and operation, such as `segment.write`, `preallocating.rename`, `directory.synchronize`.
  public let name: String
  /// Counts all calls from 1.
  public let number: Int
  /// Counts the calls of this name from 1.
  public let occurrence: Int
  public let operation: StorageError.Operation
  public let path: FilePath
}

/// Where inside a call a hook is asked.
public enum StorageMoment: String, Sendable, CaseIterable {
  /// Nothing has happened.
  case before
  /// Writes only: half of the bytes are written, none is durable.
  case half
  /// Writes only: all bytes are written, none is durable by this call.
  case written
  /// All has happened, durability included.
  case after
}

/// What a file is, told from its path: the first half of a call's name.
///
/// `000000000001.segment` is a `segment`, `next.preallocating` is `preallocating`, the journal's directory is
/// `directory`; any other file is named by its extension, or by its whole name in lower case. What lies in a folder
/// below the journal's has the folder's name before it: `archive-segment`, `archive-directory`.
public enum FileKind {
  static let homeFolders: Set<String> = ["journal"]

  public static func of(file path: FilePath) -> String {
    let name = path.lastComponent?.string ?? "root"
    let kind =
      switch name.split(separator: ".").last {
      case let last? where last.count < name.utf8.count: last.lowercased()
      default: name.lowercased()
      }
    return folderPrefix(path.removingLastComponent()) + kind
  }

  public static func of(directory path: FilePath) -> String { folderPrefix(path) + "directory" }

  /// Empty for a folder called `journal`, and for one whose folder above is not called so.
  private static func folderPrefix(_ folder: FilePath) -> String {
    guard let name = folder.lastComponent?.string, !homeFolders.contains(name),
      let above = folder.removingLastComponent().lastComponent?.string, homeFolders.contains(above)
    else { return "" }
    return name + "-"
  }
}
