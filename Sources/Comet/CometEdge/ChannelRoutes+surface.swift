import Bayeux
import CometEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import JSONEnvelope

extension ChannelRoutes {
  package static let surface = RoutedSurface<ChannelRoutes>(
    "channels",
    """
    Application channels: publish and subscribe between apps and their back ends, live, over Comet. Sections \
    `channels.…` of the configuration open them. Needs a token of the role `channels` or `admin`.
    """,
    [
      Operation(
        .get, path, "listChannels", "The channels and patterns that there are",
        about: "Those that somebody is subscribed to, and those that were published on in the last seconds.",
        access: .channels, parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
        answers: [.page("In the order of their names.", of: .named("Channel"))], failures: [400]
      ) { routes, _, request, _ in try routes.list(request) },
      Operation(
        .get, path + "/{channel}", "listSubscribers", "Who gets what is published on a channel",
        about: "Through whatever subscription, each once.", access: .channels,
        parameters: [channelName] + APIParameter.listed(upTo: EngineLimits().listMaximum),
        answers: [.page("In the order in which they came.", of: .named("Subscriber"))], failures: [400, 404]
      ) { routes, _, request, _ in try routes.audience(request) },
      Operation(
        .post, path + "/{channel}", "publishOnChannel", "Publish on a channel",
        about: """
          Whoever is subscribed at this moment gets it once; nothing of it is kept. On a channel below `/service` it goes \
          to the one session that `subscriber` names, whatever it is subscribed to.
          """,
        access: .channels, parameters: [channelName],
        body: .json(
          .object([
            .required("data", .anything, "What subscribers get."),
            .optional("subscriber", .integer(1...Int.max), "On service channels only: who gets it."),
          ])),
        answers: [
          .json(200, "To how many sessions it goes.", .object([.required("subscribers", .integer)]))
        ], failures: [400, 404, 413]
      ) { routes, _, request, _ in try await routes.publish(request) },
      Operation(
        .get, "/admin/1/channel-stream", "followChannels", "Follow what is published, and who comes and goes",
        about: """
          Server-sent events, each named for what happened \
          (\(ChannelNews.Kind.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))), from now on: begin to \
          follow, then list. `joined` and `left` name what was subscribed to, a channel or a pattern. A stream that lags \
          behind is ended.
          """,
        access: .channels,
        parameters: [
          .query("channel", "On this channel, or those that this pattern covers: `/news/**`.", .text(1...256))
        ],
        answers: [APIAnswer(200, "Until either side ends it.", [("text/event-stream", .text)])], failures: [400]
      ) { routes, token, request, _ in try routes.follow(token, request) },
    ],
    schemas: [
      ("Channel", .object([.required("channel"), .required("subscribers", .integer, "To just this name.")])),
      (
        "Subscriber",
        .object([
          .required("subscriber", .integer, "The session's number, as long as this process runs."),
          .optional("userKey", .text, "Its `gms_user`, or `support/` and the number of who came by an access token."),
        ])
      ),
    ])

  private static let channelName = APIParameter.rest("channel", "Its name, without the first slash.", .text(1...255))
    .example("news/sport")
}
