import Journal
import SystemPackage

extension MemoryDisk.State {
  mutating func open(_ path: FilePath, _ mode: StorageOpenMode, _ sectorByteCount: Int) -> Inode? {
    let name = path.string
    if let inode = entries[name] {
      if mode == .create {
        usedByteCount -= inode.size
        inode.truncate()
      }
      return inode
    }
    guard mode == .create, directories.contains(path.removingLastComponent().string) else { return nil }
    let inode = Inode(sectorByteCount: sectorByteCount)
    changeGroup += 1
    change(path, to: inode)
    return inode
  }

  /// False if there is nothing to rename.
  mutating func rename(_ from: FilePath, _ to: FilePath) -> Bool {
    guard let inode = entries[from.string], directories.contains(to.removingLastComponent().string) else {
      return false
    }
    changeGroup += 1
    change(to, to: inode)
    change(from, to: nil)
    return true
  }

  mutating func remove(_ path: FilePath) {
    guard entries[path.string] != nil else { return }
    changeGroup += 1
    change(path, to: nil)
  }

  private mutating func change(_ path: FilePath, to inode: Inode?) {
    let name = path.string
    if let inode {
      inode.linkCount += 1
      // Who has the file open writes to it by its new name.
      inode.kind = FileKind.of(file: path)
      if inode.linkCount == 1 { usedByteCount += inode.size }
    }
    if let old = entries[name] {
      old.linkCount -= 1
      if old.linkCount == 0 { usedByteCount -= old.size }
    }
    entries[name] = inode
    pendingChanges.append(
      MemoryDisk.EntryChange(
        directory: path.removingLastComponent().string, name: name, inode: inode, group: changeGroup))
  }

  mutating func synchronize(directory: String) {
    for change in pendingChanges where change.directory == directory { durableEntries[change.name] = change.inode }
    pendingChanges.removeAll { $0.directory == directory }
  }
}
