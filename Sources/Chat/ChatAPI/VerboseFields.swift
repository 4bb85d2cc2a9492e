import ChatEngine
import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The members of a chat reply that only old clients read, all of them texts. Spec: GMS 3.5, *verbose*.
struct VerboseFields {
  private let reply: ChatReply
  private let host: String
  private let port: Int
  private let isTLS: Bool
  private let timeZoneOffset: String
  /// Why nothing can be pushed to the device that the app has named; nil if there is no reason. Spec: GMS 7.1.
  var pushObstacle: String?

  init(_ reply: ChatReply, _ parameters: RequestParameters, _ request: Request, _ context: EdgeRequestContext) {
    self.reply = reply
    // A client reaches us by the name it used, which may be a proxy's.
    let authority = request.head.authority ?? "localhost"
    let colon = authority.lastIndex(of: ":").flatMap { authority[$0...].contains("]") ? nil : $0 }
    host = String(authority[..<(colon ?? authority.endIndex)])
    port = colon.flatMap { Int(authority[authority.index(after: $0)...]) } ?? context.localPort
    isTLS = context.isTLS
    timeZoneOffset = parameters["clientTimeZoneOffset"].flatMap { Int($0) }.map(String.init) ?? "0"
  }

  func write(into object: inout JSONObjectWriter) {
    let path = ChatRoutes.path(of: reply.serviceID)
    let members: [(String, String)] = [
      ("userId", reply.userID), ("secureKey", reply.secureKey), ("checkChatServiceLoadBalancerPath", ""),
      ("chatServerLoadBalancerAlias", "1"), ("chatServerHost", host), ("chatWebApiPort", String(port)),
      ("isTLSrequired", isTLS ? "true" : "false"), ("clientTimeZoneOffset", timeZoneOffset),
      ("_chatIxnAPI_SEND_URL", path + "/send"), ("_chatIxnAPI_REFRESH_URL", path + "/refresh"),
      ("_chatIxnAPI_REFRESH_FROM_START_URL", path + "/refresh?transcriptPosition=0"),
      ("_chatIxnAPI_START_TYPING_URL", path + "/startTyping"), ("_chatIxnAPI_STOP_TYPING_URL", path + "/stopTyping"),
      ("_chatIxnAPI_DISCONNECT_URL", path + "/disconnect"),
    ]
    for (name, value) in members + comet + push { object.member(named: name, value) }
  }

  /// How the events of a chat without a user are followed: a session that is to get them names the chat in its handshake.
  /// Spec: GMS 4.2.
  private var comet: [(String, String)] {
    guard reply.isFollowedByServiceID else { return [] }
    return [
      ("_chatIxnAPI_COMET_URL", "/genesys/cometd"),
      ("_chatIxnAPI_COMET_HANDSHAKE_EXT", #"{"serviceId":"\#(reply.serviceID)"}"#),
    ]
  }

  private var push: [(String, String)] { pushObstacle.map { [("pushNotificationProblem", $0)] } ?? [] }
}
