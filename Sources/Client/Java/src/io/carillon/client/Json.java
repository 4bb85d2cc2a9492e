package io.carillon.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, strings, {@code Long}, {@code Double}, {@code Boolean} and null; strict, and bounded in depth.
 *
 * <p>The accessors answer "not there" for whatever has another type: what a server or a proxy says may be anything.
 */
final class Json {
  private final String text;
  private int place;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(byte[] bytes) throws CarillonException {
    try {
      return parse(
          StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException failure) {
      throw malformed("no UTF-8");
    }
  }

  static Object parse(String text) throws CarillonException {
    Json reader = new Json(text);
    Object value = reader.value(0);
    reader.skipBlanks();
    if (reader.place != text.length()) throw reader.unexpected();
    return value;
  }

  // Access

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Collections.<String, Object>emptyMap();
  }

  @SuppressWarnings("unchecked")
  static List<Object> array(Object value) {
    return value instanceof List ? (List<Object>) value : Collections.emptyList();
  }

  static Object member(Object value, String name) {
    return object(value).get(name);
  }

  /** Null unless it is text. */
  static String string(Object value, String name) {
    Object member = member(value, name);
    return member instanceof String ? (String) member : null;
  }

  static String string(Object value, String name, String otherwise) {
    String text = string(value, name);
    return text == null ? otherwise : text;
  }

  /** A number, or text that is one; {@code otherwise} for everything else. The server writes positions as text. */
  static long integer(Object value, String name, long otherwise) {
    Object member = member(value, name);
    if (member instanceof Long) return (Long) member;
    if (member instanceof Double && (Double) member == Math.rint((Double) member)) return ((Double) member).longValue();
    if (!(member instanceof String)) return otherwise;
    try {
      return Long.parseLong((String) member);
    } catch (NumberFormatException failure) {
      return otherwise;
    }
  }

  static boolean isTrue(Object value, String name) {
    return Boolean.TRUE.equals(member(value, name));
  }

  // Writing

  /** An object of names and values in turn; one whose value is null is left out. */
  static Map<String, Object> of(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
      if (namesAndValues[i + 1] != null) object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  static byte[] bytes(Object value) {
    return write(value).getBytes(StandardCharsets.UTF_8);
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof String) {
      writeString((String) value, out);
    } else if (value instanceof Map) {
      char before = '{';
      for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
        out.append(before);
        writeString(String.valueOf(member.getKey()), out);
        out.append(':');
        write(member.getValue(), out);
        before = ',';
      }
      out.append(before == '{' ? "{}" : "}");
    } else if (value instanceof Collection) {
      char before = '[';
      for (Object element : (Collection<?>) value) {
        out.append(before);
        write(element, out);
        before = ',';
      }
      out.append(before == '[' ? "[]" : "]");
    } else {
      out.append(value);
    }
  }

  private static void writeString(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  // Reading

  private Object value(int depth) throws CarillonException {
    if (depth > Limits.JSON_DEPTH_MAXIMUM) throw malformed("JSON that is nested too deep");
    skipBlanks();
    if (place == text.length()) throw unexpected();
    switch (text.charAt(place)) {
      case '{':
        return readObject(depth);
      case '[':
        return readArray(depth);
      case '"':
        return readString();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> readObject(int depth) throws CarillonException {
    Map<String, Object> object = new LinkedHashMap<>();
    place++;
    skipBlanks();
    if (skip('}')) return object;
    do {
      skipBlanks();
      if (place == text.length() || text.charAt(place) != '"') throw unexpected();
      String name = readString();
      skipBlanks();
      if (!skip(':')) throw unexpected();
      object.put(name, value(depth + 1));
      skipBlanks();
    } while (skip(','));
    if (!skip('}')) throw unexpected();
    return object;
  }

  private List<Object> readArray(int depth) throws CarillonException {
    List<Object> array = new ArrayList<>();
    place++;
    skipBlanks();
    if (skip(']')) return array;
    do {
      array.add(value(depth + 1));
      skipBlanks();
    } while (skip(','));
    if (!skip(']')) throw unexpected();
    return array;
  }

  private String readString() throws CarillonException {
    StringBuilder string = new StringBuilder();
    place++;
    while (place < text.length()) {
      char c = text.charAt(place++);
      if (c == '"') return string.toString();
      if (c < ' ') throw malformed("a control character in a JSON string");
      if (c != '\\') {
        string.append(c);
        continue;
      }
      if (place == text.length()) break;
      char escaped = text.charAt(place++);
      int known = "\"\\/bfnrt".indexOf(escaped);
      if (known >= 0) {
        string.append("\"\\/\b\f\n\r\t".charAt(known));
      } else if (escaped == 'u' && place + 4 <= text.length()) {
        int code = 0;
        for (int i = 0; i < 4; i++) {
          int digit = Character.digit(text.charAt(place++), 16);
          if (digit < 0) throw unexpected();
          code = code << 4 | digit;
        }
        string.append((char) code);
      } else {
        throw unexpected();
      }
    }
    throw unexpected();
  }

  private Object number() throws CarillonException {
    int start = place;
    while (place < text.length() && "+-.eE0123456789".indexOf(text.charAt(place)) >= 0) place++;
    String digits = text.substring(start, place);
    if (!digits.matches("-?(0|[1-9][0-9]{0,307})(\\.[0-9]{1,64})?([eE][+-]?[0-9]{1,3})?")) throw unexpected();
    try {
      return Long.valueOf(digits);
    } catch (NumberFormatException failure) {
      return Double.valueOf(digits);
    }
  }

  private Object word(String word, Object value) throws CarillonException {
    if (!text.startsWith(word, place)) throw unexpected();
    place += word.length();
    return value;
  }

  private boolean skip(char expected) {
    if (place == text.length() || text.charAt(place) != expected) return false;
    place++;
    return true;
  }

  private void skipBlanks() {
    while (place < text.length() && " \t\r\n".indexOf(text.charAt(place)) >= 0) place++;
  }

  private CarillonException unexpected() {
    return malformed("no JSON: character " + place);
  }

  private static CarillonException malformed(String message) {
    return new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, message);
  }
}
