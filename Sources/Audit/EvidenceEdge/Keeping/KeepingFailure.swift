package import Journal
package import SystemPackage

/// Why a witness or a monitor cannot use its directory.
package enum KeepingFailure: Error, Sendable, Equatable {
  /// Nothing was ever said from here: the wrong directory, one that is not mounted, or a new witness's.
  case absent(FilePath)
  /// A file of another kind.
  case foreign(FilePath)
  case inUse(FilePath)
  /// What is wrong with it.
  case damaged(FilePath, String)
  case storage(StorageError)

  /// Runs `body`, whose errors are of this kind, or the disk's.
  static func attempt<Result>(
    in directory: FilePath, _ body: () throws -> Result
  ) throws(KeepingFailure) -> Result {
    do {
      return try body()
    } catch let failure as KeepingFailure {
      throw failure
    } catch let error as StorageError {
      throw error.operation == .lock && error.errno == .wouldBlock ? .inUse(directory) : .storage(error)
    } catch {
      preconditionFailure("the directory of a witness or a monitor fails in one of these ways: \(error)")
    }
  }
}

extension KeepingFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .absent(let path):
      "\(path) is not a witness's directory: mount it, or give --create-state if this witness has never said anything"
    case .foreign(let path): "\(path) is not a file of this program: move it away"
    case .inUse(let path): "\(path) is in use by another process: stop that one first"
    case .damaged(let path, let flaw): "\(path): \(flaw); put it back from a copy"
    case .storage(let error): "\(error)"
    }
  }
}
