package io.carillon.client;

import java.util.concurrent.Executor;

/** Asks the server on a thread of its own, and tells the app of the outcome on the app's executor. */
final class Caller {
  interface Question<T> {
    T ask(Http http) throws CarillonException;
  }

  final Executor callbacks;
  private final CarillonConfiguration configuration;
  private final Http.Headers headers;
  private Http http;

  Caller(CarillonConfiguration configuration, Http.Headers headers) {
    this.configuration = configuration;
    this.headers = headers;
    callbacks = Workers.inOrder(configuration.callbackExecutor, configuration.failureHandler);
  }

  <T> Pending<T> ask(Question<T> question) {
    Pending<T> pending = new Pending<>(callbacks);
    Workers.run(() -> {
      try {
        pending.complete(Outcome.of(question.ask(http())));
      } catch (CarillonException failure) {
        pending.complete(Outcome.<T>failed(failure));
      } catch (RuntimeException failure) {
        pending.complete(Outcome.<T>failed(
            new CarillonException(CarillonException.Kind.INVALID_ARGUMENT, String.valueOf(failure), failure)));
      }
    });
    return pending;
  }

  synchronized Http http() throws CarillonException {
    if (http == null) http = new Http(configuration.servers(), headers);
    return http;
  }

  Object json(Http http, String method, String path, Object body) throws CarillonException {
    return http.json(method, path, body, configuration.requestTimeoutMilliseconds);
  }
}
