import Bayeux
import Crypto
import EventSourcing
import GCMProtocol
import JSONEnvelope
import PushDomain
import Testing
import TextEncoding

@testable import DeviceEdge
@testable import HTTPEdge

/// Support's own are in `SupportNullTests`, tokens and their keys in `IdentityNullTests`.
@Suite("A null is an absent member on the other surfaces", .timeLimit(.minutes(5)))
struct NullMemberTests {
  private static let token = String(repeating: "0a", count: 32)

  @Test(
    "devices, of customers and operators",
    arguments: [
      ("/devices/1", #""app":null,"platform":null,"language":null,"providerName":null,"debug":null"#),
      ("/admin/1/devices", #""owner":null,"app":null"#),
    ])
  func devices(path: String, nulls: String) async throws {
    try await ServerHarness.run { server in
      let secret = try server.tokens.create(name: "ops", role: .admin)
      let fields = [
        ("Content-Type", "application/json"),
        path.hasPrefix("/admin") ? ("Authorization", "Bearer \(secret)") : ("gms_user", "user-0815-of-the-nulls"),
      ]
      let caller = MessagingCaller(client: try await server.connect(), fields: fields)
      let answer = try await caller.call("POST", path, #"{"type":"ios","identifier":"\#(Self.token)",\#(nulls)}"#)
      #expect(answer.status == 201, "\(answer.body)")
      let plain = try await caller.call("POST", path, #"{"type":"ios","identifier":"\#(Self.token)"}"#)
      #expect(plain.status == 200 && plain.json["id"] == answer.json["id"])
    }
  }

  @Test("what agents and operators say")
  func agents() throws {
    let body = try JSONBody(
      Array(#"{"text":null,"flag":null,"number":null,"object":null,"texts":null,"objects":null}"#.utf8))
    #expect(try body.optionalText("text") == nil && body.optionalBool("flag") == nil)
    #expect(try body.optionalInteger("number", in: 0...1) == nil && body.optionalObject("object") == nil)
    #expect(try body.optionalTexts("texts") == nil)
    #expect(throws: EdgeFailure.missingParameter("text")) { try body.text("text") }
    #expect(throws: EdgeFailure.missingParameter("flag")) { try body.bool("flag") }
    #expect(throws: EdgeFailure.missingParameter("objects")) { try body.objects("objects", maximum: 1) }
  }

  @Test("parameters of chats, callbacks and storage")
  func parameters() throws {
    let parameters = try RequestParameters(
      query: nil, contentType: "application/json", body: Array(#"{"a":null,"b":"x"}"#.utf8), limits: EdgeLimits())
    #expect(parameters["a"] == nil && parameters["b"] == "x" && parameters.pairs.count == 1)
  }

  @Test(
    "a device's socket",
    arguments: [
      #"{"type":"login","id":"1","token":"2","received":null,"idle":null,"heartbeat":null}"#,
      #"{"type":"upstream","id":"1","to":"2","category":"c","data":null,"subtype":null,"ttl":null}"#,
      #"{"type":"upstream","id":"1","to":"2","category":"c","data":{"a":null,"b":"x"}}"#,
    ])
  func socket(text: String) throws {
    var codec = DeviceSocketCodec()
    let bytes = Array(text.utf8)
    bytes.withUnsafeBytes { buffer in
      #expect(throws: Never.self) { try codec.stanza(buffer) }
    }
  }

  // MARK: Comet

  /// What a client says, with all members that are read. Any value of `data` is data, null too.
  static let cometMessages: [String] = [
    [
      #"{"channel":"/meta/handshake","id":"1","version":"1.0","minimumVersion":"1.0","clientId":"c","#,
      #""supportedConnectionTypes":["long-polling"],"advice":{"timeout":1,"interval":2},"transcriptPosition":4,"#,
      #""ext":{"ack":true,"gms_user":"u","gms_token":"t","serviceId":"s","transcriptPosition":"3"}}"#,
    ].joined(),
    [
      #"{"channel":"/meta/connect","id":7,"clientId":"c","connectionType":"long-polling","#,
      #""advice":{"timeout":1,"interval":2},"ext":{"ack":5,"transcriptPosition":3},"transcriptPosition":"4"}"#,
    ].joined(),
    #"{"channel":"/meta/subscribe","clientId":"c","subscription":"/_genesys","ext":{}}"#,
    #"{"channel":"/meta/unsubscribe","clientId":"c","subscription":["/_genesys"]}"#,
  ]

  @Test("what is read of a Comet message", arguments: cometMessages)
  func cometMessage(text: String) throws {
    func read(_ value: JSONValue) throws -> BayeuxMessage {
      var messages = try BayeuxDecoder.decode(value.text)
      #expect(messages.count == 1)
      // The text that it was; what it said is in the other members.
      messages[0].ext = nil
      return messages[0]
    }
    for member in NulledMember.all(of: try JSONValue(parsing: text)) {
      let (nulled, absent) = (try read(member.nulled), try read(member.absent))
      #expect(nulled == absent, "\(member.path)")
    }
  }

  @Test("what the Comet endpoint answers")
  func comet() async throws {
    try await ServerHarness.run { server in
      let caller = MessagingCaller(client: try await server.connect(), fields: [("gms_user", "user")])
      func ask(_ message: String) async throws -> JSONValue {
        let answer = try await caller.call("POST", "/genesys/cometd", "[\(message)]")
        #expect(answer.status == 200, "\(answer.body)")
        return answer.json[0] ?? .null
      }
      let ext = #"{"ack":null,"gms_user":null,"gms_token":null,"serviceId":null,"transcriptPosition":null}"#
      let shaken = try await ask(
        #"{"channel":"/meta/handshake","version":null,"minimumVersion":null,"id":null,"clientId":null,"ext":\#(ext),"#
          + #""supportedConnectionTypes":["long-polling"],"advice":null,"data":null,"subscription":null,"#
          + #""connectionType":null,"transcriptPosition":null}"#)
      #expect(shaken["successful"] == true && shaken["id"] == nil && shaken["ext"] == nil)
      let id = try #require(shaken["clientId"]?.string)
      for message in [
        #"{"channel":"/meta/subscribe","subscription":"/_genesys","id":null,"data":null,"ext":\#(ext)"#,
        #"{"channel":"/meta/connect","connectionType":null,"id":null,"advice":null,"data":null,"ext":null"#,
        #"{"channel":"/meta/connect","connectionType":"long-polling","advice":{"timeout":0,"interval":null},"ext":{}"#,
        #"{"channel":"/meta/unsubscribe","subscription":"/_genesys","id":null,"data":null,"ext":\#(ext)"#,
      ] {
        let answer = try await ask(message + #","clientId":"\#(id)"}"#)
        #expect(answer["successful"] == true && answer["id"] == nil, "\(message): \(answer)")
      }
      // What has to be there is missing, and not of the wrong kind.
      for (nulled, absent) in [
        (#"{"channel":null,"clientId":"\#(id)"}"#, #"{"clientId":"\#(id)"}"#),
        (
          #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":null}"#,
          #"{"channel":"/meta/subscribe","clientId":"\#(id)"}"#
        ),
        (#"{"channel":"/x","clientId":"\#(id)","data":null}"#, #"{"channel":"/x","clientId":"\#(id)"}"#),
        (#"{"channel":"/meta/connect","clientId":null}"#, #"{"channel":"/meta/connect"}"#),
        (
          #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":null}"#,
          #"{"channel":"/meta/handshake","version":"1.0"}"#
        ),
      ] {
        let (first, second) = (try await ask(nulled), try await ask(absent))
        #expect(first == second && first["successful"] == false, "\(nulled): \(first)")
      }
      #expect(try await ask(#"{"channel":"/meta/disconnect","clientId":"\#(id)","ext":null}"#)["successful"] == true)
    }
  }

  // MARK: App servers

  /// With all members that there are.
  private static let legacy: String = [
    #"{"to":"t","condition":"'a' in topics","collapse_key":"k","priority":"high","content_available":true,"#,
    #""mutable_content":true,"delay_while_idle":true,"time_to_live":60,"restricted_package_name":"p","dry_run":true,"#,
    #""delivery_receipt_requested":true,"data":{"a":"b"},"notification":{"title":"T","body":"B","icon":"i","#,
    #""sound":"s","badge":1,"tag":"t","color":"c","click_action":"c","body_loc_key":"b","body_loc_args":["1"],"#,
    #""title_loc_key":"t","title_loc_args":["1"],"android_channel_id":"a","subtitle":"s","image":"i"}}"#,
  ].joined()

  private static let v1: String = [
    #"{"validate_only":true,"message":{"name":"n","token":"t","data":{"a":"b"},"notification":{"title":"T","body":"B","#,
    #""image":"i"},"fcm_options":{"analytics_label":"l"},"android":{"collapse_key":"k","priority":"HIGH","ttl":"3.5s","#,
    #""restrictedPackageName":"p","data":{"b":"c"},"direct_boot_ok":true,"bandwidth_constrained_ok":true,"#,
    #""restricted_satellite_ok":true,"fcm_options":{"analytics_label":"a"},"notification":{"title":"A","body":"B","#,
    #""image":"i","icon":"i","color":"c","sound":"s","tag":"t","clickAction":"c","body_loc_key":"b","#,
    #""body_loc_args":["1"],"title_loc_key":"t","title_loc_args":["1"],"ticker":"t","sticky":true,"local_only":true,"#,
    #""default_sound":true,"default_vibrate_timings":true,"default_light_settings":true,"#,
    #""bypass_proxy_notification":true,"channel_id":"c","event_time":"2026-01-02T03:04:05.678Z","#,
    #""notification_priority":"PRIORITY_MAX","visibility":"SECRET","proxy":"DENY","vibrate_timings":["0.1s"],"#,
    #""notification_count":7,"light_settings":{"color":{"red":1,"green":1,"blue":1,"alpha":1},"#,
    #""light_on_duration":"1s","light_off_duration":"1s"}}},"apns":{"headers":{"apns-priority":"5"},"#,
    #""payload":{"aps":{"badge":1}},"fcm_options":{"analytics_label":"a","image":"i"}},"#,
    #""webpush":{"headers":{"TTL":"30"},"data":{"w":"1"},"notification":{"title":"W","body":"B"},"#,
    #""fcm_options":{"analytics_label":"w","link":"https://l.example.test/"}}}}"#,
  ].joined()

  /// The members of these are the sender's own, or Apple's and the browser's.
  private static let v1Maps: Set<String> = [
    "message.data", "message.android.data", "message.apns.headers", "message.apns.payload", "message.webpush.headers",
    "message.webpush.data", "message.webpush.notification",
  ]

  private func compare<Request: Equatable>(
    _ body: String, maps: Set<String>, _ read: ([UInt8]) -> Result<Request, DownstreamRefusal>
  ) throws {
    let members = NulledMember.all(of: try JSONValue(parsing: body), maps: maps)
    #expect(members.count > 2)
    for member in members {
      let (nulled, absent) = (read(member.nulled.text), read(member.absent.text))
      #expect(nulled == absent, "\(member.path)")
    }
  }

  private static func readLegacy(_ bytes: [UInt8]) -> Result<DownstreamRequest, DownstreamRefusal> {
    Result { () throws(DownstreamRefusal) -> DownstreamRequest in try DownstreamRequest(json: bytes) }
  }

  private static func readV1(_ bytes: [UInt8]) -> Result<DownstreamRequest, DownstreamRefusal> {
    Result { () throws(DownstreamRefusal) -> DownstreamRequest in
      try DownstreamRequest(v1: bytes, now: Timestamp(milliseconds: 1_000_000_000))
    }
  }

  @Test("messages in the legacy JSON")
  func legacyMessages() throws {
    // As it stands it names two targets: one of them at a time has to be enough.
    for target in ["to", "condition"] {
      var message = try JSONValue(parsing: Self.legacy).object ?? JSONObject()
      message[target == "to" ? "condition" : "to"] = JSONValue.null
      guard case .success = Self.readLegacy(JSONValue.object(message).text) else {
        Issue.record("\(target) is not taken")
        continue
      }
      try compare(String(decoding: JSONValue.object(message).text, as: UTF8.self), maps: ["data"], Self.readLegacy)
    }
    try compare(#"{"registration_ids":["t"],"to":null,"dry_run":true}"#, maps: [], Self.readLegacy)
  }

  @Test("messages in HTTP v1")
  func v1Messages() throws {
    guard case .success = Self.readV1(Array(Self.v1.utf8)) else {
      Issue.record("it is not taken as it is")
      return
    }
    try compare(Self.v1, maps: Self.v1Maps, Self.readV1)
    // Of the ways to name a target the others may be null.
    for target in [#""token":null,"topic":"news""#, #""topic":null,"token":"t""#, #""condition":null,"fid":"f""#] {
      guard case .success = Self.readV1(Array(#"{"message":{\#(target)}}"#.utf8)) else {
        Issue.record("\(target) is not taken")
        continue
      }
    }
    // A null that Apple would get is no reason to withhold the picture.
    let request = try Self.readV1(
      Array(#"{"message":{"token":"t","apns":{"payload":{"fcm_options":null},"fcm_options":{"image":"i"}}}}"#.utf8)
    ).get()
    #expect(request.variant(for: .apple).applePayload == #"{"fcm_options":{"image":"i"}}"#)
  }

  @Test(
    "within a map or a list a null is no member, and protobuf's JSON has none there",
    arguments: [
      #""data":{"a":null}"#, #""android":{"data":{"a":null}}"#, #""apns":{"headers":{"apns-priority":null}}"#,
      #""webpush":{"headers":{"TTL":null}}"#, #""android":{"notification":{"body_loc_args":[null]}}"#,
    ])
  func v1Values(members: String) {
    let result = Self.readV1(Array(#"{"message":{"token":"t",\#(members)}}"#.utf8))
    #expect(throws: DownstreamRefusal.self) { try result.get() }
  }

  @Test(
    "changes of device groups",
    arguments: [
      #"{"operation":"create","notification_key_name":"n","registration_ids":["t"]}"#,
      #"{"operation":"add","notification_key_name":"n","notification_key":"k","registration_ids":["t"]}"#,
    ])
  func groups(body: String) throws {
    try compare(body, maps: []) { bytes in
      Result { () throws(DownstreamRefusal) -> GroupRequest in try GroupRequest(json: bytes) }
    }
  }

  @Test(
    "stanzas of app servers",
    arguments: [
      #"{"to":"t","message_id":"m","collapse_key":"k","time_to_live":60,"delivery_receipt_requested":true,"#
        + #""data":{"a":"b"},"notification":{"title":"T"}}"#,
      #"{"to":"t","message_id":"m","message_type":"ack"}"#,
    ])
  func stanzas(body: String) throws {
    for member in NulledMember.all(of: try JSONValue(parsing: body), maps: ["data"]) {
      let (nulled, absent) = (CCSRequest.parse(member.nulled.text), CCSRequest.parse(member.absent.text))
      #expect(nulled == absent, "\(member.path)")
    }
  }

  // MARK: Every body over HTTP

  /// A call that takes JSON, with all members that it reads; it can be made again and again.
  private struct Call {
    let caller: CrossingWorld.Caller
    let path: String
    let body: String
    let maps: Set<String>
    let method: String

    init(
      _ caller: CrossingWorld.Caller, _ path: String, _ body: String, maps: Set<String> = [],
      by method: String = "POST"
    ) {
      self.caller = caller
      self.path = path
      self.body = body
      self.maps = maps
      self.method = method
    }
  }

  private static func customers() -> [Call] {
    [
      Call(
        .customer, "/devices/1",
        #"{"type":"customhttp","identifier":"device-90","provider":"p","debug":true,"locale":"en-us","app":"a","#
          + #""platform":"ios"}"#),
      Call(
        .customer, "/genesys/1/notification/subscription",
        #"{"subscriberId":"a","filter":"*","expire":600,"providerName":"p","authorization":"dTpw","#
          + #""notificationDetails":{"type":"httpcb","deviceId":"https://a.example.test/in","#
          + #""properties":{"debug":"true","tone":"bell"}}}"#),
      Call(
        .publisher, "/genesys/1/notification/publish", #"{"tag":"x","message":{"n":1},"subscriberId":"nobody"}"#,
        maps: ["message"]),
      Call(
        .customer, "/genesys/1/service/callback/callback-voice",
        #"{"_customer_number":"+1","_media_type":"chat","subject":"x"}"#),
      Call(.customer, "/genesys/1/storage/600", #"{"a":"1","b":2}"#),
      Call(.nobody, "/genesys/1/service/request-chat", #"{"colour":"red"}"#),
    ]
  }

  private static func agents(chat: String, request: Int) -> [Call] {
    let path = "/agent/1/chats/\(chat)"
    return [
      Call(.agent, path + "/messages", #"{"text":"x"}"#), Call(.agent, path + "/typing", #"{"started":true}"#),
      Call(.agent, path + "/notice", #"{"text":"x"}"#),
      Call(.agent, path + "/pushurl", #"{"url":"https://a.example.test/"}"#),
      Call(.agent, path + "/request", #"{"subject":"x","comment":{"body":"x","public":true,"uploads":[]}}"#),
      Call(
        .agent, "/api/v2/tickets/\(request)",
        #"{"ticket":{"comment":{"body":"x","public":true},"status":"open","tags":["a"],"custom_fields":[]}}"#,
        by: "PUT"),
      Call(
        .supportUser, "/api/v2/requests",
        #"{"request":{"subject":"s","comment":{"body":"x","uploads":[]},"tags":["a"],"ticket_form_id":5,"#
          + #""custom_fields":[{"id":1,"value":"v"}],"metadata":{"a":"b"}}}"#, maps: ["request.metadata"]),
      Call(
        .operator, "/admin/1/dead-letters/replay",
        #"{"dryRun":true,"perSecond":10,"device":"d","producer":"p","type":"ios","tag":"t","service":"s","#
          + #""outcome":"expired","from":"2026-01-01T00:00:00Z","until":"2026-01-02T00:00:00Z"}"#),
    ]
  }

  private static func messaging(_ world: CrossingWorld) async throws -> [Call] {
    let device = world.device(.device)
    let (token, page) = (try await device.token(), try await device.token(sender: TestDevice.pageKey))
    let made = try await world[.sender].call(
      "POST", "/gcm/notification",
      #"{"operation":"create","notification_key_name":"n","registration_ids":["\#(token)"]}"#)
    let group = try #require(made.json["notification_key"]?.string)
    let point = Base64.encodeForURL(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
    let secret = Base64.encodeForURL([UInt8](repeating: 7, count: 16))
    return [
      Call(.nobody, "/device/1/checkin", #"{"id":"\#(device.id)","securityToken":"\#(device.securityToken)"}"#),
      Call(
        .device, "/device/1/register",
        #"{"app":"shop","senders":["4711"],"subtype":"x","appVersion":"3","platform":"IOS"}"#),
      Call(.device, "/device/1/topics", #"{"token":"\#(token)","topic":"news"}"#),
      Call(.sender, "/iid/v1:batchAdd", #"{"to":"/topics/news","registration_tokens":["\#(token)"]}"#),
      Call(
        .sender, "/iid/v1:batchImport",
        #"{"application":"com.example.ios","sandbox":true,"apns_tokens":["\#(Self.token)"]}"#),
      Call(
        .sender, "/gcm/notification",
        #"{"operation":"add","notification_key_name":"n","notification_key":"\#(group)","registration_ids":["\#(token)"]}"#
      ),
      Call(
        .sender, "/gcm/send",
        #"{"to":"\#(token)","collapse_key":"k","time_to_live":60,"data":{"a":"b"},"notification":{"title":"T"}}"#,
        maps: ["data"]),
      Call(
        .sender, "/v1/projects/shop/messages:send",
        #"{"validate_only":true,"message":{"token":"\#(token)","data":{"a":"b"},"android":{"ttl":"60s"}}}"#,
        maps: ["message.data"]),
      Call(.nobody, "/v1/projects/shop/installations", #"{"fid":"abc","appId":"1:2:web:3"}"#),
      Call(
        .nobody, "/v1/projects/shop/registrations",
        #"{"web":{"applicationPubKey":"x","auth":"\#(secret)","p256dh":"\#(point)","#
          + #""endpoint":"https://fcm.googleapis.com/fcm/send/\#(page)"}}"#),
    ]
  }

  @Test("each member of each body")
  func bodies() async throws {
    try await CrossingWorld.run { world in
      let request = try await world[.supportUser].ask("Help")
      let chat = try await world.chat().chat
      let messaging = try await Self.messaging(world)
      for call in Self.customers() + Self.agents(chat: chat, request: request) + messaging {
        /// What became of it, without what is new in each answer.
        func outcome(_ body: JSONValue) async throws -> String {
          let answer = try await world[call.caller].call(
            call.method, call.path, bytes: body.text, adding: [("Content-Type", "application/json")])
          guard (200..<300).contains(answer.status) else { return "\(answer.status) \(answer.body)" }
          return "taken \(answer.json["results"]?[0]?["error"]?.string ?? "")"
        }
        let whole = try JSONValue(parsing: call.body)
        let taken = try await outcome(whole)
        #expect(taken == "taken ", "\(call.path): \(taken)")
        for member in NulledMember.all(of: whole, maps: call.maps) {
          let (absent, nulled) = (try await outcome(member.absent), try await outcome(member.nulled))
          #expect(absent == nulled, "\(call.path): \(member.path)")
        }
      }
    }
  }
}
