import EventSourcing
import Foundation
import Journal
import JournalFormat
import SystemPackage
import Transparency

/// A new folder of proofs and what stands beside them; whole, or not there under its name.
struct ProofFolder {
  let path: String
  private let unfinished: String

  /// - Throws: `CommandFailure` if it is there already, or cannot be made.
  init(_ path: String) throws {
    self.path = path
    unfinished = path + ".writing"
    guard !FileManager.default.fileExists(atPath: path) else { throw NewFile.exists(path) }
    try? FileManager.default.removeItem(atPath: unfinished)
    try attempt {
      try FileManager.default.createDirectory(
        atPath: unfinished, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
  }

  func makeFolder(_ name: String) throws {
    try attempt {
      try FileManager.default.createDirectory(
        atPath: "\(unfinished)/\(name)", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
  }

  /// - Parameter name: inside the folder.
  func add(_ name: String, _ bytes: [UInt8]) throws {
    try NewFile.create("\(unfinished)/\(name)", bytes, mode: [.ownerReadWrite])
  }

  /// All is there: it gets its name.
  func finish() throws {
    try attempt { try FileManager.default.moveItem(atPath: unfinished, toPath: path) }
  }

  /// Nothing of it is left.
  func giveUp() { try? FileManager.default.removeItem(atPath: unfinished) }

  private func attempt(_ body: () throws -> Void) throws {
    do { try body() } catch {
      throw CommandFailure(.dataDirectory, "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}
