import Journal
import JournalFormat
import SystemPackage
import Transparency

/// The check of the tree, if there is one; what is wrong with it comes after whatever is wrong with the records.
struct TreeCheck: ~Copyable {
  private var audit: TreeAudit?
  private var fault: TreeError?

  init(directory: FilePath) {
    do throws(TreeError) {
      audit = try TreeAudit(directory: directory)
    } catch {
      // An archive by itself has none, nor has a directory that no server of this version has started on.
      if error != .notMade { fault = error }
    }
  }

  mutating func add(_ frame: FrameInfo) { audit?.add(frame) }

  mutating func add(_ firstPosition: UInt64, _ leaves: FrameLeaves) { audit?.add(firstPosition, leaves) }

  /// - Returns: nil if there is no tree.
  mutating func finish() throws(TreeError) -> TreeHead? {
    if let fault { throw fault }
    try audit?.finish()
    return audit?.head
  }
}
