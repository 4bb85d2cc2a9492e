import EntityRuntime
import EventSourcing
import Journal
import Synchronization
import SystemPackage

/// Keeps the states of entities that fell asleep since the last snapshot.
///
/// Not durable and never read after a restart: journal and snapshot have all of it. The file goes when the last place
/// in it is let go.
final class SpillFile: StateFile {
  enum Failure: Error { case shortRead }

  private let path: FilePath
  private let storage: any JournalStorage
  private let file: any StorageFile
  /// Where the next image goes; the lock also keeps reads and writes apart.
  private let end = Mutex(0)

  /// - Throws: `StorageError`.
  init(path: FilePath, storage: any JournalStorage) throws(StorageError) {
    self.path = path
    self.storage = storage
    file = try storage.open(path, .create)
  }

  deinit {
    file.close()
    try? storage.remove(path)
  }

  var byteCount: Int { end.withLock { $0 } }

  /// Blocks for one write.
  /// - Throws: `StorageError`; the places of these images are not used then.
  func put(_ images: [EntityImage]) throws -> [StatePlace] {
    try end.withLock { end in
      var bytes: [UInt8] = []
      var places: [StatePlace] = []
      places.reserveCapacity(images.count)
      for image in images {
        let one = image.bytes
        let address = StatePlace.Address(high: UInt64(end + bytes.count), low: UInt64(one.count))
        places.append(StatePlace(file: self, address: address))
        bytes += one
      }
      try bytes.withUnsafeBytes { buffer in
        var done = 0
        while done < buffer.count {
          let part = UnsafeRawBufferPointer(rebasing: buffer[done...])
          let count = try file.write(part, at: end + done, durably: false)
          guard count > 0 else { throw StorageError(.ioError, .write, path) }
          done += count
        }
      }
      end += bytes.count
      return places
    }
  }

  func image(at address: StatePlace.Address) throws -> [UInt8] {
    try end.withLock { _ in
      var bytes = [UInt8](repeating: 0, count: Int(address.low))
      try bytes.withUnsafeMutableBytes { buffer in
        var done = 0
        while done < buffer.count {
          let part = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
          let count = try file.read(into: part, at: Int(address.high) + done)
          guard count > 0 else { throw Failure.shortRead }
          done += count
        }
      }
      return bytes
    }
  }
}
