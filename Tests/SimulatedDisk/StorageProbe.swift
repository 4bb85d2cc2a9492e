import Journal
import Synchronization
import SystemPackage

/// Names and counts the calls into a storage, asks the hook, and says which call is to fail.
final class StorageProbe: Sendable {
  typealias Hook = @Sendable (StorageCall, StorageMoment) throws(StorageError) -> Void

  private struct State {
    var count = 0
    var counts: [String: Int] = [:]
    var hook: Hook?
    var fault: DiskFault?
    var matchCount = 0
  }

  private let state = Mutex(State())

  var callCount: Int { state.withLock { $0.count } }
  /// Calls by name.
  var callCounts: [String: Int] { state.withLock { $0.counts } }
  var hasHook: Bool { state.withLock { $0.hook != nil } }

  func set(hook: Hook?) { state.withLock { $0.hook = hook } }

  func set(fault: DiskFault?) {
    state.withLock {
      $0.fault = fault
      $0.matchCount = 0
    }
  }

  /// - Returns: the call, and how it is to fail.
  func begin(
    _ operation: StorageError.Operation, _ kind: String, _ path: FilePath
  ) throws(StorageError) -> (call: StorageCall, fault: DiskFault.Outcome?) {
    let name = "\(kind).\(operation.rawValue)"
    let (call, fault, hook) = state.withLock { state in
      state.count += 1
      state.counts[name, default: 0] += 1
      let call = StorageCall(
        name: name, number: state.count, occurrence: state.counts[name, default: 0], operation: operation, path: path)
      var outcome: DiskFault.Outcome?
      if let fault = state.fault, fault.matches(call) {
        state.matchCount += 1
        if state.matchCount == fault.call || (fault.lasts && state.matchCount > fault.call) { outcome = fault.outcome }
      }
      return (call, outcome, state.hook)
    }
    try hook?(call, .before)
    return (call, fault)
  }

  func pass(_ moment: StorageMoment, _ call: StorageCall) throws(StorageError) {
    let hook = state.withLock { $0.hook }
    try hook?(call, moment)
  }
}
