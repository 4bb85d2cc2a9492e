package io.carillon.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * How an app reaches its server. To be set up before it is handed to a client, and not changed afterwards.
 *
 * <pre>{@code
 * CarillonConfiguration configuration = new CarillonConfiguration("https://chat.example.com", userKey);
 * configuration.alternatives = Arrays.asList("https://standby.example.com");
 * configuration.callbackExecutor = new Handler(Looper.getMainLooper())::post;   // Android: the main thread
 * }</pre>
 */
public final class CarillonConfiguration {
  /** {@code http://host[:port][/base]} or {@code https://…}. */
  public final String server;
  /**
   * The user's key, sent as {@code gms_user} with every request; null for none. Whoever knows it reads the user's
   * chats: make it long and random.
   */
  public final String userKey;
  /**
   * Where its standbys serve once one of them has taken its place, in the order in which they are tried: by requests
   * that do not reach the server, or find it not ready.
   */
  public List<String> alternatives = new ArrayList<>();
  /**
   * Proves that the user is {@link #userKey}, where the server asks for that; not beside {@link #username}. Asked
   * before each request, so that a token which was renewed is used at once. Null for none.
   */
  public Supplier<String> userToken;
  /** Basic credentials, if the server or the service has some. */
  public String username;
  public String password;
  /** The name of the chat service. */
  public String service = "request-chat";
  /** How long a request other than the held connect may take. */
  public long requestTimeoutMilliseconds = 10_000;
  /** Between attempts to connect. */
  public BackOff backOff = new BackOff(1_000, 60_000);
  /**
   * How long a request whose answer did not come is given to arrive all the same, until a message that the transcript
   * does not show is sent again. What stands on the way and holds a request for longer can make it come twice.
   */
  public long settleMilliseconds = 3_000;
  /** Messages that may wait in an outbox. */
  public int outboxMaximum = 10_000;
  /** Runs the listeners; a thread of the library's own if null. */
  public Executor callbackExecutor;
  /** Told what a listener or a store of the app throws. The library goes on. */
  public Consumer<Throwable> failureHandler = failure -> { };

  public CarillonConfiguration(String server, String userKey) {
    this.server = server;
    this.userKey = userKey;
  }

  /** All addresses, in their order. */
  ServerList servers() throws CarillonException {
    List<ServerAddress> addresses = new ArrayList<>();
    addresses.add(ServerAddress.parse(server));
    for (String alternative : alternatives) addresses.add(ServerAddress.parse(alternative));
    return new ServerList(addresses);
  }

  /** What every request of the user says. */
  Map<String, String> headers() throws CarillonException {
    Map<String, String> headers = new LinkedHashMap<>();
    if (userKey != null) headers.put("gms_user", userKey);
    if (username != null) {
      byte[] pair = (username + ":" + (password == null ? "" : password)).getBytes(StandardCharsets.UTF_8);
      headers.put("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    } else if (userToken != null) {
      headers.put("Authorization", "Bearer " + userToken.get());
    }
    checkHeaders(headers);
    return headers;
  }

  /** A line break in a header would be a header of its own. */
  static void checkHeaders(Map<String, String> headers) throws CarillonException {
    for (Map.Entry<String, String> header : headers.entrySet()) {
      for (char c : header.getValue().toCharArray()) {
        if (c < ' ' || c > '~') {
          throw new CarillonException(
              CarillonException.Kind.INVALID_ARGUMENT, header.getKey() + " may have visible ASCII only");
        }
      }
    }
  }

}
