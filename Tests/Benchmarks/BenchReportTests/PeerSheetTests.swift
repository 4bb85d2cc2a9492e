import Testing

@testable import BenchReport

@Suite("Carillon beside others")
struct PeerSheetTests {
  private var sheet: PeerSheet {
    var sheet = PeerSheet(
      "chat", title: "Chat", about: "One to one.",
      columns: [PeerSheet.Column("rate", "delivered", "messages/s"), PeerSheet.Column("p99", "p99", "ms")],
      rows: ["Carillon", "nginx + nchan", "Mosquitto"].map { PeerSheet.Row($0) })
    sheet.rows[0].rounds = [["rate": 10_000, "p99": 4], ["rate": 12_000, "p99": 5], ["rate": 6_000, "p99": 9]]
    sheet.rows[1].rounds = [["rate": 20_000, "p99": 2], ["rate": 30_000, "p99": 2], ["rate": 24_000]]
    sheet.rows[2].refusal = "no mosquitto: install the package mosquitto"
    return sheet
  }

  @Test("a figure is the median, its ratio the median of the rounds' ratios, and who was not measured says why")
  func markdown() {
    #expect(
      sheet.markdown == """
        ## Chat

        One to one.

        |  | delivered, messages/s | p99, ms |
        | --- | --- | --- |
        | **Carillon** | 10,000 | 5.00 |
        | nginx + nchan | 24,000 (0.40) | 2.00 (2.25) |
        | Mosquitto | not measured: no mosquitto: install the package mosquitto |  |

        """)
  }

  @Test("a figure that nobody has is a dash; who broke off is named below the table")
  func brokenOff() {
    var sheet = sheet
    sheet.rows[1].rounds = [["rate": 20_000]]
    sheet.rows[1].refusal = "nginx was lost"
    sheet.rows.removeLast()
    #expect(
      sheet.markdown.hasSuffix(
        """
        | nginx + nchan | 20,000 (0.50) | – |

        nginx + nchan did not come to the end: nginx was lost

        """))
  }

  @Test("no ratio without Carillon's figure, nor to nothing")
  func noRatio() {
    var sheet = sheet
    sheet.rows[1].rounds = [["rate": 0]]
    #expect(sheet.ratio(sheet.rows[1], sheet.columns[0]) == nil)
    sheet.rows[0].rounds = []
    #expect(sheet.ratio(sheet.rows[1], sheet.columns[0]) == nil)
  }

  @Test("figures have dotted names")
  func measurements() {
    #expect(
      sheet.measurements == [
        Measurement("peers.chat.carillon.rate", 10_000, "messages/s"),
        Measurement("peers.chat.carillon.p99", 5, "ms"),
        Measurement("peers.chat.nginx.nchan.rate", 24_000, "messages/s", settings: "Carillon's by it: 0.40"),
        Measurement("peers.chat.nginx.nchan.p99", 2, "ms", settings: "Carillon's by it: 2.25"),
      ])
  }

  @Test("the page says what made it, when, where, and what each promises")
  func page() {
    let page = PeerPage(
      command: "carillon-bench peers", date: "2026-11-24", commit: "0123456789abcdef", machine: "2 processors",
      rounds: 3, promises: [PeerPage.Promise("Redis", version: "7.0", "it is synced")], sheets: [sheet]
    ).markdown
    for part in [
      "`carillon-bench peers` on 2026-11-24, commit 0123456789ab, 2 processors.", "median of 3 rounds.",
      "| Redis | 7.0 | it is synced |", "## Chat\n",
    ] { #expect(page.contains(part)) }
  }
}
