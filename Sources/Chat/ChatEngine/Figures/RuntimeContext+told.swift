import EngineKit
import EntityRuntime

extension RuntimeContext {
  /// Waits until what was read ahead of the disk may be told.
  func untilTold() async throws(EngineError) {
    do throws(EventLogError) { try await untilDurable() } catch {
      throw error == .failed ? .unavailable : .limitReached("journal")
    }
  }
}
