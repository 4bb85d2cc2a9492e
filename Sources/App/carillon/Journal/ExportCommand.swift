import ArgumentParser
import Engine
import EventSourcing
import Journal
import JournalFormat
import Transparency

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `carillon journal export`: a customer's whole story with its proofs.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all that happened to one customer, each line with its proof.",
    discussion: """
      For a request for one's data, a complaint, a court. TO is a folder: timeline.html for people, which prints and needs \
      no network; timeline.json for machines; the checkpoint; a .tlog-proof of each record in proofs. What is newer than \
      the checkpoint is not told. Keys are hidden in the story unless --reveal is given; the proofs hold records whole.
      """)

  @OptionGroup var proof: ProofArguments
  @OptionGroup var reveal: RevealArguments
  @Option(help: "The customer; as in `journal timeline`.") var subject: String
  @Option(help: "The folder to write, which must not exist.") var to: String

  func validate() throws {
    if subject.isEmpty { throw ValidationError("--subject must not be empty.") }
  }

  func run() throws {
    try reporting {
      try proof.proving(0) { prover, reader in
        let found = try FoundRecords(
          .subject(subject), upTo: prover.checkpoint.head.size, reader, index: try proof.journal.index(),
          maximum: Limits.proofsMaximum, in: .carillon)
        guard !found.positions.isEmpty else {
          throw CommandFailure(
            .failure,
            "nothing in the \(prover.checkpoint.head.size) records of the checkpoint belongs to the customer \(subject)"
          )
        }
        try write(found, prover)
      }
    }
  }

  private func write(_ found: FoundRecords, _ prover: RecordProver) throws {
    let folder = try ProofFolder(to)
    do {
      try folder.makeFolder(EvidenceBundle.proofsFolder)
      var proven: Set<UInt64> = []
      try prover.read(found.positions) { record in
        guard record.content != nil else { return }
        let name = EvidenceBundle.proofName(record.position)
        try folder.add("\(EvidenceBundle.proofsFolder)/\(name)", try prover.prove(record).bytes)
        proven.insert(record.position)
      }
      let bundle = EvidenceBundle(
        subject: subject, made: Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded())),
        entries: found.entries, proven: proven, note: prover.note, checkpoint: prover.checkpoint, mask: reveal.mask)
      try folder.add("timeline.json", bundle.json + [UInt8(ascii: "\n")])
      try folder.add("timeline.html", Array(bundle.html.utf8))
      try folder.add("checkpoint", prover.note.bytes)
      try folder.finish()
      Console.print("\(found.entries.count) entries, \(proven.count) records proven")
      Console.print("written  \(to): carillon journal check \(to)/\(EvidenceBundle.proofsFolder) --policy FILE")
    } catch {
      folder.giveUp()
      throw error
    }
  }
}
