public import Journal
import Synchronization
public import SystemPackage
import TestSupport

extension MemoryDisk {
  // MARK: What happens to the disk

  /// The disk as a restarted machine finds it: unsynced sectors survive in any combination, some garbled, and unsynced
  /// changes of directories happened or not. Takes no locks with it, and no faults.
  public func powerLoss(seed: UInt64) -> MemoryDisk {
    var generator = SeededGenerator(seed: seed)
    let damage = PowerLossDamage(&generator)
    let copy = MemoryDisk(sectorByteCount: sectorByteCount)
    // The lock keeps other threads from writing while the disk is copied.
    let survivor = state.withLock { state -> State in
      var entries = state.durableEntries
      var decisions: [Int: Bool] = [:]
      for change in state.pendingChanges {
        let survives = decisions[change.group] ?? damage.survives(&generator)
        decisions[change.group] = survives
        if survives { entries[change.name] = change.inode }
      }
      var survivor = State()
      survivor.directories = state.directories
      survivor.adopt(entries) { $0.afterPowerLoss(damage, &generator) }
      survivor.durableEntries = survivor.entries
      return survivor
    }
    copy.state.withLock { $0 = survivor }
    return copy
  }

  /// The disk as the next process finds it after a kill: everything written is there, and what was not synced is not
  /// synced yet. Takes no locks with it, and no faults.
  public func crash() -> MemoryDisk {
    let copy = MemoryDisk(sectorByteCount: sectorByteCount)
    let survivor = state.withLock { state -> State in
      var survivor = State()
      survivor.directories = state.directories
      var copies: [ObjectIdentifier: Inode] = [:]
      func copied(_ inode: Inode) -> Inode {
        if let known = copies[ObjectIdentifier(inode)] { return known }
        let copy = Inode(inode)
        copies[ObjectIdentifier(inode)] = copy
        return copy
      }
      survivor.adopt(state.entries, copied)
      survivor.durableEntries = state.durableEntries.mapValues(copied)
      survivor.pendingChanges = state.pendingChanges.map { change in
        var change = change
        change.inode = change.inode.map(copied)
        return change
      }
      survivor.changeGroup = state.changeGroup
      return survivor
    }
    copy.state.withLock { $0 = survivor }
    return copy
  }

  // MARK: Faults

  /// What goes wrong from now on; nil: nothing. Calls are counted from here.
  public func set(fault: DiskFault?) { probe.set(fault: fault) }

  /// Asked at every moment of every call, by the thread that makes it; what it throws, the call throws. It may copy the
  /// disk, but not call it otherwise.
  public func set(hook: (@Sendable (StorageCall, StorageMoment) throws(StorageError) -> Void)?) {
    probe.set(hook: hook)
  }

  /// Calls so far.
  public var callCount: Int { probe.callCount }
  /// Calls so far, by name.
  public var callCounts: [String: Int] { probe.callCounts }

  /// Bytes that all files together may have; a write beyond it is short, then fails with `noSpace`.
  public var capacity: Int {
    get { state.withLock { $0.capacity } }
    set { state.withLock { $0.capacity = newValue } }
  }

  /// Bytes that all files have.
  public var usedByteCount: Int { state.withLock { $0.usedByteCount } }

  /// One call writes at most so many bytes.
  public var writeByteCountMaximum: Int {
    get { state.withLock { $0.writeByteCountMaximum } }
    set { state.withLock { $0.writeByteCountMaximum = newValue } }
  }

  /// Says of every sync and durable write that it was done, and does none: what no journal survives, for tests of tests.
  public var isLying: Bool {
    get { state.withLock { $0.isLying } }
    set { state.withLock { $0.isLying = newValue } }
  }

  // MARK: Content, without calls

  /// Paths of all files, sorted.
  public var paths: [FilePath] { state.withLock { $0.entries.keys.sorted() }.map { FilePath($0) } }

  /// Nil if there is no such file.
  public func contents(of path: FilePath) -> [UInt8]? { state.withLock { $0.entries[path.string]?.allBytes } }

  /// Puts a file there, durably, with the directories above it.
  public func setContents(of path: FilePath, to bytes: [UInt8]) {
    state.withLock { state in
      state.remove(path)
      let inode = Inode(sectorByteCount: sectorByteCount, bytes: bytes)
      inode.linkCount = 1
      inode.kind = FileKind.of(file: path)
      state.usedByteCount += bytes.count
      state.entries[path.string] = inode
      state.durableEntries[path.string] = inode
      state.pendingChanges.removeAll { $0.name == path.string }
      var above = path.removingLastComponent()
      while !above.components.isEmpty {
        state.directories.insert(above.string)
        above.removeLastComponent()
      }
    }
  }

  /// Changes a file's bytes, durably; nothing happens if it is not there.
  public func update(_ path: FilePath, _ change: (inout [UInt8]) -> Void) {
    guard var bytes = contents(of: path) else { return }
    change(&bytes)
    setContents(of: path, to: bytes)
  }
}

extension MemoryDisk.State {
  /// Takes over entries, each file made by `make` once.
  fileprivate mutating func adopt(_ other: [String: Inode], _ make: (Inode) -> Inode) {
    var made: [ObjectIdentifier: Inode] = [:]
    // In order of names, so that the same seed draws the same numbers for the same file.
    for name in other.keys.sorted() {
      guard let inode = other[name] else { continue }
      let copy = made[ObjectIdentifier(inode)] ?? make(inode)
      made[ObjectIdentifier(inode)] = copy
      if copy.linkCount == 0 { usedByteCount += copy.size }
      copy.linkCount += 1
      copy.kind = FileKind.of(file: FilePath(name))
      entries[name] = copy
    }
  }
}
