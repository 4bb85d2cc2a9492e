import Journal
import StandbyWire
import SystemPackage

/// A file on its way to a standby.
package struct ServedFileReader: Sendable {
  private let file: ServedFile
  private let thread: ReadingThread
  private let metrics: StandbyMetrics

  init(_ file: ServedFile, _ thread: ReadingThread, _ metrics: StandbyMetrics) {
    self.file = file
    self.thread = thread
    self.metrics = metrics
  }

  package var byteCount: Int { file.byteCount }
  package var version: String { file.version }

  /// All bytes of a range, piece by piece.
  ///
  /// - Throws: `StorageError`, also if the file ends before the range does; what `send` throws.
  package func send(
    _ range: Range<Int>, _ send: (_ bytes: [UInt8]) async throws -> Void
  ) async throws {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let (start, count) = (offset, min(StandbyLimits.pieceByteCountMaximum, range.upperBound - offset))
      let bytes = try await thread.run { [file] in
        Result { () throws(StorageError) in try file.read(at: start, count: count) }
      }.get()
      guard bytes.count == count else { throw StorageError(.ioError, .read, file.path) }
      try await send(bytes)
      metrics.sent(count)
      offset += count
    }
  }
}
