package import EvidenceEdge
package import Synchronization
import Transparency

/// What a log shows at a moment; the test changes it as it likes.
package final class ShownLog: LogReading {
  package struct Show: Sendable {
    package var log: StandInLog
    package var size: UInt64
    package var cosignedAt: UInt64? = StandInLog.now
    /// In place of what the log has.
    package var files: [String: LogFile] = [:]
    /// What was asked for.
    package var asked: [String] = []
  }

  package let show: Mutex<Show>

  package init(_ log: StandInLog, size: UInt64) { show = Mutex(Show(log: log, size: size)) }

  package func file(_ path: String, byteCountMaximum: Int) async -> LogFile {
    let file = content(path)
    if case .content(let bytes) = file, bytes.count > byteCountMaximum { return .failed("too large") }
    return file
  }

  package func content(_ path: String) -> LogFile {
    show.withLock { show in
      show.asked.append(path)
      if let file = show.files[path] { return file }
      if path == "checkpoint" {
        guard let note = try? show.log.note(show.size, cosignedAt: show.cosignedAt) else { return .absent }
        return .content(note.bytes)
      }
      guard let tile = TileAddress(path: path), let bytes = try? show.log.hashes(of: tile) else { return .absent }
      return .content(bytes)
    }
  }
}
