import Engine
import Hummingbird

extension EdgeFailure {
  func response(for surface: Surface) -> Response { .json(body(for: surface), status: status, adding: fields) }
}
