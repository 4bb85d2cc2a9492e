import CarillonClient
import JSONEnvelope
import NIOCore

extension ChatLoad {
  /// Makes all customers with what they need at the server, a number of them at a time.
  func setUp() -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    setUpPromise = promise
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .seconds(Limits.setUpTimeout.components.seconds)) {
      if bound.value.setUpPromise != nil { bound.value.fail("set-up took more than \(Limits.setUpTimeout)") }
    }
    for _ in 0..<min(Limits.setUpsAtOnce, settings.customers) { setUpNext() }
    return promise.futureResult
  }

  private func setUpNext() {
    guard nextSetUp < settings.customers, failure == nil else { return }
    let customer = Customer(index: nextSetUp, userKey: settings.service.userKey(ofLoad: number, nextSetUp))
    nextSetUp += 1
    customers.append(customer)
    service.setUp(customer)
  }

  /// A customer hears from now on.
  func linked(_ customer: Customer) {
    guard !customer.isSetUp else { return }
    customer.isSetUp = true
    setUpCount += 1
    if setUpCount == settings.customers {
      setUpPromise?.succeed()
      setUpPromise = nil
    } else {
      setUpNext()
    }
  }

  /// A request of the set-up, over one of the posting connections.
  func submit(_ request: HTTPRequest, _ completion: @escaping (JSONValue) -> Void) {
    lanes.submit(request.bytes(for: settings.address)) { [unowned self] response in
      guard response.status == 200 || response.status == 201, let value = try? JSONValue(parsing: response.bodyBytes)
      else { return self.fail("\(request.path): \(response.status) \(String(buffer: response.body))") }
      completion(value)
    }
  }
}
