internal import Glibc
internal import SystemPackage

/// One thread outside the cooperative pool, for calls that block.
final class DedicatedThread: Sendable {
  private let handle: pthread_t

  /// - Throws: if the system has no thread left.
  init(_ body: @escaping @Sendable () -> Void) throws(StorageError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, Limits.threadStackByteCount)
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

  /// Waits for its end; called once.
  func join() { pthread_join(handle, nil) }

  var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
