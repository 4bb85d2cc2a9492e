import Foundation
import Synchronization
import Testing

@testable import EngineKit

@Suite("What blocks, on threads of its own")
struct JournalHolderTests {
  private struct NoThread: Error {}

  @Test("is done elsewhere, and its result comes back")
  func elsewhere() async {
    let begun = Mutex(0)
    let holder = JournalHolder(isStepped: false) { body in
      begun.withLock { $0 += 1 }
      Thread { body() }.start()
    }
    #expect(await holder.onThread { 17 } == 17)
    #expect(begun.withLock { $0 } == 1)
    #expect(await JournalHolder(isStepped: false).onThread { pthread_self() } != pthread_self())
  }

  @Test("is done here where the system has no thread left")
  func here() async {
    let holder = JournalHolder(isStepped: false) { _ in throw NoThread() }
    #expect(await holder.onThread { 17 } == 17)
  }

  @Test("is done here, and begins no thread, where everything happens on one")
  func stepped() async {
    let holder = JournalHolder(isStepped: true) { _ in Issue.record("a thread was begun") }
    #expect(await holder.onThread { 17 } == 17)
  }
}
