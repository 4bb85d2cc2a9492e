import Journal
import JournalFormat
import SystemPackage

/// Checkpoints and keys as files.
enum CheckpointFile {
  /// More than any of these files has.
  private static let byteCountMaximum = 64 * 1024

  /// Reads a checkpoint and checks its signature.
  ///
  /// - Parameters:
  ///   - publicKey: the file of the key that must have signed it; nil for the one that it names.
  ///   - places: the journals that are to be compared with it.
  static func read(_ file: String, publicKey: String?, of places: [JournalPlace]) throws -> SignedHeads {
    let bytes = try content(file)
    let trusted = try publicKey.map { keyFile in
      let text = try text(keyFile)
      do throws(AuditKeyError) { return try AuditPublicKey(text: text) } catch {
        throw CommandFailure(.usage, "\(keyFile) is \(error)")
      }
    }
    do throws(CheckpointError) {
      // One of several may have a checkpoint by itself.
      let hasOne = places.count == 1 && (places[0].partition == nil || !JointCheckpoint.isMeant(by: bytes))
      guard hasOne || JointCheckpoint.isMeant(by: bytes) else {
        let checkpoint = try Checkpoint(text: bytes)
        try checkpoint.checkSignature(trusted: trusted)
        throw CheckpointError.ofOthers(count: nil, compared: places.count)
      }
      if hasOne {
        let checkpoint = try Checkpoint(text: bytes)
        try checkpoint.checkSignature(trusted: trusted)
        return SignedHeads(
          made: checkpoint.made, publicKey: checkpoint.publicKey, heads: [places[0].partition: checkpoint.head])
      }
      let checkpoint = try JointCheckpoint(text: bytes)
      try checkpoint.checkSignature(trusted: trusted)
      return try SignedHeads(checkpoint, of: places)
    } catch {
      throw CommandFailure(error, file: file)
    }
  }

  static func key(_ file: String) throws -> AuditKey {
    let text = try text(file)
    do throws(AuditKeyError) { return try AuditKey(pem: text) } catch {
      throw CommandFailure(.usage, "\(file) is \(error)")
    }
  }

  private static func text(_ file: String) throws(CommandFailure) -> String {
    String(decoding: try content(file), as: UTF8.self)
  }

  private static func content(_ file: String) throws(CommandFailure) -> [UInt8] {
    do {
      let descriptor = try FileDescriptor.open(FilePath(file), .readOnly, options: .closeOnExec)
      defer { try? descriptor.close() }
      return try [UInt8](unsafeUninitializedCapacity: byteCountMaximum) { buffer, count in
        while count < buffer.count {
          let room = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[count...]))
          let read = try descriptor.read(into: room)
          guard read > 0 else { return }
          count += read
        }
      }
    } catch {
      let isMissing = (error as? Errno) == .noSuchFileOrDirectory
      throw CommandFailure(isMissing ? .missingInput : .dataDirectory, "\(file) cannot be read: \(error)")
    }
  }
}

/// What a checkpoint says of the journals that are compared with it.
struct SignedHeads {
  let made: String
  let publicKey: AuditPublicKey
  /// By `JournalPlace.partition`; none where nothing was known to be on the disk.
  let heads: [PartitionID?: JournalHead]

  init(made: String, publicKey: AuditPublicKey, heads: [PartitionID?: JournalHead]) {
    self.made = made
    self.publicKey = publicKey
    self.heads = heads
  }

  /// - Throws: `ofOthers` if the checkpoint is of another number of journals.
  init(_ checkpoint: JointCheckpoint, of places: [JournalPlace]) throws(CheckpointError) {
    let count = checkpoint.heads.count
    var heads: [PartitionID?: JournalHead] = [:]
    for partition in places.compactMap(\.partition) {
      guard partition.rawValue < count, places.count == 1 || places.count == count else {
        throw .ofOthers(count: count, compared: places.count)
      }
      heads[partition] = checkpoint.heads[Int(partition.rawValue)]
    }
    self.init(made: checkpoint.made, publicKey: checkpoint.publicKey, heads: heads)
  }
}
