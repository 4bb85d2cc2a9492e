import Journal
import JournalFormat
import SystemPackage

/// Checkpoints and keys as files.
enum CheckpointFile {
  /// More than any of these files has.
  private static let byteCountMaximum = 64 * 1024

  /// Reads a checkpoint and checks its signature.
  ///
  /// - Parameter publicKey: the file of the key that must have signed it; nil for the one that it names.
  static func read(_ file: String, publicKey: String?) throws -> Checkpoint {
    let bytes = try content(file)
    let trusted = try publicKey.map { keyFile in
      let text = try text(keyFile)
      do throws(AuditKeyError) { return try AuditPublicKey(text: text) } catch {
        throw CommandFailure(.usage, "\(keyFile) is \(error)")
      }
    }
    do throws(CheckpointError) {
      let checkpoint = try Checkpoint(text: bytes)
      try checkpoint.checkSignature(trusted: trusted)
      return checkpoint
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
