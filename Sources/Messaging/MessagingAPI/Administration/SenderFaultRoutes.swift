import GCMProtocol
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import MessagingEngine

/// Scripts for senders in test mode: what their next messages are to meet.
///
/// A fault is `{"error":"Unavailable"}` (each target is answered with the code), `{"status":503,"retryAfterSeconds":7}`
/// (the request is), or neither: it only comes later. `delayMilliseconds` goes with each; `count` repeats it.
struct SenderFaultRoutes {
  let messaging: MessagingService
  let tokens: TokenStore
  let limits: EdgeLimits

  func set(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let sender = try Self.sender(context)
    // A script that nobody reads would only puzzle its writer.
    guard tokens.isTestSender(sender) else { throw EdgeFailure.noTestSender }
    let body = try JSONBody(try await request.bytes(limits: limits))
    messaging.setFaults(try Self.faults(body), of: sender)
    return Self.answer(messaging.faults(of: sender))
  }

  func rest(_ request: Request, _ context: EdgeRequestContext) throws -> Response {
    _ = try ListQuery.known(request, [])
    return Self.answer(messaging.faults(of: try Self.sender(context)))
  }

  func end(_ context: EdgeRequestContext) throws -> Response {
    messaging.setFaults([], of: try Self.sender(context))
    return Response(status: .noContent)
  }

  private static func sender(_ context: EdgeRequestContext) throws -> String {
    guard let sender = PathText.decode(try context.parameters.require("sender")) else { throw EdgeFailure.notFound }
    return sender
  }

  private static func faults(_ body: JSONBody) throws(EdgeFailure) -> [ScriptedFault] {
    var faults: [ScriptedFault] = []
    for entry in try body.objects("faults", maximum: EdgeLimits.scriptedFaultsMaximum) {
      let count = try entry.optionalInteger("count", in: 1...EdgeLimits.scriptedFaultsMaximum) ?? 1
      guard faults.count + count <= EdgeLimits.scriptedFaultsMaximum else {
        throw .badParameter("faults", "has more than \(EdgeLimits.scriptedFaultsMaximum) entries")
      }
      faults += Array(repeating: try fault(entry), count: count)
    }
    return faults
  }

  private static func fault(_ entry: JSONBody) throws(EdgeFailure) -> ScriptedFault {
    let status = try entry.optionalInteger("status", in: 400...599)
    let kind: ScriptedFault.Kind
    switch (try entry.optionalText("error"), status) {
    case (nil, nil): kind = .slow
    case (nil, let status?): kind = .status(status)
    case (let name?, nil):
      guard let error = DownstreamError(rawValue: name) else {
        throw .badParameter(
          "error", "is not one of \(DownstreamError.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      kind = .error(error)
    case (.some, .some): throw .badParameter("status", "cannot be given together with 'error'")
    }
    return ScriptedFault(
      kind: kind,
      delayMilliseconds: try entry.optionalInteger(
        "delayMilliseconds", in: 0...EdgeLimits.scriptedDelayMillisecondsMaximum) ?? 0,
      retryAfterSeconds: try entry.optionalInteger("retryAfterSeconds", in: 0...86_400))
  }

  private static func answer(_ faults: [ScriptedFault]) -> Response {
    .object { script in
      script.objects("faults", faults) { fault, object in
        switch fault.kind {
        case .slow: break
        case .error(let error): object.member("error", error.rawValue)
        case .status(let status): object.member("status", status)
        }
        object.member("delayMilliseconds", fault.delayMilliseconds)
        object.member("retryAfterSeconds", ifPresent: fault.retryAfterSeconds)
      }
    }
  }
}

extension EdgeFailure {
  fileprivate static let noTestSender = EdgeFailure(
    .notFound, "No usable key of this sender is in test mode", exception: "NotFoundException")
}
