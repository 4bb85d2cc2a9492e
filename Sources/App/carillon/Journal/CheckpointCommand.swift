import ArgumentParser
import EventSourcing
import Journal
import JournalFormat
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `carillon journal checkpoint`: the head of the journal, signed, for safekeeping elsewhere.
struct CheckpointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkpoint",
    abstract: "Verify the journal and write its head, signed, to a file to be kept elsewhere.",
    discussion: """
      The head is the last record that the journal itself knows to be on the disk. `journal verify --against FILE` proves \
      later that history up to there is the same, whatever was appended, archived, packed or erased since.
      """)

  @OptionGroup var journal: JournalArguments
  @Option(help: "The Ed25519 key that signs: PEM, as `journal key` or `openssl genpkey -algorithm ed25519` writes it.")
  var key: String
  @Option(name: .shortAndLong, help: "The file to write, which must not exist; standard output if absent.")
  var out: String?

  func run() throws {
    try reporting {
      let key = try CheckpointFile.key(key)
      var search = JournalHeadSearch()
      _ = try journal.read { reader, line in
        try reader.verify(progress: { line.update($0) }, frame: { search.add($0) })
      }
      guard let head = search.head else {
        throw CommandFailure(.failure, "nothing is known to be on the disk yet: try again when something was written")
      }
      let now = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
      let checkpoint = try Checkpoint(head, made: now.iso8601Milliseconds, key: key)
      if let out {
        try NewFile.create(out, Array(checkpoint.text.utf8), mode: [.ownerReadWrite, .groupRead, .otherRead])
        Console.print("position    \(checkpoint.point.position)")
        Console.print("chain hash  \(checkpoint.point.chainHash)")
        Console.print("public key  \(checkpoint.publicKey.base64)")
        Console.print("written to  \(out): keep it where who can change the journal cannot change it")
      } else {
        Console.write(Array(checkpoint.text.utf8))
      }
    }
  }
}
