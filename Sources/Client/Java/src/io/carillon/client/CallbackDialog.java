package io.carillon.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What an app is to show or do about a callback. Spec: GMS 9.3. */
public final class CallbackDialog {
  /** What it wants of the app. */
  public enum Action {
    /** Show {@link CallbackDialog#label()} and let the customer choose one of {@link CallbackDialog#items()}. */
    DISPLAY_MENU,
    /** Start a chat on {@link CallbackDialog#id()} as user {@link CallbackDialog#chatUser()}. */
    START_CHAT,
    /** Dial {@link CallbackDialog#telephoneUrl()}. */
    DIAL_NUMBER,
    /** Show {@link CallbackDialog#text()}. */
    CONFIRMATION,
    /** Of a later version: show what there is. */
    OTHER
  }

  /** One thing that the customer may choose. */
  public static final class Item {
    private final String label;
    private final String note;
    private final String action;

    private Item(Object item) {
      label = Json.string(item, "_label", "");
      note = Json.string(Json.member(item, "confirmation_dialog"), "_text", "");
      String url = Json.string(item, "_user_action_url", "");
      action = url.substring(url.lastIndexOf('/') + 1);
    }

    public String label() {
      return label;
    }

    /** To be shown when it was chosen; may be empty. */
    public String note() {
      return note;
    }

    /** For {@link CarillonCallbacks#act}. */
    public String action() {
      return action;
    }
  }

  private final Object content;
  private final List<Item> items = new ArrayList<>();

  CallbackDialog(Object content) throws CarillonException {
    if (Json.object(content).isEmpty()) {
      throw new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, "no dialog");
    }
    this.content = content;
    for (Object group : Json.array(Json.member(content, "_content"))) {
      for (Object item : Json.array(Json.member(group, "_group_content"))) items.add(new Item(item));
    }
  }

  public Action action() {
    switch (member("_action")) {
      case "DisplayMenu":
        return Action.DISPLAY_MENU;
      case "StartChat":
        return Action.START_CHAT;
      case "DialNumber":
        return Action.DIAL_NUMBER;
      case "ConfirmationDialog":
        return Action.CONFIRMATION;
      default:
        return Action.OTHER;
    }
  }

  /** Of the callback; empty where the dialog does not say. */
  public String id() {
    return member("_id");
  }

  public String label() {
    return member("_label");
  }

  public String text() {
    return member("_text");
  }

  public List<Item> items() {
    return Collections.unmodifiableList(items);
  }

  /** The {@code gms_user} of its chat. */
  public String chatUser() {
    return member("_user_header");
  }

  public String telephoneUrl() {
    return member("_tel_url");
  }

  /** To be sent as tones; empty for none. */
  public String accessCode() {
    String code = member("_access_code");
    return code.equals("n/a") ? "" : code;
  }

  /** Any member that is text, as the server has written it; empty if there is none. */
  public String member(String name) {
    return Json.string(content, name, "");
  }
}
