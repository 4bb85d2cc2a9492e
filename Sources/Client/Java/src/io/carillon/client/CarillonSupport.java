package io.carillon.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An app's side of support requests. Spec: support requests 2, 3, 8.
 *
 * <pre>{@code
 * CarillonSupport support = new CarillonSupport(configuration, "shop-android", savedAccessToken);
 * support.signIn(guid, "Ann", "ann@example.com").whenDone(outcome -> save(outcome.value()));
 * support.registerDevice(fcmToken, "en");
 * support.create("Order 81", "It has not come.");
 * }</pre>
 *
 * <p>Users are known by their sign-in: of the configuration no user key, token or credentials are sent.
 */
public final class CarillonSupport {
  private static final String REQUESTS = "/api/mobile/requests";
  private static final String DEVICES = "/api/mobile/push_notification_devices";

  private final CarillonConfiguration configuration;
  private final Caller caller;
  private final String app;
  private volatile String accessToken;

  /**
   * @param app the client id that the server knows the app by.
   * @param accessToken of an earlier sign-in; null for none.
   */
  public CarillonSupport(CarillonConfiguration configuration, String app, String accessToken) {
    this.configuration = configuration;
    this.app = app;
    this.accessToken = accessToken;
    caller = new Caller(configuration, this::headers);
  }

  /**
   * Signs in without a proof.
   *
   * @param guid a UUID that the app has made on this device, and keeps.
   * @return the access token, to be kept: it stays good until the identity changes.
   */
  public Pending<String> signIn(String guid, String name, String email) {
    return signIn("anonymous", Json.of("sdk_guid", guid, "name", name, "email", email));
  }

  /** @param userToken what the app's own back end knows its user by. */
  public Pending<String> signIn(String userToken) {
    return signIn("jwt", Json.of("token", userToken));
  }

  private Pending<String> signIn(String kind, Map<String, Object> user) {
    return caller.ask(http -> {
      accessToken = null;
      Object answer = caller.json(http, "POST", "/access/sdk/" + kind, Json.of("user", user));
      String token = Json.string(Json.member(answer, "authentication"), "access_token");
      if (token == null) throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "no access token");
      accessToken = token;
      return token;
    });
  }

  /**
   * Registers a registration token of FCM, also one that has moved; harmless if it is registered already.
   *
   * @param locale of the notifications' texts, such as {@code de} or {@code en-us}.
   */
  public Pending<Void> registerDevice(String token, String locale) {
    return caller.ask(http -> {
      caller.json(
          http, "POST", DEVICES + ".json",
          Json.of(
              "push_notification_device",
              Json.of("identifier", token, "device_type", "android", "locale", locale)));
      return null;
    });
  }

  /** From here on nothing more is sent to it. */
  public Pending<Void> unregisterDevice(String token) {
    return caller.ask(http -> {
      caller.json(http, "DELETE", DEVICES + "/" + Http.encoded(token) + ".json", null);
      return null;
    });
  }

  public Pending<SupportTicket> create(String subject, String text) {
    return caller.ask(http -> new SupportTicket(Json.member(
        caller.json(
            http, "POST", REQUESTS + ".json",
            Json.of("request", Json.of("subject", subject, "comment", Json.of("body", text)))),
        "request")));
  }

  /** One's own, newest first. */
  public Pending<List<SupportTicket>> requests() {
    return caller.ask(http -> {
      List<SupportTicket> tickets = new ArrayList<>();
      Object answer = caller.json(http, "GET", REQUESTS + ".json", null);
      for (Object ticket : Json.array(Json.member(answer, "requests"))) tickets.add(new SupportTicket(ticket));
      return tickets;
    });
  }

  public Pending<SupportTicket> comment(long request, String text) {
    return caller.ask(http -> new SupportTicket(Json.member(
        caller.json(
            http, "PUT", REQUESTS + "/" + request + ".json",
            Json.of("request", Json.of("comment", Json.of("body", text)))),
        "request")));
  }

  /**
   * Oldest first.
   *
   * @param since those made after this moment: the {@code createdAt} of a comment; null for all.
   */
  public Pending<List<SupportComment>> comments(long request, String since) {
    return caller.ask(http -> {
      List<SupportComment> comments = new ArrayList<>();
      String query = since == null ? "" : "?since=" + Http.encoded(since);
      Object answer = caller.json(http, "GET", REQUESTS + "/" + request + "/comments.json" + query, null);
      for (Object comment : Json.array(Json.member(answer, "comments"))) comments.add(new SupportComment(comment));
      return comments;
    });
  }

  /** Told of answers while the app is looked at. */
  public interface StreamListener {
    /** There is a comment to fetch. */
    void onComment(long request, long comment);

    /** What is missed while the stream is lost comes as a push. */
    default void onConnected(boolean isConnected) {}
  }

  /** Live events of one's own requests; it connects again by itself until it is closed. */
  public final class Stream {
    private static final String CHANNELS = "/support/requests/";

    private final CometSession session;

    private Stream(Http http, StreamListener listener) {
      session = new CometSession(http, configuration, CHANNELS + "*", new CometSession.Owner() {
        @Override
        public long position() {
          return -1;
        }

        @Override
        public void received(List<CometMessage> events) {
          for (CometMessage event : events) {
            if (!"request.comment".equals(Json.string(event.data, "type"))) continue;
            long request = Json.integer(event.data, "request_id", -1);
            long comment = Json.integer(event.data, "comment_id", -1);
            if (request >= 0 && comment >= 0) {
              caller.callbacks.execute(() -> listener.onComment(request, comment));
            }
          }
        }

        @Override
        public void linked(boolean again) {
          caller.callbacks.execute(() -> listener.onConnected(true));
        }

        @Override
        public void lost(CarillonException failure) {
          caller.callbacks.execute(() -> listener.onConnected(false));
        }

        @Override
        public void over(CarillonException failure) {
          lost(failure);
        }
      });
    }

    /** The comment is on the screen of this device: the server sends it no push of it, if it hears that in time. */
    public Pending<Void> acknowledge(long request, long comment, String token) {
      return caller.ask(http -> {
        session.publish(
            CHANNELS + request,
            Json.of("type", "refreshed", "comment_id", String.valueOf(comment), "identifier", token));
        return null;
      });
    }

    public void close() {
      Workers.run(() -> {
        try {
          session.disconnect();
        } catch (CarillonException failure) {
          // The server notices by itself.
        }
      });
    }
  }

  /** Fails if nobody is signed in. */
  public Pending<Stream> stream(StreamListener listener) {
    return caller.ask(http -> {
      if (accessToken == null) {
        throw new CarillonException(CarillonException.Kind.INVALID_STATE, "no identity: sign in first");
      }
      Stream stream = new Stream(http, listener);
      stream.session.start();
      return stream;
    });
  }

  private Map<String, String> headers() throws CarillonException {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Client-Identifier", app);
    String token = accessToken;
    if (token != null) headers.put("Authorization", "Bearer " + token);
    CarillonConfiguration.checkHeaders(headers);
    return headers;
  }
}
