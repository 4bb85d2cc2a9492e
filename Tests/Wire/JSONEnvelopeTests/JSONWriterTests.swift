import JSONEnvelope
import Testing

@Suite("A JSON writer")
struct JSONWriterTests {
  @Test("sets brackets, commas and colons by itself")
  func structure() {
    let name = "b"
    let bytes = JSONWriter.object { object in
      object.array("a") { array in
        array.element(1)
        array.element(Int64.min)
        array.element(UInt64.max)
        array.element(0.5)
        array.element(true)
        array.element(JSONValue.null)
        array.object { _ in }
        array.element(RawJSON(Array(#"{"r":1}"#.utf8)))
        array.array { _ in }
        array.element("text")
      }
      object.member(named: name, "x")
      object.member("c", ["d": nil, "e": [false]] as JSONValue)
      object.object("f") { $0.member("g", 7 as Int32) }
      object.member("h") { writer in writer.array { $0.element("i") } }
      object.member(named: "j") { writer in writer.object { $0.members(of: ["k": 1, "l": "m"]) } }
    }
    let expected =
      #"{"a":[1,-9223372036854775808,18446744073709551615,0.5,true,null,{},{"r":1},[],"text"],"#
      + #""b":"x","c":{"d":null,"e":[false]},"f":{"g":7},"h":["i"],"j":{"k":1,"l":"m"}}"#
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test("writes lists: of values, of objects, of whatever a closure writes")
  func lists() {
    let pairs = [("a", 1), ("b", 2)]
    let bytes = JSONWriter.array { array in
      array.object { object in
        object.member("values", ["x", "y"])
        object.member("none", [] as [Int])
        object.objects("objects", pairs) { pair, object in object.member(named: pair.0, pair.1) }
        object.array("mixed", pairs) { pair, writer in
          writer.array {
            $0.element(pair.0)
            $0.element(pair.1)
          }
        }
      }
    }
    let expected =
      #"[{"values":["x","y"],"none":[],"objects":[{"a":1},{"b":2}],"mixed":[["a",1],["b",2]]}]"#
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
    var writer = JSONWriter()
    writer.objects(pairs) { pair, object in object.member("name", pair.0) }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"[{"name":"a"},{"name":"b"}]"#)
    writer.removeAll()
    writer.value("again")
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #""again""#)
  }

  @Test("writes null for what is missing, or leaves it out where that is asked for")
  func missing() {
    let (none, some): (String?, Int?) = (nil, 5)
    let bytes = JSONWriter.object { object in
      object.member("a", none)
      object.member("b", some)
      object.member("c", ifPresent: none)
      object.member("d", ifPresent: some)
      object.member("e", ifPresent: true ? nil : [1])
      object.member("f", [1, nil])
    }
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":null,"b":5,"d":5,"f":[1,null]}"#)
  }

  @Test("closes what is open when a closure throws")
  func thrown() {
    struct Stop: Error {}
    var writer = JSONWriter()
    #expect(throws: Stop.self) {
      try writer.array { array in
        array.element(1)
        try array.object { object in
          try object.object("a") { object in
            object.member("b", 1)
            throw Stop()
          }
        }
      }
    }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"[1,{"a":{"b":1}}]"#)
  }

  @Test(
    "escapes what it must and nothing else",
    arguments: [
      ("", #""""#), ("abcdefgh12345678", #""abcdefgh12345678""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
      ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#), ("\0\u{1}\u{1F}", #""\u0000\u0001\u001f""#), ("\u{7F}", "\"\u{7F}\""),
      ("<script>&'", #""<script>&'""#), ("\u{2028}\u{2029}", "\"\u{2028}\u{2029}\""), ("ä€😀", #""ä€😀""#),
      ("1234567\"89", #""1234567\"89""#), ("12345678\n", #""12345678\n""#), ("!\"!\"!\"!\"!", #""!\"!\"!\"!\"!""#),
    ])
  func escapes(text: String, json: String) throws {
    #expect(String(decoding: JSONValue.string(text).text, as: UTF8.self) == json)
    #expect(try JSONValue(parsing: json) == .string(text))
    #expect(String(decoding: JSONValue.object([text: 1]).text, as: UTF8.self) == "{\(json):1}")
  }

  @Test("writes doubles that read back the same; what JSON cannot say becomes null")
  func doubles() throws {
    for value in [0.1, -0.0, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1, 123456789.125] {
      let parsed = try JSONValue(parsing: JSONValue.double(value).text)
      #expect(parsed.double?.bitPattern == value.bitPattern)
    }
    #expect(JSONValue.array([.double(.infinity), .double(.nan)]).text == Array("[null,null]".utf8))
  }

  @Test("writes what the parser reads back, for values of every shape", arguments: [1, 2, 3, 4] as [UInt64])
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for _ in 0..<500 {
      let value = randomValue(depth: 5, &random)
      let text = value.text
      #expect(try JSONValue(parsing: text) == value, "seed \(seed)")
      #expect(try skip(text) == text.count, "seed \(seed)")
      // No prefix of an array or object is whole.
      if text.first == UInt8(ascii: "[") || text.first == UInt8(ascii: "{") {
        let cut = Int.random(in: 0..<text.count, using: &random)
        #expect(throws: JSONError.self, "seed \(seed)") { try JSONValue(parsing: Array(text[..<cut])) }
      }
    }
  }

  @Test("the parser survives any damage, and reading agrees with skipping", arguments: [11, 12, 13] as [UInt64])
  func damage(seed: UInt64) {
    var random = SplitMix(state: seed)
    for _ in 0..<2_000 {
      var text = randomValue(depth: 4, &random).text
      for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
        text[Int.random(in: text.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let read = Result { () throws(JSONError) in try JSONValue(parsing: text) }
      let skipped = Result { () throws(JSONError) in try skip(text) }
      switch (read, skipped) {
      case (.success, .success): break
      case (.failure(let first), .failure(let second)): #expect(first == second || first.reason == .numberOutOfRange)
      // Whether a number fits a double is known only once it is converted.
      case (.failure(let error), .success): #expect(error.reason == .numberOutOfRange, "seed \(seed): \(text)")
      case (.success, .failure): Issue.record("seed \(seed): \(text)")
      }
    }
  }
}

@Suite("A JSON value")
struct JSONValueTests {
  @Test("gives access by name, by index and by kind")
  func access() {
    let value: JSONValue = ["n": 1, "s": "x", "a": [1, 2.5], "d": 3.0, "z": nil]
    #expect(value["n"]?.integer == 1)
    #expect(value["d"]?.integer == 3)
    #expect(value["s"]?.string == "x")
    #expect(value["s"]?.integer == nil)
    #expect(value["a"]?[1]?.double == 2.5)
    #expect(value["a"]?[2] == nil)
    #expect(value["z"]?.isNull == true)
    #expect(value["missing"] == nil)
    #expect(value[0] == nil)
  }

  @Test("takes numbers, booleans and texts for each other where that is asked for")
  func lenient() {
    #expect(JSONValue.string("42").lenientInteger == 42)
    #expect(JSONValue.integer(42).lenientInteger == 42)
    #expect(JSONValue.string("4x").lenientInteger == nil)
    #expect(JSONValue.integer(7).lenientString == "7")
    #expect(JSONValue.bool(true).lenientString == "true")
    #expect(JSONValue.null.lenientString == nil)
  }
}

/// A small generator with a seed, so that a failing run can be had again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

func randomText(_ random: inout SplitMix) -> String {
  var text = ""
  for _ in 0..<Int.random(in: 0...20, using: &random) {
    let scalar: Unicode.Scalar? =
      switch Int.random(in: 0...5, using: &random) {
      case 0: Unicode.Scalar(UInt32.random(in: 0...0x1F, using: &random))
      case 1: Unicode.Scalar(UInt32.random(in: 0x80...0x10FFFF, using: &random))
      case 2: ["\"", "\\", "/"].randomElement(using: &random)
      default: Unicode.Scalar(UInt32.random(in: 0x20...0x7E, using: &random))
      }
    if let scalar { text.unicodeScalars.append(scalar) }
  }
  return text
}

func randomValue(depth: Int, _ random: inout SplitMix) -> JSONValue {
  switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &random) {
  case 0: return .null
  case 1: return .bool(.random(using: &random))
  case 2: return .integer(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...63, using: &random))
  case 3:
    let double = Double(bitPattern: random.next())
    return double.isFinite ? .double(double) : 0
  case 4, 5: return .string(randomText(&random))
  case 6: return .array((0..<Int.random(in: 0...5, using: &random)).map { _ in randomValue(depth: depth - 1, &random) })
  default:
    var object = JSONObject()
    for _ in 0..<Int.random(in: 0...20, using: &random) {
      object[randomText(&random)] = randomValue(depth: depth - 2, &random)
    }
    return .object(object)
  }
}
