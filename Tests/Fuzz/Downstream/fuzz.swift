import EventSourcing
import Fuzzing
import GCMProtocol
import JSONEnvelope
import PushDomain

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// The first byte says what the rest is: a request in one of the four forms, or a condition. Reading is total; what is
/// accepted keeps to every limit; what is refused says so, in one line for each fault, and every answer is JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  switch first {
  case UInt8(ascii: "j"):
    check { () throws(DownstreamRefusal) in
      try DownstreamRequest(json: rest)
    } refusal: { refusal in
      if let answer = refusal.answer { checkAnswers(answer) }
    }
  case UInt8(ascii: "f"):
    check { () throws(DownstreamRefusal) in
      try DownstreamRequest(form: pairs(of: rest))
    } refusal: { refusal in
      require(refusal.answer != nil, "plain text is never answered with 400")
    }
  case UInt8(ascii: "1"):
    check { () throws(DownstreamRefusal) in
      try DownstreamRequest(v1: rest, now: Timestamp(milliseconds: 1_700_000_000_000))
    } refusal: { refusal in
      require(json(V1Answer(refusal).body)["error"]?["code"]?.integer == 400, "v1 answers 400")
    }
  case UInt8(ascii: "c"): checkStanza(rest)
  case UInt8(ascii: "t"): checkCondition(rest)
  case UInt8(ascii: "g"):
    do throws(DownstreamRefusal) { _ = try GroupRequest(json: rest) } catch { checkText(error.text) }
  default: break
  }
  return 0
}

private func check(
  _ read: () throws(DownstreamRefusal) -> DownstreamRequest, refusal: (DownstreamRefusal) -> Void
) {
  do throws(DownstreamRefusal) {
    checkLimits(try read())
  } catch {
    // Of v1 each member that nobody knows has a line, as the real service has it.
    let lines = error.text.split(separator: "\n", omittingEmptySubsequences: false)
    require((1...16).contains(lines.count), "what is said has an end")
    for line in lines { checkText(String(line)) }
    refusal(error)
  }
}

private func checkLimits(_ request: DownstreamRequest) {
  func size(_ pairs: [MailPair]) -> Int { pairs.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
  let (data, notification) = (size(request.data), size(request.notification ?? []))
  require((0...DownstreamLimits.timeToLiveMaximum).contains(request.timeToLive), "the time to live is in its range")
  require(data + notification <= DownstreamLimits.dataBytesMaximum, "the message is not too big")
  require(notification <= DownstreamLimits.notificationBytesMaximum, "the notification is not too big")
  require(
    request.data.allSatisfy { $0.key != "from" && !$0.key.hasPrefix("google") && !$0.key.hasPrefix("gcm") },
    "no key is reserved")
  require(request.collapseKey?.isEmpty != true, "a collapse key says something")
  switch request.target {
  case .recipient(let recipient): require(!recipient.isEmpty, "a target has a name")
  case .tokens(let tokens): require((1...DownstreamLimits.targetsMaximum).contains(tokens.count), "1 to 1,000 targets")
  case .topic(let name): require(TopicName.isValid(name), "a topic's name is one")
  case .condition(let condition): checkTopics(condition)
  }
}

private func checkTopics(_ condition: TopicCondition) {
  require((1...DownstreamLimits.topicsInConditionMaximum).contains(condition.topics.count), "1 to 5 topics")
  require(condition.topics.allSatisfy(TopicName.isValid), "a topic's name is one")
  require(Set(condition.topics).count == condition.topics.count, "each is named once")
  _ = condition.matches { $0.utf8.count.isMultiple(of: 2) }
}

private func checkCondition(_ bytes: [UInt8]) {
  guard let text = String(validating: bytes, as: UTF8.self) else { return }
  do throws(TopicConditionError) {
    checkTopics(try TopicCondition(parsing: text))
  } catch {
    require((0...bytes.count).contains(error.position), "an error lies in the text")
  }
}

private func checkStanza(_ bytes: [UInt8]) {
  switch CCSRequest.parse(bytes) {
  case .message(let address, let request):
    checkLimits(request)
    require(request.messageID == address.messageID && !address.messageID.isEmpty, "a message has an id")
    if case .tokens = request.target { require(false, "there is no multicast") }
  case .ack(let id): require(!id.isEmpty, "an acknowledgement has an id")
  case .refused(let answer):
    let value = json(answer.bytes)
    require(value["message_type"] == "nack", "a refusal is a nack")
    require(value["message_id"]?.string?.isEmpty == false, "a refusal has an id")
    checkText(value["error_description"]?.string ?? "")
  case .unidentified(let description): checkText(description)
  }
}

private func checkAnswers(_ answer: DownstreamAnswer) {
  if let bytes = LegacyAnswer.json(answer, multicastID: 1) { _ = json(bytes) }
  _ = json(CCSAnswer(CCSAddress(messageID: "m", to: "t"), answer).bytes)
  _ = json(V1Answer(answer, project: "p", isDryRun: false, number: 1).body)
}

/// One line, and a short one.
private func checkText(_ text: String) {
  require(text.utf8.count <= 1_024, "what is said is short")
  require(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "what is said is one line")
}

private func json(_ bytes: [UInt8]) -> JSONValue {
  guard let value = try? JSONValue(parsing: bytes) else { fatalError("violated: an answer is JSON") }
  return value
}

/// As the edge splits a form, without its escapes.
private func pairs(of bytes: [UInt8]) -> [MailPair] {
  bytes.split(separator: UInt8(ascii: "&")).map { pair in
    let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    return MailPair(
      String(decoding: parts[0], as: UTF8.self), parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "")
  }
}
