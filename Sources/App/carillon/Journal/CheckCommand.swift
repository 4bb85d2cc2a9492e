import ArgumentParser
import EventSourcing
import Journal
import JournalFormat
import SystemPackage
import Transparency

/// `carillon journal check`: whether proofs hold, without the server that made them.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a proof that a log has a record, offline, by a policy of whom to trust.",
    discussion: """
      Needs neither a journal nor a network. FILE is a .tlog-proof, or a folder of them: then each is checked, and the \
      first that does not hold gives the exit code. What a policy is stands in Journal/EVIDENCE.md; \
      Journal/Evidence/check-proof.py says the same without any of this program.
      """)

  @Argument(help: "A proof, or a folder of proofs.") var file: String
  @Option(help: "The file that says which logs and witnesses are trusted.") var policy: String
  @Option(help: "The leaf that the record has to have, 64 hexadecimal digits, if it is known from elsewhere.")
  var leaf: String?

  func validate() throws {
    if let leaf, Hash256(hexadecimal: leaf) == nil {
      throw ValidationError("--leaf is not 64 hexadecimal digits.")
    }
  }

  func run() throws {
    try reporting {
      let policy = try EvidenceFile.policy(policy)
      guard let names = proofsInFolder() else { return try check(file, policy) }
      guard !names.isEmpty else {
        throw CommandFailure(.failure, "\(file) has no file that ends in .\(LogProof.fileExtension)")
      }
      guard names.count <= Limits.proofsMaximum else {
        throw CommandFailure(.usage, "\(file) has more than \(Limits.proofsMaximum) proofs: check them in parts")
      }
      try check(names, policy)
    }
  }

  /// Nil if it is no folder.
  private func proofsInFolder() -> [String]? {
    guard let names = try? DiskStorage().list(FilePath(file)) else { return nil }
    return names.filter { $0.hasSuffix(".\(LogProof.fileExtension)") }.sorted()
  }

  private func check(_ names: [String], _ policy: TrustPolicy) throws(CommandFailure) {
    var first: CommandFailure?
    for name in names {
      Console.print("\(name)")
      do throws(CommandFailure) {
        try check(FilePath(file).appending(name).string, policy)
      } catch {
        if first != nil { Console.remark("\(name): \(error.text)") }
        first = first ?? CommandFailure(error.status, "\(name): \(error.text)")
      }
    }
    if let first { throw first }
    Console.print("all \(names.count) hold")
  }

  private func check(_ file: String, _ policy: TrustPolicy) throws(CommandFailure) {
    let bytes = try EvidenceFile.read(
      file, byteCountMaximum: EvidenceLimits.proofByteCountMaximum, tooLarge: CommandFailure(.tooLarge))
    do throws(ProofRefusal) {
      let proof = try LogProof(bytes)
      let endorsement = try proof.check(policy, expecting: leaf.flatMap { Hash256(hexadecimal: $0) })
      ProvenRecord(proof, endorsement)?.print()
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension CommandFailure {
  init(_ refusal: ProofRefusal) { self.init(ExitStatus(refusal), "does not hold: \(refusal)") }
}
