import Testing

@testable import carillon_torture

@Suite("The verdict on texts that were acknowledged")
struct AcknowledgedTextsTests {
  /// Three that were acknowledged, and one that nobody knows of.
  private func four() -> (texts: AcknowledgedTexts, sent: [String]) {
    var texts = AcknowledgedTexts()
    let sent = (0..<4).map { _ in texts.send(in: "c") }
    for text in sent.prefix(3) { texts.acknowledge(text, in: "c") }
    return (texts, sent)
  }

  private func takeover(waits: Bool = false, _ onlyThere: [String]) -> AcknowledgedTexts.Takeover {
    AcknowledgedTexts.Takeover(waits: waits, onlyThere: Set(onlyThere))
  }

  @Test("is well if everything is there, with what nobody knows of or without it")
  func complete() {
    for count in 3...4 {
      var (texts, sent) = four()
      let verdict = texts.judge(["c": Array(sent.prefix(count))])
      #expect(verdict.violations == [] && verdict.missingCount == 0)
    }
  }

  @Test("without a take-over nothing may be missing")
  func lost() {
    var (texts, sent) = four()
    let verdict = texts.judge(["c": Array(sent.prefix(2))])
    #expect(verdict.violations == ["\(sent[2]) is lost, and nobody has taken over"])
    #expect(verdict.missingCount == 1)
  }

  @Test("after a take-over only that may be missing which the former primary alone has")
  func lag() {
    var (texts, sent) = four()
    let verdict = texts.judge(["c": Array(sent.prefix(1))], after: takeover([sent[2]]))
    #expect(verdict.missingCount == 2)
    #expect(
      verdict.violations == ["\(sent[1]) is lost, and not among the records that only the former primary has"])
  }

  @Test("what the primary had said to be at the standby may not be missing, wherever else it is")
  func told() {
    var (texts, sent) = four()
    texts.told(2)
    let verdict = texts.judge(["c": Array(sent.prefix(1))], after: takeover(sent))
    #expect(
      verdict.violations == ["\(sent[1]) is lost, though the primary had said that the standby has everything"])
  }

  @Test("nothing may be missing that waited for the standby")
  func waiting() {
    var (texts, sent) = four()
    let verdict = texts.judge(["c": Array(sent.prefix(2))], after: takeover(waits: true, sent))
    #expect(verdict.violations == ["\(sent[2]) is lost, though its acknowledgement waited for the standby"])
  }

  @Test("what was lost once may not come back, nor what was never acknowledged and not there")
  func comesBack() {
    var (texts, sent) = four()
    #expect(texts.judge(["c": Array(sent.prefix(2))], after: takeover(sent)).violations == [])
    let verdict = texts.judge(["c": sent])
    #expect(verdict.violations == sent.suffix(2).map { "\($0) was lost, and has come back" })
  }

  @Test("what was found once has to stay")
  func found() {
    var (texts, sent) = four()
    #expect(texts.judge(["c": sent]).violations == [])
    let verdict = texts.judge(["c": Array(sent.prefix(3))], after: takeover(sent))
    #expect(
      verdict.violations == ["\(sent[3]) is lost, though the primary had said that the standby has everything"])
  }

  @Test("names what is there twice, in another order, or was sent by nobody")
  func order() {
    let cases: [([Int], String)] = [
      ([0, 1, 2, 2], "c: a text is there twice"), ([1, 0, 2], "c: texts are out of order"),
    ]
    for (places, wrong) in cases {
      var (texts, sent) = four()
      #expect(texts.judge(["c": places.map { sent[$0] }]).violations.contains(wrong))
    }
    var (texts, sent) = four()
    let verdict = texts.judge(["c": sent + ["torture-99"]])
    #expect(verdict.violations == [#"c: never sent: ["torture-99"]"#])
  }

  @Test("finds texts in whatever stands around them")
  func content() {
    var texts = AcknowledgedTexts()
    let sent = [texts.send(in: "c"), texts.send(in: "c")]
    #expect(AcknowledgedTexts.texts(in: "\0\u{1}\(sent[0]) xxx\0…\(sent[1])") == sent)
    #expect(AcknowledgedTexts.texts(in: "torture-x, torture") == [])
  }
}
