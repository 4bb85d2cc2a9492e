package io.carillon.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UnsupportedEncodingException;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Requests to whichever of several servers serves. */
final class Http {
  static final String FORM = "application/x-www-form-urlencoded";
  static final String JSON = "application/json";
  static final byte[] NOTHING = {};

  private final ServerList servers;
  private final Headers headers;

  /** What every request says, asked before each. */
  interface Headers {
    Map<String, String> get() throws CarillonException;
  }

  Http(ServerList servers, Headers headers) {
    this.servers = servers;
    this.headers = headers;
  }

  static final class Response {
    final int status;
    final byte[] body;
    final String link;
    final String retryAfter;

    private Response(int status, byte[] body, String link, String retryAfter) {
      this.status = status;
      this.body = body;
      this.link = link;
      this.retryAfter = retryAfter;
    }

    Object json() throws CarillonException {
      return body.length == 0 ? null : Json.parse(body);
    }
  }

  /** A request under way, which another thread may give up. */
  static final class Attempt {
    private HttpURLConnection connection;
    private boolean isGivenUp;

    synchronized void giveUp() {
      isGivenUp = true;
      if (connection != null) hangUp(connection);
    }

    private synchronized void begin(HttpURLConnection begun) throws CarillonException {
      if (isGivenUp) throw new CarillonException(CarillonException.Kind.STOPPED, "given up");
      connection = begun;
    }

    private synchronized boolean isGivenUp() {
      return isGivenUp;
    }
  }

  /** The JSON of an answer with a status from 200 to 299; null if it has none. */
  Object json(String method, String path, Object body, long timeout) throws CarillonException {
    byte[] bytes = body == null ? NOTHING : Json.bytes(body);
    return accepted(exchange(method, path, body == null ? null : JSON, bytes, timeout)).json();
  }

  Object form(String path, Map<String, String> fields, long timeout) throws CarillonException {
    return accepted(exchange("POST", path, FORM, formEncoded(fields).getBytes(StandardCharsets.UTF_8), timeout)).json();
  }

  Response exchange(String method, String path, String type, byte[] body, long timeout) throws CarillonException {
    return exchange(method, path, type, body, timeout, new Attempt());
  }

  /**
   * The whole answer, whatever its status but 503.
   *
   * @param timeout of each server that is asked, milliseconds.
   */
  Response exchange(String method, String path, String type, byte[] body, long timeout, Attempt attempt)
      throws CarillonException {
    return servers.answer(server -> {
      Response response = ask(server, method, path, type, body, timeout, attempt);
      if (response.status == 503) accepted(response);
      return response;
    });
  }

  /** @throws CarillonException with kind {@code REFUSED} for any status but those from 200 to 299. */
  static Response accepted(Response response) throws CarillonException {
    if (response.status >= 200 && response.status < 300) return response;
    String message = null;
    try {
      message = Json.string(Json.parse(response.body), "message");
    } catch (CarillonException noJSON) {
      // Then it is what somebody on the way has said.
    }
    if (message == null) {
      String text = new String(response.body, StandardCharsets.UTF_8);
      message = text.substring(0, Math.min(text.length(), Limits.ERROR_EXCERPT_MAXIMUM));
    }
    long retryAfter = -1;
    try {
      if (response.retryAfter != null) {
        long seconds = Long.parseLong(response.retryAfter.trim());
        retryAfter = Math.max(0, Math.min(seconds, Limits.RETRY_AFTER_SECONDS_MAXIMUM));
      }
    } catch (NumberFormatException date) {
      // Our server says seconds.
    }
    throw CarillonException.refused(response.status, message, retryAfter);
  }

  static String formEncoded(Map<String, String> fields) {
    StringBuilder form = new StringBuilder();
    for (Map.Entry<String, String> field : fields.entrySet()) {
      if (form.length() > 0) form.append('&');
      form.append(encoded(field.getKey())).append('=').append(encoded(field.getValue()));
    }
    return form.toString();
  }

  /** For a path or a query. */
  static String encoded(String text) {
    try {
      return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
    } catch (UnsupportedEncodingException failure) {
      throw new AssertionError("every Java has UTF-8", failure);
    }
  }

  private Response ask(
      ServerAddress server, String method, String path, String type, byte[] body, long timeout, Attempt attempt)
      throws CarillonException {
    long start = System.nanoTime();
    HttpURLConnection connection;
    try {
      connection = open(server, method, path, type, body, timeout);
    } catch (IOException | RuntimeException failure) {
      throw new CarillonException(
          CarillonException.Kind.INVALID_ARGUMENT, String.valueOf(failure.getMessage()), failure);
    }
    attempt.begin(connection);
    // The time-outs of a connection are those of one read: who trickles bytes would never be done.
    Future<?> deadline = Workers.CLOCK.schedule(
        () -> Workers.run(() -> hangUp(connection)), timeout, TimeUnit.MILLISECONDS);
    try {
      try {
        connection.connect();
      } catch (IOException failure) {
        throw attempt.isGivenUp() ? stopped() : new CarillonException(
            CarillonException.Kind.UNREACHABLE, server + ": " + failure.getMessage(), failure);
      }
      try {
        return answer(connection, method, body, start, timeout);
      } catch (SocketTimeoutException failure) {
        hangUp(connection);
        throw new CarillonException(CarillonException.Kind.TIMED_OUT, path, failure);
      } catch (IOException failure) {
        hangUp(connection);
        if (attempt.isGivenUp()) throw stopped();
        boolean isLate = milliseconds(start) >= timeout;
        throw new CarillonException(
            isLate ? CarillonException.Kind.TIMED_OUT : CarillonException.Kind.CONNECTION_CLOSED,
            path + ": " + failure.getMessage(), failure);
      }
    } catch (RuntimeException failure) {
      // Platforms' HTTP clients have thrown these over garbage.
      hangUp(connection);
      throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, path + ": " + failure, failure);
    } finally {
      deadline.cancel(false);
    }
  }

  private HttpURLConnection open(
      ServerAddress server, String method, String path, String type, byte[] body, long timeout)
      throws IOException, CarillonException {
    HttpURLConnection connection = (HttpURLConnection) new URL(server + path).openConnection();
    connection.setConnectTimeout((int) Math.min(timeout, Limits.CONNECT_MILLISECONDS));
    connection.setReadTimeout((int) Math.min(timeout, Integer.MAX_VALUE));
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setRequestMethod(method);
    for (Map.Entry<String, String> header : headers.get().entrySet()) {
      connection.setRequestProperty(header.getKey(), header.getValue());
    }
    if (type != null) connection.setRequestProperty("Content-Type", type);
    if (!method.equals("GET") && !method.equals("DELETE")) {
      connection.setDoOutput(true);
      // Otherwise HttpURLConnection keeps the body, and repeats a POST by itself when a kept-alive connection turns out
      // to be closed: what the server had done already would be done twice.
      connection.setFixedLengthStreamingMode(body.length);
    }
    return connection;
  }

  private static Response answer(HttpURLConnection connection, String method, byte[] body, long start, long timeout)
      throws IOException, CarillonException {
    if (connection.getDoOutput()) {
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
    }
    int status;
    try {
      status = connection.getResponseCode();
    } catch (HttpRetryException refusal) {
      // So it says that a streamed body was answered 401.
      status = refusal.responseCode();
      return new Response(status, NOTHING, null, null);
    }
    if (status < 100) throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "no HTTP");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
      byte[] piece = new byte[8_192];
      int count;
      while (in != null && (count = in.read(piece)) >= 0) {
        bytes.write(piece, 0, count);
        if (bytes.size() > Limits.RESPONSE_BYTES_MAXIMUM) {
          hangUp(connection);
          throw new CarillonException(
              CarillonException.Kind.MALFORMED_RESPONSE, "more than " + Limits.RESPONSE_BYTES_MAXIMUM + " bytes");
        }
        if (milliseconds(start) > timeout) throw new SocketTimeoutException("the answer does not end");
      }
    }
    return new Response(
        status, bytes.toByteArray(), connection.getHeaderField("Link"), connection.getHeaderField("Retry-After"));
  }

  private static void hangUp(HttpURLConnection connection) {
    try {
      connection.disconnect();
    } catch (RuntimeException failure) {
      // It is closed already.
    }
  }

  private static CarillonException stopped() {
    return new CarillonException(CarillonException.Kind.STOPPED, "given up");
  }

  private static long milliseconds(long start) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }
}
