import Journal
import JournalFormat
import StandbyFollower
import StandbyWire
import SystemPackage

/// The journal of a running server, as far as another has to know it to find out where the two have parted.
struct ServedJournal {
  let journal: OtherJournal
  private let files: [UInt64: StandbyFile]
  private let primary: any Primary
  private let caller: PrimaryCaller

  /// Reads what the server has.
  ///
  /// - Parameter epoch: the highest that the asking directory has heard of: a server of a lower one is told.
  /// - Throws: `PrimaryFailure`.
  init(_ primary: any Primary, epoch: UInt32) async throws(PrimaryFailure) {
    guard let name = StandbyName("rejoin") else { preconditionFailure("a name of six letters is one") }
    caller = PrimaryCaller(name: name, epoch: epoch)
    self.primary = primary
    var (ids, files): ([UInt64: SegmentID], [UInt64: StandbyFile]) = ([:], [:])
    let manifest = try await primary.manifest(caller)
    for segment in manifest.segments {
      ids[segment.number] = segment.id
      files[segment.number] = segment.file
    }
    self.files = files
    journal = OtherJournal(epoch: manifest.epoch, segments: ids)
  }

  /// Puts the file of a segment into a directory, under the name that it has in a journal's.
  ///
  /// - Throws: `PrimaryFailure`; `taker` if it cannot be written.
  func fetch(_ number: UInt64, into directory: FilePath) async throws(PrimaryFailure) {
    guard let file = files[number], let name = FilePath(file.path).lastComponent else { throw .wire(.document) }
    let path = directory.appending(name)
    let target: FileDescriptor
    do {
      target = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
    } catch {
      throw .taker(Self.failure(error, .open, path))
    }
    // What was written is compared with the journal's own, checksum by checksum.
    defer { try? target.close() }
    try await primary.file(file, caller) { piece throws(PrimaryFailure) in
      do {
        try target.writeAll(piece)
      } catch {
        throw .taker(Self.failure(error, .write, path))
      }
    }
  }

  private static func failure(_ error: any Error, _ operation: StorageError.Operation, _ path: FilePath) -> JournalError
  {
    let cause = StorageError((error as? Errno) ?? .ioError, operation, path)
    return cause.isDiskFull ? .storageFull : .storage(cause)
  }
}

extension CommandFailure {
  /// - Parameter url: of the server.
  init(_ failure: PrimaryFailure, of url: String) {
    switch failure {
    case .refused(let refusal): self.init(.unavailable, "\(url) refuses: \(refusal.rawValue)")
    case .status(let status): self.init(.unavailable, "\(url) answers \(status)")
    case .unreachable(let words): self.init(.unavailable, "\(url): \(words)")
    case .wire(let error): self.init(.unavailable, "\(url) sends \(error)")
    case .taker(let error): self.init(error)
    }
  }
}
