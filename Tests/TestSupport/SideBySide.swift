import Foundation
import Synchronization

/// Work on threads of its own, where it may wait for locks for ever without keeping anybody else from looking.
package enum SideBySide {
  /// - Returns: whether all came to an end within `limit`.
  package static func ends(within limit: Duration = .seconds(30), _ works: [@Sendable () -> Void]) async -> Bool {
    let left = LeftCount(works.count)
    for work in works {
      Thread.detachNewThread {
        work()
        left.value.subtract(1, ordering: .releasing)
      }
    }
    let deadline = ContinuousClock.now + limit
    while left.value.load(ordering: .acquiring) > 0 {
      guard ContinuousClock.now < deadline else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }

  private final class LeftCount: Sendable {
    let value: Atomic<Int>
    init(_ count: Int) { value = Atomic(count) }
  }
}
