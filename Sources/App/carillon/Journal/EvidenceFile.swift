import EvidenceEdge
import Journal
import SystemPackage
import Transparency

/// Policies, keys and proofs as files.
enum EvidenceFile {
  /// - Parameter tooLarge: what is said of a file that has more bytes than that; none of it is read.
  static func read(
    _ file: String, byteCountMaximum: Int, tooLarge: @autoclosure () -> CommandFailure
  ) throws(CommandFailure) -> [UInt8] {
    do throws(StorageError) {
      if let bytes = try EvidenceFiles.read(FilePath(file), byteCountMaximum: byteCountMaximum) { return bytes }
    } catch {
      guard error.errno != .fileTooLarge else { throw tooLarge() }
      throw CommandFailure(.dataDirectory, "\(file) cannot be read: \(error.errno)")
    }
    throw CommandFailure(.missingInput, "\(file) cannot be read: No such file or directory")
  }

  static func policy(_ file: String) throws(CommandFailure) -> TrustPolicy {
    let bytes = try read(
      file, byteCountMaximum: EvidenceLimits.policyByteCountMaximum,
      tooLarge: wrong(PolicyFlaw(line: nil, problem: .tooLarge)))
    do throws(PolicyFlaw) { return try TrustPolicy(text: bytes) } catch { throw wrong(error) }
  }

  private static func wrong(_ flaw: PolicyFlaw) -> CommandFailure {
    CommandFailure(.configuration, "the policy is wrong: \(flaw)")
  }
}
