import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import PushDomain
import PushEngine

/// The couriers' lanes.
extension AdminPushRoutes {
  static let laneOperations: [Operation<AdminPushRoutes>] = [
    Operation(
      .get, "/admin/1/lanes", "listLanes", "What each courier does", access: .admin,
      parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
      answers: [.page("The lanes.", of: .named("Lane"))], failures: [400]
    ) { routes, _, request, _ in try routes.lanes(request) },
    Operation(
      .post, "/admin/1/lanes/reset", "resetLanes", "Try again at once what was found to be broken", access: .admin,
      answers: [.done("They try.")]
    ) { routes, _, _, _ in routes.resetLanes() },
  ]

  func lanes(_ request: Request) throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    let (lanes, link) = try query.page(of: couriers.lanes(), by: \.label)
    return .json(adding: link) { $0.objects(lanes) { PushRendering.write($0, into: &$1) } }
  }

  func resetLanes() -> Response {
    couriers.resetLanes()
    return Response(status: .noContent)
  }

  // MARK: Schema

  static let lane = APISchema.object([
    .required("lane"), .required("lanes", .integer), .required("waiting", .integer), .required("running", .integer),
    .required("open", .integer, "Lanes that wait after failures."),
    .required("off", .integer, "Lanes that are given up."),
    .required("oldestSeconds", .number),
    .required("queued", .object([.required("high", .integer), .required("normal", .integer)]), "Messages that wait."),
    .required("nextAttemptAt", APISchema.time.orNull, "When the first device tries again that waits for it."),
    .required("reason", APISchema.text.orNull, "Why, if some are open or off: of one of them."),
    .required("nextProbeAt", APISchema.time.orNull, "When the first of those tries a push, at the earliest."),
  ])
}
