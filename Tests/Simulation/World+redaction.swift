import Engine
import EventSourcing
import Journal
import JournalFormat

// A customer asks to be forgotten.
extension World {
  func redact(_ life: Life) {
    let asked = devices.filter { $0.credentials != nil }
    if chance.comes(50), let device = chance.one(of: asked) { return redact(device, life) }
    guard let customer = chance.one(of: customers) else { return }
    let key = customer.userKey
    trace.begin(step, "\(key) is to be forgotten")
    hasRedacted = true
    learn()
    let known = mirror.counts
    ask("redaction", in: life) {
      try await $0.redactions.redact(subject: key, by: "operator", reason: "asked for")
    } then: { [self] result in
      guard case .success = result else { return }
      counts.redactions += 1
      findTraces(of: key, upTo: known, in: life)
    }
  }

  private func redact(_ device: SimulatedDevice, _ life: Life) {
    guard let key = device.key else { return }
    let own = tokens.filter { $0.device == key }
    let subject = chance.one(of: own).map { chance.comes(50) ? $0.text : key } ?? key
    trace.begin(step, "\(device.description) is to be forgotten")
    hasRedacted = true
    device.endings += 1
    device.isBeingForgotten = true
    learn()
    let known = mirror.counts
    ask("redaction", in: life) {
      try await $0.redactions.redact(subject: subject, by: "operator", reason: "asked for")
    } then: { [self] result in
      device.isBeingForgotten = false
      guard case .success = result else { return }
      counts.redactions += 1
      findTraces(of: key, upTo: known, in: life)
      if reference.installations[key]?.isKnown == true { violated(.redactedIsGone, "\(device.description) is known") }
      device.isForgotten()
    }
  }

  /// Nothing of what was written about a customer until then is in the journal any more.
  /// - Parameter counts: how many records each journal had.
  private func findTraces(of key: String, upTo counts: [Int], in life: Life) {
    do {
      for (directory, count) in zip(placement.journalDirectories(below: Self.dataDirectory), counts) {
        try JournalReader(directory: directory, storage: life.disk).forEachRecord { record in
          // A broadcast names whom it has come to; it is nobody's.
          guard record.position <= count, !record.isRedacted, record.kind != EntityKind.broadcast.rawValue else {
            return
          }
          let text = String(decoding: record.payload, as: UTF8.self)
          guard text.firstWord(from: key) == key else { return }
          throw Failure(.redactedIsGone, "record \(record.position) still speaks of \(key)")
        }
      }
    } catch {
      violated(by: error, .journalIsSound)
    }
  }
}

extension String {
  /// The letters, digits and hyphens that `word` begins.
  fileprivate func firstWord(from word: String) -> String {
    var rest = self[...]
    while let range = rest.firstRange(of: word) {
      let end = rest[range.upperBound...].firstIndex { !$0.isNumber } ?? rest.endIndex
      if end == range.upperBound { return word }
      rest = rest[range.upperBound...]
    }
    return ""
  }
}
