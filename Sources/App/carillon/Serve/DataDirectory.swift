import Journal
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the journals and the tokens are.
struct DataDirectory {
  let path: FilePath
  /// Where old segments are; nil: with the journals.
  var archive: FilePath?

  var partitions: PartitionStore { PartitionStore(directory: path, archive: archive) }

  /// How its journals lie; one by itself, if none was made yet.
  /// - Throws: `CommandFailure`.
  func layout() throws(CommandFailure) -> PartitionLayout {
    do throws(PartitionError) { return try partitions.read() ?? .single } catch { throw CommandFailure(error) }
  }

  /// Makes sure that it is no partition of another one, whose journal nobody writes by itself.
  /// - Throws: `CommandFailure`.
  func requireWhole() throws(CommandFailure) {
    do throws(PartitionError) { try partitions.requireWhole() } catch { throw CommandFailure(error) }
  }

  /// The journal's own directory below it, of a directory that has one.
  /// - Throws: `CommandFailure` if it has several, or if it cannot be told.
  func onlyJournal() throws(CommandFailure) -> FilePath {
    let layout = try layout()
    guard !layout.hasSeveral else {
      throw CommandFailure(
        .severalPartitions,
        "\(path) has \(layout.count) partitions, and this is done with one journal only: nothing was changed")
    }
    return layout.journal(of: .first, in: path)
  }

  /// Makes sure that nobody else is writing to the directory, and makes nothing: it need not be there.
  /// - Parameter count: how many partitions it has, or is to have.
  /// - Throws: `ServeFailure` with `.dataDirectory`, `.dataDirectoryInUse`, or what is wrong with the partitions.
  func requireFree(partitions count: Int) throws(ServeFailure) {
    let lockFile = Self.lockFile(of: try planned(count), in: path)
    guard access(lockFile.string, F_OK) == 0 else { return }
    try attempt { () throws(StorageError) in try DiskStorage().lock(lockFile).release() }
  }

  /// Makes the directory if it is not there. Each journal takes its lock for good when it opens.
  /// - Parameter count: how many partitions it has, or is to have.
  /// - Returns: how they lie.
  /// - Throws: `ServeFailure` with `.dataDirectory`, `.dataDirectoryInUse`, or what is wrong with the partitions.
  func claim(partitions count: Int) throws(ServeFailure) -> PartitionLayout {
    var layout = try planned(count)
    var failure: PartitionError?
    try attempt { () throws(StorageError) in
      for partition in layout.partitions {
        try DiskStorage().createDirectory(layout.journal(of: partition, in: path))
      }
      let lock = try DiskStorage().lock(Self.lockFile(of: layout, in: path))
      defer { lock.release() }
      guard layout.hasSeveral else { return }
      do throws(PartitionError) { layout = try partitions.make(layout) } catch { failure = error }
    }
    if let failure { throw ServeFailure(failure) }
    return layout
  }

  /// How the journals lie, or are to lie if none was made yet.
  private func planned(_ count: Int) throws(ServeFailure) -> PartitionLayout {
    do throws(PartitionError) {
      if let made = try partitions.read(asking: count) { return made }
    } catch {
      throw ServeFailure(error)
    }
    return count == 1 ? .single : PartitionLayout(count: count, seed: .random(in: .min ... .max))
  }

  /// That of the first journal stands for all.
  private static func lockFile(of layout: PartitionLayout, in path: FilePath) -> FilePath {
    layout.journal(of: .first, in: path).appending("LOCK")
  }

  private func attempt(_ body: () throws(StorageError) -> Void) throws(ServeFailure) {
    do throws(StorageError) {
      try body()
    } catch {
      guard error.operation == .lock, error.errno == .wouldBlock else {
        throw ServeFailure(.dataDirectory, "the data directory cannot be used: \(error)")
      }
      throw ServeFailure(
        .dataDirectoryInUse, "the data directory \(path) is in use by another carillon: stop that one first")
    }
  }
}
