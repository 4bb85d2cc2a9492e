import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What the server was told, and by whom.
extension ServerRoutes {
  static let configurationOperation = Operation<ServerRoutes>(
    .get, "/admin/1/configuration", "listConfiguration", "The options in force, and where each comes from",
    about: """
      All options of the sections that there is one of, and of the others those that are set: what is not set there is looked \
      up in the more general ones. An option that only a restart takes over has the value that the server was started with.
      """,
    access: .admin,
    parameters: APIParameter.listed(
      [
        .query("section", "Of this section.").example("server"),
        .query("origin", "Set by this.", .oneOf(ConfiguredOption.Origin.allCases.map(\.rawValue))),
      ], upTo: EngineLimits().listMaximum),
    answers: [.page("By section and name.", of: .named("ConfiguredOption"))], failures: [400]
  ) { routes, _, request, _ in try routes.listConfiguration(request) }

  static let configuredOption = APISchema.object([
    .required("section"), .required("name"),
    .required("value", APISchema.text.orNull, "As a source would write it; null if there is none, and of secrets."),
    .required("secret", .bool), .required("origin", .oneOf(ConfiguredOption.Origin.allCases.map(\.rawValue))),
    .optional("place", .text, "File and line, variable or argument."),
    .required(
      "takes", .oneOf(ConfiguredOption.Effect.allCases.map(\.rawValue)), "What it takes until a changed value counts."),
    .required("summary"),
  ])

  private func listConfiguration(_ request: Request) throws -> Response {
    let query = try ListQuery(request, ["section", "origin"], limitMaximum: listMaximum)
    let (section, origin) = (query["section"], try query.word("origin", ConfiguredOption.Origin.self))
    let wanted = configuration.current.filter { option in
      (section ?? option.section) == option.section && (origin ?? option.origin) == option.origin
    }
    let (page, link) = try query.page(of: wanted, by: \.id)
    return .json(adding: link) {
      $0.objects(page) { option, object in
        object.member("section", option.section)
        object.member("name", option.name)
        object.member("value", option.value)
        object.member("secret", option.isSecret)
        object.member("origin", option.origin.rawValue)
        object.member("place", ifPresent: option.place)
        object.member("takes", option.effect.rawValue)
        object.member("summary", option.summary)
      }
    }
  }
}
