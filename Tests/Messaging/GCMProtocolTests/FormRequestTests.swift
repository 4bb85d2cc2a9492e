import GCMProtocol
import PushDomain
import Testing

@Suite("A plain-text request")
struct FormRequestTests {
  private static func pairs(_ form: String) -> [MailPair] {
    form.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return MailPair(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
  }

  @Test("has the fields of the table")
  func fields() throws {
    let form = """
      registration_id=t&collapse_key=k&delay_while_idle=1&time_to_live=7&restricted_package_name=p&dry_run=true\
      &data.a=1&data.b.c=2&unknown=x&notification=y
      """
    var expected = DownstreamRequest(target: .recipient("t"))
    expected.collapseKey = "k"
    expected.delayWhileIdle = true
    expected.timeToLive = 7
    expected.restrictedPackageName = "p"
    expected.isDryRun = true
    expected.data = [MailPair("a", "1"), MailPair("b.c", "2")]
    #expect(try DownstreamRequest(form: Self.pairs(form)) == expected)
  }

  @Test("has the same defaults as JSON")
  func defaults() throws {
    #expect(
      try DownstreamRequest(form: Self.pairs("registration_id=t")) == DownstreamRequest(target: .recipient("t")))
  }

  @Test(
    "that is not usable is answered with a code, never with 400",
    arguments: [
      ("", DownstreamError.missingRegistration), ("data.a=1", .missingRegistration),
      ("registration_id=", .missingRegistration), ("registration_id=t&data.from=x", .invalidDataKey),
      ("registration_id=t&data.google.x=x", .invalidDataKey),
      ("registration_id=t&time_to_live=2419201", .invalidTimeToLive),
      ("registration_id=t&time_to_live=soon", .invalidTimeToLive),
      ("registration_id=t&data.k=\(String(repeating: "x", count: 4_096))", .messageTooBig),
      ("registration_id=t&collapse_key=\(String(repeating: "x", count: 1_025))", .invalidParameters),
    ])
  func refusals(_ form: String, _ code: DownstreamError) {
    #expect {
      _ = try DownstreamRequest(form: Self.pairs(form))
    } throws: { error in
      let refusal = error as? DownstreamRefusal
      return refusal?.code == code && refusal?.answer == .targets([.failed(code)])
    }
  }
}
