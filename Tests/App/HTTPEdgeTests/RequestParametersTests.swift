import Testing

@testable import HTTPEdge

private func read(
  query: String? = nil, type: String? = nil, body: String = "", limits: EdgeLimits = EdgeLimits()
) throws(ParameterFailure) -> RequestParameters {
  try RequestParameters(query: query, contentType: type, body: Array(body.utf8), limits: limits)
}

private let formType = "application/x-www-form-urlencoded"

@Suite("Request parameters")
struct RequestParametersTests {
  @Test(
    "a form is decoded as HTML has it",
    arguments: [
      ("a=1&b=2", ["a": "1", "b": "2"]),
      ("message=hello+big%20world", ["message": "hello big world"]),
      ("message=%2B%26%3D%25", ["message": "+&=%"]),
      ("m=%C3%A4%f0%9f%98%80", ["m": "ä😀"]),
      ("a=&b", ["a": "", "b": ""]),
      ("&&a=1&&", ["a": "1"]),
      ("a=1&a=2", ["a": "2"]),
      ("na%20me=x=y", ["na me": "x=y"]),
    ])
  func form(_ text: String, _ expected: [String: String]) throws {
    let parameters = try read(type: "Application/X-WWW-form-urlencoded; charset=UTF-8", body: text)
    #expect(Dictionary(uniqueKeysWithValues: parameters.pairs.map { ($0.name, $0.value) }) == expected)
  }

  @Test("names are compared byte for byte: what only looks the same replaces nothing", arguments: [true, false])
  func exactNames(isJSON: Bool) throws {
    let parameters =
      isJSON
      ? try read(type: "application/json", body: "{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\"}")
      : try read(type: formType, body: "%C3%A9=1&e%CC%81=2")
    #expect(parameters.pairs.map(\.value) == ["1", "2"])
    #expect(parameters["\u{E9}"] == "1" && parameters["e\u{301}"] == "2")
  }

  @Test(
    "a field that is not UTF-8 or not percent-encoding is named",
    arguments: [("ok=1&message=%C3", "message"), ("message=%G0", "message"), ("message=5%", "message"), ("m=%2", "m")])
  func invalidText(_ text: String, _ field: String) {
    #expect(throws: ParameterFailure.invalidText(field: field)) { try read(type: formType, body: text) }
  }

  @Test(
    "JSON is recognized whatever the header says",
    arguments: [formType, "text/plain", "multipart/form-data; boundary=x", nil])
  func sniffing(_ type: String?) throws {
    let parameters = try read(type: type, body: " \r\n\t{\"message\":\"a\\u00e4\"}")
    #expect(parameters["message"] == "aä")
  }

  @Test("JSON values become texts; nested ones stay JSON; nulls are not there")
  func jsonValues() throws {
    let parameters = try read(body: #"{"i":3,"d":1.5,"t":true,"n":null,"o":{"a":[1,"x"]},"s":""}"#)
    #expect(parameters["i"] == "3")
    #expect(parameters["d"] == "1.5")
    #expect(parameters["t"] == "true")
    #expect(parameters["n"] == nil)
    #expect(parameters["o"] == #"{"a":[1,"x"]}"#)
    #expect(parameters["s"] == "")
  }

  @Test("the body wins over the query string, in its place")
  func merging() throws {
    let parameters = try read(query: "transcriptPosition=3&a=q", body: #"{"a":"b","c":"d"}"#)
    #expect(parameters.pairs.map(\.name) == ["transcriptPosition", "a", "c"])
    #expect(parameters["a"] == "b")
    #expect(parameters.position("transcriptPosition") == 3)
  }

  @Test("an empty body is an empty object", arguments: ["", " \n", "{}"])
  func empty(_ body: String) throws {
    #expect(try read(type: "text/weird", body: body).pairs.isEmpty)
  }

  @Test("what is none of the forms is refused")
  func unsupported() {
    #expect(throws: ParameterFailure.unsupportedContentType("text/plain")) { try read(type: "text/plain", body: "a=b") }
    #expect(throws: ParameterFailure.unsupportedContentType("none")) { try read(body: "<xml/>") }
    #expect(throws: ParameterFailure.malformedJSON("a JSON object is expected")) {
      try read(type: "application/json", body: "[1]")
    }
  }

  @Test(
    "malformed JSON is refused, and so is one nested too deeply",
    arguments: [#"{"a":"#, #"{"a":1}x"#, #"{"a":"\#u{1}"}"#])
  func malformedJSON(_ body: String) {
    #expect {
      try read(body: body)
    } throws: { error in
      if case .malformedJSON? = error as? ParameterFailure { true } else { false }
    }
    let deep = #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"
    #expect(throws: ParameterFailure.self) { try read(body: deep) }
  }

  @Test("more parameters than the limit are refused, repeated ones do not count")
  func limit() throws {
    var limits = EdgeLimits()
    limits.parametersMaximum = 2
    #expect(try read(type: formType, body: "a=1&b=2&a=3", limits: limits).pairs.count == 2)
    #expect(throws: ParameterFailure.tooManyParameters(limit: 2)) {
      try read(type: formType, body: "a=1&b=2&c=3", limits: limits)
    }
  }

  @Test(
    "a position is a number that is not negative", arguments: [("7", 7), ("0", 0), ("-1", nil), ("x", nil), ("", nil)])
  func position(_ text: String, _ expected: Int?) throws {
    #expect(try read(query: "p=\(text)").position("p") == expected)
  }
}

@Suite("Multipart forms")
struct MultipartTests {
  private func multipart(_ body: String, boundary: String = "XX") throws(ParameterFailure) -> RequestParameters {
    try read(type: "multipart/form-data; charset=utf-8; boundary=\"\(boundary)\"", body: body)
  }

  @Test("parts become parameters; a field for a file that nobody chose is none")
  func parts() throws {
    let parameters = try multipart(
      "--XX\r\nContent-Disposition: form-data; name=\"message\"\r\n\r\nhello\r\n--not the boundary\r\n"
        + "--XX\r\ncontent-disposition: form-data; name=\"te%22xt\"\r\n\r\n\r\n"
        + "--XX\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"\"\r\n"
        + "Content-Type: application/octet-stream\r\n\r\n\r\n--XX--\r\nepilogue")
    #expect(parameters["message"] == "hello\r\n--not the boundary")
    #expect(parameters["te\"xt"] == "")
    #expect(parameters["photo"] == nil)
  }

  @Test(
    "a file is refused by the name of its field, whatever is in it",
    arguments: [("a.txt", "text"), ("a.txt", ""), ("", "text"), ("../x", "\u{0}\u{1}")])
  func file(_ name: String, _ content: String) {
    #expect(throws: ParameterFailure.fileNotTaken(field: "photo")) {
      try multipart(
        "--XX\r\nContent-Disposition: form-data; name=\"message\"\r\n\r\nhello\r\n"
          + "--XX\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"\(name)\"\r\n\r\n\(content)\r\n--XX--")
    }
  }

  @Test(
    "what does not follow the grammar is refused",
    arguments: [
      "preamble\r\n--XX\r\n\r\n--XX--",
      "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue",
      "--XX\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n--XX--",
      "--XX\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nvalue\r\n--XX--",
      "--XX\r\nnonsense\r\n\r\nvalue\r\n--XX--",
      "--XX\r\n" + String(repeating: "X-A: bbbbbbbbbbbbbbbb\r\n", count: 300) + "\r\nvalue\r\n--XX--",
      "--XX",
    ])
  func malformed(_ body: String) {
    #expect {
      try multipart(body)
    } throws: { error in
      if case .malformedMultipart? = error as? ParameterFailure { true } else { false }
    }
  }

  @Test("a part that is not UTF-8 is named")
  func invalidText() {
    let body =
      Array("--XX\r\nContent-Disposition: form-data; name=\"photo\"\r\n\r\n".utf8) + [0xFF] + Array("\r\n--XX--".utf8)
    #expect(throws: ParameterFailure.invalidText(field: "photo")) {
      try RequestParameters(
        query: nil, contentType: "multipart/form-data; boundary=XX", body: body, limits: EdgeLimits())
    }
  }

  @Test("a boundary must be there and not be too long")
  func boundary() {
    #expect(throws: ParameterFailure.self) { try read(type: "multipart/form-data", body: "--\r\n") }
    #expect(throws: ParameterFailure.self) {
      try multipart("x", boundary: String(repeating: "b", count: 71))
    }
  }
}
