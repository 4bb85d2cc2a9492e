package import Hummingbird

/// Puts our own error object in the place of the router's.
package struct FailureMiddleware: RouterMiddleware {
  package init() {}

  package func handle(
    _ request: Request, context: EdgeRequestContext, next: (Request, EdgeRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      throw error.status == .notFound
        ? EdgeFailure.notFound
        : EdgeFailure(
          error.status, error.status.reasonPhrase, exception: "HTTPException")
    }
  }
}
