import Fuzzing
import JournalFormat
import Transparency

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// The first byte chooses what the rest is; with its fourth bit, what is to be signed is signed first, since nobody
/// finds a signature by trying.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  let choice = input.byte()
  let isSigned = choice & 8 != 0
  switch choice % 8 {
  case 0: readNote(input.remainder())
  case 1: readProof(input.remainder(), isSigned: isSigned)
  case 2: askWitness(input.remainder(), isSigned: isSigned)
  case 3: readPolicy(input.remainder())
  case 4: answerLog(&input)
  case 5: readKey(input.remainder())
  default: readRecord(input.remainder())
  }
  return 0
}

private enum World {
  static let log = NoteSigner(
    name: name("log.example/main"), key: key("MC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"))
  static let witness = Cosigner(
    name: name("witness.example/w"), key: key("MC4CAQAwBQYDK2VwBCIEIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC"))
  static let now: UInt64 = 1_770_800_000
  static let policy: TrustPolicy = {
    let text = "log \(log.verifierKey.text)\nwitness w \(witness.verifierKey.text)\nquorum none\n"
    guard let policy = try? TrustPolicy(text: Array(text.utf8)) else { fatalError("violated: a good policy is read") }
    return policy
  }()

  private static func name(_ text: String) -> KeyName {
    guard let name = KeyName(text) else { fatalError("violated: a good name is one") }
    return name
  }

  private static func key(_ base64: String) -> AuditKey {
    guard let key = try? AuditKey(pem: "-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n") else {
      fatalError("violated: a good key is read")
    }
    return key
  }
}

/// A refusal is one line, and not a copy of what was refused.
private func expectLine(_ error: some Error) {
  let text = "\(error)"
  require(!text.isEmpty && text.utf8.count < 2_000 && !text.utf8.contains(0x0A), "a refusal is one line")
}

/// The note at the end of `bytes`, after `head` of them is passed over, with a signature of the log.
private func signed(_ bytes: [UInt8], isSigned: Bool) -> [UInt8] {
  guard isSigned, let note = bytes.indices.dropFirst().first(where: { bytes[$0] == 0x0A && bytes[$0 - 1] == 0x0A }),
    let made = try? World.log.sign(Array(bytes[(note + 1)...]))
  else { return bytes }
  return Array(bytes[...note]) + made.bytes
}

private func readNote(_ bytes: [UInt8]) {
  let note: SignedNote
  do throws(NoteFlaw) { note = try SignedNote(bytes) } catch { return expectLine(error) }
  require(note.bytes == bytes, "what is read is written the same")
  require(note.text.last == 0x0A && !note.signatures.isEmpty, "a note has a text and signatures")
  require((try? note.verify(with: [])) == nil, "nobody has signed whom nobody knows")
  if let verified = try? note.verify(with: [World.log.verifierKey, World.witness.verifierKey]) {
    require(!verified.isEmpty, "who is not named has not signed")
  }
  do throws(LogCheckpointFlaw) {
    let checkpoint = try LogCheckpoint(text: note.text)
    require(checkpoint.text == note.text, "a checkpoint is written as it was read")
    require(checkpoint.head.size <= EvidenceLimits.numberMaximum, "sizes are within bounds")
  } catch {
    expectLine(error)
  }
}

private func readProof(_ bytes: [UInt8], isSigned: Bool) {
  let bytes = signed(bytes, isSigned: isSigned)
  do throws(ProofRefusal) {
    let proof = try LogProof(bytes)
    require(proof.bytes == bytes, "what is read is written the same")
    require(proof.hashes.count <= MerkleProof.maximumCount, "no more hashes than a tree is high")
    let endorsement = try proof.check(World.policy)
    require(proof.index < endorsement.checkpoint.head.size, "what holds is in the tree")
    require(proof.record != nil, "what holds shows its record")
  } catch {
    expectLine(error)
  }
}

private func askWitness(_ bytes: [UInt8], isSigned: Bool) {
  let bytes = signed(bytes, isSigned: isSigned)
  if let request = try? AddCheckpointRequest(bytes) { require(request.bytes == bytes, "a request is written the same") }
  var witness = Witness(cosigner: World.witness, logs: [World.log.verifierKey])
  let origin = World.log.verifierKey.name
  guard let decision = try? witness.received(bytes, unixSeconds: World.now) else {
    fatalError("violated: a witness can sign")
  }
  require([200, 400, 403, 404, 409, 422].contains(decision.answer.status), "an answer is one of those that there are")
  require(decision.answer.body.hasSuffix("\n"), "an answer ends with its line")
  require((decision.record != nil) == (decision.answer.status == 200), "what is cosigned is remembered, nothing else")
  require(witness.record(of: origin) == decision.record, "it knows what it remembers")
  guard let record = decision.record else { return }
  require((try? WitnessRecord(record.bytes)) == record, "a record is read as it was written")
  // Once more: from 0 there is nothing new to say, unless the tree is empty.
  let again = try? witness.received(bytes, unixSeconds: World.now)
  require(again?.answer.status == (record.head.size == 0 ? 200 : 409), "the second time it knows better")
}

private func readPolicy(_ bytes: [UInt8]) {
  // A key is too long to be found: L and W stand for two.
  let text = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { word -> [UInt8] in
    let end = word.firstIndex { $0 == 0x0A } ?? word.endIndex
    switch String(decoding: word[..<end], as: UTF8.self) {
    case "L": return Array(World.log.verifierKey.text.utf8) + word[end...]
    case "W": return Array(World.witness.verifierKey.text.utf8) + word[end...]
    default: return Array(word)
    }
  }
  do throws(PolicyFlaw) {
    let policy = try TrustPolicy(text: Array(text.joined(separator: [UInt8(ascii: " ")])))
    require(!policy.logs.isEmpty, "a policy names a log")
    require(Set(policy.witnesses.map(\.key.key)).count == policy.witnesses.count, "no witness counts twice")
    let note = try? World.log.sign(LogCheckpoint(origin: World.log.verifierKey.name, head: .empty))
    guard let note else { fatalError("violated: a log can sign") }
    if let endorsement = try? policy.judge(note) {
      require(endorsement.cosigned.isEmpty && policy.quorumName == "none", "no witness, no quorum")
    }
  } catch {
    expectLine(error)
  }
}

/// A status, a type and a body, as a witness might answer with.
private func answerLog(_ input: inout FuzzInput) {
  let status = [200, 400, 403, 404, 409, 422, 500, 0][Int(input.byte() % 8)]
  let type = input.byte() % 2 == 0 ? "text/plain" : WitnessAnswer.sizeContentType
  let checkpoint = LogCheckpoint(origin: World.log.verifierKey.name, head: TreeHead(size: 20, root: .zero))
  guard let note = try? World.log.sign(checkpoint) else { fatalError("violated: a log can sign") }
  var round = CosigningRound(note, checkpoint, witness: World.witness.verifierKey, knownSize: UInt64(input.byte()))
  let body = input.remainder()
  var asked = 1
  while case .ask(let oldSize) = round.received(
    .answered(status: status, contentType: type, body: body), unixSeconds: World.now)
  {
    asked += 1
    require(oldSize <= 20, "nobody is asked from beyond the tree")
    require(asked <= EvidenceLimits.witnessAskCountMaximum, "nobody is asked for ever")
  }
}

private func readKey(_ bytes: [UInt8]) {
  guard let text = String(validating: bytes, as: UTF8.self) else { return }
  do throws(VerifierKeyFlaw) {
    require(Array(try VerifierKey(text: text).text.utf8) == bytes, "a key is written as it was read")
  } catch {
    expectLine(error)
  }
}

private func readRecord(_ bytes: [UInt8]) {
  do throws(WitnessRecordFlaw) {
    let record = try WitnessRecord(bytes)
    require(record.bytes == bytes, "a record is written as it was read")
    var witness = Witness(cosigner: World.witness, logs: [World.log.verifierKey])
    try witness.restore(record)
    require(witness.record(of: record.origin) == record, "what is restored is known")
  } catch {
    expectLine(error)
  }
}
