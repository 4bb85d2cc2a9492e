package io.carillon.client;

import java.util.Collection;
import java.util.Collections;

/**
 * The core of a UnifiedPush distributor: other apps of this device register with it, their servers push to endpoints at
 * Carillon by Web Push, and what comes is handed on as it is, encrypted for the app alone.
 *
 * <p>What is left to the distributor's app is Android's part: broadcasts from and to the connectors (REGISTER,
 * UNREGISTER; NEW_ENDPOINT, MESSAGE, UNREGISTERED, REGISTRATION_FAILED), and a service that keeps the process alive.
 *
 * <pre>{@code
 * PushDistributor distributor = new PushDistributor(configuration, new FileStore(file), listener);
 * distributor.channel().open();
 * distributor.register(connectorToken, packageName, vapidKey).whenDone(outcome -> …);                // NEW_ENDPOINT
 * }</pre>
 *
 * Spec: UnifiedPush for Android 3; RFC 8030, 8291, 8292.
 */
public final class PushDistributor {
  /** Told what is to be sent to connectors. */
  public interface Listener {
    /** MESSAGE. */
    void onMessage(String connectorToken, byte[] body, String messageId);

    /** UNREGISTERED: the server does not know this device any more. The connector registers anew. */
    void onUnregistered(String connectorToken);
  }

  private final CarillonConfiguration configuration;
  private final PushChannel channel;

  /** @param store of this distributor alone. */
  public PushDistributor(CarillonConfiguration configuration, CarillonStore store, Listener listener) {
    this.configuration = configuration;
    channel = new PushChannel(configuration, store, new PushChannel.Listener() {
      @Override
      public void onMessage(PushMessage message) {
        String connector = message.data().get("subtype");
        if (connector != null && message.body().length > 0) listener.onMessage(connector, message.body(), message.id());
      }

      @Override
      public void onIdentityLost(Collection<String> connectors) {
        for (String connector : connectors) listener.onUnregistered(connector);
      }
    });
  }

  /** The connection: to be opened and closed as the distributor's service comes and goes. */
  public PushChannel channel() {
    return channel;
  }

  /**
   * Registers a connector; the same one gets the same endpoint.
   *
   * @param connectorToken what the connector calls its registration.
   * @param application the package of the connector's app.
   * @param vapid the public key of the app's server, in URL-safe Base64. Without one a registration fails with
   *     {@code INVALID_ARGUMENT}: REGISTRATION_FAILED with the reason VAPID_REQUIRED.
   */
  public Pending<String> register(String connectorToken, String application, String vapid) {
    return channel.caller().ask(http -> {
      if (vapid == null || vapid.isEmpty()) {
        throw new CarillonException(CarillonException.Kind.INVALID_ARGUMENT, "VAPID_REQUIRED");
      }
      String token = channel.registerNow(http, application, Collections.singletonList(vapid), connectorToken);
      channel.state().connected(connectorToken, application);
      return ServerAddress.parse(configuration.server) + "/wp/" + token;
    });
  }

  /** Ends a registration; one that there is not is ended already. */
  public Pending<Void> unregister(String connectorToken) {
    return channel.caller().ask(http -> {
      String application = channel.state().application(connectorToken);
      if (application == null) return null;
      channel.unregisterNow(http, application, connectorToken);
      channel.state().disconnected(connectorToken);
      return null;
    });
  }
}
