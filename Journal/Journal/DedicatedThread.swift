internal import Glibc
internal import SystemPackage

/// One thread outside the cooperative pool, for calls that block.
package final class DedicatedThread: Sendable {
  private let handle: pthread_t

  /// To be joined or detached, once.
  /// - Throws: if the system has no thread left.
  package init(
    stackByteCount: Int = Limits.threadStackByteCount, _ body: @escaping @Sendable () -> Void
  ) throws(StorageError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, stackByteCount)
    defer { pthread_attr_destroy(&attributes) }
    let box = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      throw StorageError(Errno(rawValue: result), .open, "thread")
    }
    handle = thread
  }

  /// Waits for its end.
  func join() { pthread_join(handle, nil) }

  /// Nobody waits for its end.
  package func detach() { pthread_detach(handle) }

  var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
