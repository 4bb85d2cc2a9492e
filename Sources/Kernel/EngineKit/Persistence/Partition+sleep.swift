import EntityRuntime
import Logging

extension Partition {
  /// Lets entities leave memory that were not used during the last `sweeps` sweeps, owe nothing and wait for nothing.
  /// They come back with the next command.
  ///
  /// Each call is one sweep. When the disk is full they stay where they are.
  /// - Returns: how many fell asleep.
  @discardableResult
  package func putIdleToSleep(unusedFor sweeps: UInt32) async -> Int {
    context.beginSweep()
    var count = 0
    for shelf in shelves {
      let keys = shelf.awakeKeys
      let chunk = node.limits.snapshotChunkCount
      for start in stride(from: 0, to: keys.count, by: chunk) {
        let part = Array(keys[start..<min(start + chunk, keys.count)])
        do {
          count += try await shelf.putToSleep(part, unusedFor: sweeps) { [self] images in
            let spill = spill
            return try await onThread { try spill.put(images) }
          }
        } catch {
          logger.warning("idle entities stay in memory", metadata: ["reason": "\(error)"])
          return count
        }
      }
    }
    return count
  }
}
