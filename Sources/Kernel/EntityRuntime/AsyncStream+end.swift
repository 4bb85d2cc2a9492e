extension AsyncStream.Continuation where Element: Sendable {
  /// Does something once the stream has ended or its reader has left: on a task of its own, soon after.
  ///
  /// `onTermination` is called where the reader's task is cancelled, while the runtime holds that task's lock; `yield` takes
  /// the same lock to wake the reader. Whoever yields under a lock of their own must not wait for that lock in
  /// `onTermination`, or the two wait for each other for ever.
  package func onEnd(_ body: @escaping @Sendable () -> Void) {
    onTermination = { _ in Task.detached { body() } }
  }
}
