import Backup
import Foundation
import Testing

/// What data directories really have, compared with the list of what backups make of it.
enum DataDirectoryList {
  /// Fails if a story that was kept has left a file below a data directory of which nobody has said what it is.
  ///
  /// - Parameter folder: in which the story was played.
  static func check(_ folder: String) throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
      var isDirectory: ObjCBool = false
      return FileManager.default.fileExists(atPath: folder + "/" + $0, isDirectory: &isDirectory)
        && !isDirectory.boolValue
    }
    // A data directory is where tokens or a journal are.
    let directories = Set(
      files.compactMap { file in
        ["/tokens.json", "/journal/LOCK"].first { file.hasSuffix($0) }.map { String(file.dropLast($0.count)) }
      })
    #expect(!directories.isEmpty)
    for file in files {
      guard let directory = directories.first(where: { file.hasPrefix($0 + "/") }) else { continue }
      let path = String(file.dropFirst(directory.count + 1))
      #expect(DataFile(path) != nil, "\(path): what becomes of it in a backup? (DataFile)")
    }
  }
}
