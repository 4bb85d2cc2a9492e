import EdgeSecurity
package import HTTPKit
import HTTPTypes

extension ReceiptRoutes {
  package static let surface = RoutedSurface<ReceiptRoutes>(
    "receipts",
    """
    Proofs for apps, in the format of C2SP tlog-proof: whoever has one can show that the message stands in the journal, \
    without the server. Off unless `chat.receipts` is on and `journal.origin` set.
    """,
    [
      Operation(
        .get, "/genesys/1/service/{service}/ixn/chat/receipt", "getReceipt", "A proof of a message of one's own",
        about: """
          Of what the customer has written, at its position in the transcript. 404 with `NotYetException` as long as no \
          checkpoint reaches it: ask again after `Retry-After`. What was erased has none any more.
          """,
        access: .customer, budget: .receipts,
        parameters: [
          .serviceID, .ownerKey, .requiredQuery("position", "Of the message in the transcript.", .integer),
        ],
        answers: [APIAnswer(200, "A proof: check it offline.", [("text/plain", .text)])], failures: [400, 404, 503]
      ) { routes, request, context in try await routes.receipt(request, context) }
    ])
}
