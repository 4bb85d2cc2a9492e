import Hummingbird
import SupportAPI

extension EdgeFailure {
  /// The body in the dialect of the surface that was asked.
  func body(for surface: Surface) -> [UInt8] { surface == .support ? supportBody : body }

  func response(for surface: Surface) -> Response { .json(body(for: surface), status: status, adding: fields) }
}
