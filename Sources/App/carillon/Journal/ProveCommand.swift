import ArgumentParser
import Engine
import EventSourcing
import Journal
import JournalFormat
import SystemPackage
import TextEncoding
import Transparency

/// `carillon journal prove`: of a record that it stands in the log, for whoever trusts nobody here.
struct ProveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove", abstract: "Prove that records stand in the log that has been signed.",
    discussion: """
      With --position, and with --entity and --sequence, OUT is one .tlog-proof; else a folder with one for each record, the \
      checkpoint, and records.txt, which tells what they are. A proof shows its record whole, keys too, and of all others \
      nothing. `journal check` checks it, and so do Journal/Evidence/check-proof.py and others' tools for C2SP tlog-proof.
      """)

  @OptionGroup var proof: ProofArguments
  @Option(help: "The record with this number.") var position: UInt64?
  @Option(help: "The records of this entity, as kind:key.") var entity: EntityArgument?
  @Option(help: "Of the entity, only the record with this number of its own.") var sequence: UInt64?
  @Option(help: "All records of this customer; as in `journal timeline`.") var subject: String?
  @Option(help: "What became of a push: DEVICE/ID, as operators are told of them.") var push: PushArgument?
  @Option(name: .shortAndLong, help: "The file or folder to write, which must not exist.") var out: String

  func validate() throws {
    guard [position != nil, entity != nil, subject != nil, push != nil].filter(\.self).count == 1 else {
      throw ValidationError("Name one of --position, --entity, --subject and --push.")
    }
    guard sequence == nil || entity != nil else { throw ValidationError("--sequence goes with --entity.") }
    if position == 0 { throw ValidationError("Records are counted from 1.") }
    if subject?.isEmpty == true { throw ValidationError("--subject must not be empty.") }
  }

  func run() throws {
    try reporting {
      if let position { return try prove(position) }
      try proof.proving(0) { prover, reader in
        let found = try FoundRecords(
          question, upTo: prover.checkpoint.head.size, reader, index: try proof.journal.index(),
          maximum: Limits.proofsMaximum, in: .carillon)
        try prove(found, prover)
      }
    }
  }

  private var question: TimelineQuestion {
    if let subject { return .subject(subject) }
    if let push { return .message(push.id) }
    return entity.map { .entity($0.id) } ?? .everything
  }

  // MARK: One

  private func prove(_ position: UInt64) throws {
    try proof.proving(position) { prover, _ in
      let (record, proof) = try prover.prove(position)
      try write(record, proof, prover)
    }
  }

  private func write(_ record: RecordEvidence, _ proof: LogProof, _ prover: RecordProver) throws {
    try NewFile.create(out, proof.bytes, mode: .ownerReadWrite)
    for line in ProvenText(prover).lines(record, []) { Console.print(line) }
    Console.print("written  \(out): carillon journal check \(out) --policy FILE")
  }

  // MARK: Many

  private func prove(_ found: FoundRecords, _ prover: RecordProver) throws {
    if sequence != nil {
      var one: RecordEvidence?
      try prover.read(found.positions) { if one == nil, isWanted($0) { one = $0 } }
      guard let one else { throw nothing(prover) }
      return try write(one, try prover.prove(one), prover)
    }
    let folder = try ProofFolder(out)
    do {
      let count = try fill(folder, found, prover)
      guard count > 0 else { throw nothing(prover) }
      try folder.add("checkpoint", prover.note.bytes)
      try folder.finish()
      Console.print("\(count) records of \(prover.checkpoint.origin), in its tree of \(prover.checkpoint.head.size)")
      Console.print("written  \(out): carillon journal check \(out) --policy FILE")
    } catch {
      folder.giveUp()
      throw error
    }
  }

  private func fill(_ folder: ProofFolder, _ found: FoundRecords, _ prover: RecordProver) throws -> Int {
    let entries = Dictionary(grouping: found.entries, by: \.position)
    let text = ProvenText(prover)
    var lines: [String] = []
    var count = 0
    try prover.read(found.positions) { record in
      guard isWanted(record) else { return }
      count += 1
      try folder.add(EvidenceBundle.proofName(record.position), try prover.prove(record).bytes)
      lines += text.lines(record, entries[record.position] ?? []) + [""]
    }
    try folder.add("records.txt", Array(lines.joined(separator: "\n").utf8))
    return count
  }

  /// A timeline tells also what others have recorded of an entity, or of a push to other devices.
  private func isWanted(_ record: RecordEvidence) -> Bool {
    guard let content = record.content else { return false }
    return content.body.withUnsafeBytes { body in
      guard let view = RecordView(body: body, position: record.position, frameTimeMilliseconds: 0) else { return false }
      if let push { return view.keyText == push.device }
      guard let entity = entity?.id else { return true }
      return view.kind == entity.kind.rawValue && view.keyText == entity.key
        && (sequence == nil || view.sequence == sequence)
    }
  }

  private func nothing(_ prover: RecordProver) -> CommandFailure {
    CommandFailure(
      .failure, "none of the \(prover.checkpoint.head.size) records of the checkpoint is what was asked for")
  }
}

/// `--push`: `DEVICE/ID`.
struct PushArgument: ExpressibleByArgument {
  let device: String
  let id: String

  init?(argument: String) {
    guard let slash = argument.lastIndex(of: "/"), slash > argument.startIndex,
      argument.index(after: slash) < argument.endIndex
    else { return nil }
    device = String(argument[..<slash])
    id = String(argument[argument.index(after: slash)...])
  }
}

/// What a proof is of, for a person to read.
struct ProvenText {
  private let checkpoint: LogCheckpoint

  init(_ prover: RecordProver) { checkpoint = prover.checkpoint }

  func lines(_ record: RecordEvidence, _ entries: [TimelineEntry]) -> [String] {
    var text = TimelineText()
    var lines = ["record   \(record.position) of \(checkpoint.origin), in its tree of \(checkpoint.head.size) records"]
    lines += entries.map { "tells    \(text.line($0))" }
    lines.append("leaf     \(record.leaf)")
    guard let content = record.content,
      let disclosed = DisclosedRecord(salt: content.salt, body: content.body)
    else { return lines }
    lines.append("salt     \(Hexadecimal.encode(content.salt))")
    lines.append("content  \(disclosed.line(position: record.position) ?? "not one that this version can read")")
    return lines
  }
}
