import JSONEnvelope

// What all lists of agents and operators have in common: see `ListQuery`.
extension APIParameter {
  /// `limit` and `after`, behind others. - Parameter maximum: what `limit` may be.
  package static func listed(_ others: [APIParameter] = [], upTo maximum: Int) -> [APIParameter] {
    let own: [APIParameter] = [
      .query(
        "limit", "At most so many.", APISchema.integer(1...maximum).byDefault(.integer(Int64(ListQuery.limitDefault)))),
      .query("after", "Where the list goes on: from the `Link` of the answer before."),
    ]
    return others + own
  }

  /// A service's name.
  package static let ofService = APIParameter.query("service", "Of this service.")
}

extension APIAnswer {
  /// 200 with one page. Its header `Link` is there only if there is more, so that it is described in words.
  package static func page(_ about: String, of schema: APISchema) -> APIAnswer { page(about, .list(of: schema)) }

  /// 200 with one page, where it may be known how many there are on all.
  package static func countedPage(_ about: String, of schema: APISchema) -> APIAnswer {
    page(about + " The header `X-Total-Count` says how many there are on all pages, where that is known.", of: schema)
  }

  package static func page(_ about: String, _ schema: APISchema) -> APIAnswer {
    .json(200, about + " If there is more, the header `Link` says where it is (`rel=\"next\"`).", schema)
  }
}
