package import EngineKit
package import EventSourcing
import JSONEnvelope
import TextEncoding
package import Transparency

/// All that happened to a customer, for a request for their data, a complaint or a court: a story for people and one for
/// machines, each line with the proof of its record.
///
/// ```
/// timeline.html          for people: prints, needs no network and no script
/// timeline.json          the same for machines
/// checkpoint             what the log and its witnesses have signed
/// proofs/….tlog-proof    of each record that is told of
/// ```
package struct EvidenceBundle: Sendable {
  package let subject: String
  package let made: Timestamp
  package let entries: [TimelineEntry]
  /// Records that have a proof.
  package let proven: Set<UInt64>
  package let note: SignedNote
  package let checkpoint: LogCheckpoint
  private let text: TimelineText

  package static let proofsFolder = "proofs"

  /// - Parameter mask: hides keys from the story; the proofs hold them whole. Nil: they are shown.
  package init(
    subject: String, made: Timestamp, entries: [TimelineEntry], proven: Set<UInt64>, note: SignedNote,
    checkpoint: LogCheckpoint, mask: KeyMask?
  ) {
    (self.subject, self.made, self.entries, self.proven) = (subject, made, entries, proven)
    (self.note, self.checkpoint) = (note, checkpoint)
    text = TimelineText(mask: mask)
  }

  /// `000000000012.tlog-proof`.
  package static func proofName(_ position: UInt64) -> String {
    let digits = String(position)
    return String(repeating: "0", count: max(0, 12 - digits.count)) + digits + "." + LogProof.fileExtension
  }

  private func proofPath(_ entry: TimelineEntry) -> String? {
    proven.contains(entry.position) && entry.entity != nil
      ? "\(Self.proofsFolder)/\(Self.proofName(entry.position))" : nil
  }

  // MARK: For machines

  /// One object: `subject`, `made`, `origin`, `records` and `root` of the checkpoint, `entries` as `journal timeline
  /// --format json` prints them, each with `proof`, a path, if it has one.
  package var json: [UInt8] {
    JSONWriter.object(capacity: 1_024 + 512 * entries.count) { object in
      object.member("subject", subject)
      object.member("made", made.iso8601Milliseconds)
      object.member("origin", checkpoint.origin.description)
      object.member("records", checkpoint.head.size)
      object.member("root", checkpoint.head.root.base64)
      object.objects("entries", entries) { entry, object in
        text.write(entry, into: &object)
        object.member("proof", ifPresent: proofPath(entry))
      }
    }
  }

  // MARK: For people

  package var html: String {
    let rows = entries.map { row($0) }.joined(separator: "\n")
    let signers = note.signatures.map { HTMLText.escaped($0.name.description) }.joined(separator: ", ")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(escaped(subject))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <h1 dir="auto">\(escaped(subject))</h1>
      <dl>
      <dt>Made</dt><dd>\(Self.date(made))</dd>
      <dt>Log</dt><dd>\(HTMLText.escaped(checkpoint.origin.description)), \(checkpoint.head.size) records</dd>
      <dt>Root</dt><dd><code>\(checkpoint.head.root.base64)</code></dd>
      <dt>Signed by</dt><dd>\(signers)</dd>
      </dl>
      <table>
      <thead><tr><th>Time (UTC)</th><th>Who</th><th>What</th><th>Record</th></tr></thead>
      <tbody>
      \(rows)
      </tbody>
      </table>
      <footer>
      <p>Each record has a proof in the folder <code>\(Self.proofsFolder)</code>. Whoever has this page and those files can check \
      them without the server, its operator or this program: with a policy that names the log's key and the witnesses that are \
      trusted, by <code>carillon journal check \(Self.proofsFolder) --policy FILE</code>, by \
      <code>python3 check-proof.py PROOF --policy FILE</code>, or by any tool for C2SP tlog-proof files.</p>
      <p>A proof shows that the record stood at its place in this log when the witnesses saw it, and has not been changed. It \
      does not show that what it says is true, that nothing is missing, or that a time is right.</p>
      </footer>
      </body>
      </html>

      """
  }

  private func row(_ entry: TimelineEntry) -> String {
    let words = [escaped(entry.what), entry.text.map { "<q>\(escaped($0))</q>" } ?? "", escaped(entry.remark)]
      .filter { !$0.isEmpty }.joined(separator: " ")
    let record = proofPath(entry).map { "<a href=\"\($0)\">\(entry.position)</a>" } ?? "\(entry.position)"
    return "<tr\(entry.isDetail ? " class=\"detail\"" : "")><td>\(Self.date(entry.time))</td>"
      + "<td dir=\"auto\">\(escaped(entry.who))</td><td dir=\"auto\">\(words)</td><td>\(record)</td></tr>"
  }

  /// What people wrote cannot fake a line, or turn what stands beside it.
  private func escaped(_ text: String) -> String { HTMLText.escaped(TimelineText.printable(text)) }

  private static func date(_ time: Timestamp) -> String {
    time.iso8601Milliseconds.replacing("T", with: " ").replacing("Z", with: "")
  }

  private static let style = """
    :root{color-scheme:light dark;font:15px/1.45 system-ui,sans-serif}body{max-width:72em;margin:2em auto;padding:0 1em}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em}dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
    table{border-collapse:collapse;width:100%}th,td{text-align:start;vertical-align:top;padding:.3em .6em;
    border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent);overflow-wrap:anywhere}
    td:first-child,td:last-child{white-space:nowrap;font-variant-numeric:tabular-nums}.detail{opacity:.75}
    thead{display:table-header-group}tr{break-inside:avoid}footer{margin-top:2em;max-width:50em}
    @media print{body{margin:0;max-width:none}.detail{opacity:1}a{color:inherit;text-decoration:none}}
    """
}
