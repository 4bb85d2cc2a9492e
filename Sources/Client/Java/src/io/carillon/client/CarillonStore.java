package io.carillon.client;

import java.io.IOException;
import java.util.List;

/**
 * What a chat or a push channel keeps for the time after the app's death, each in a store of its own.
 *
 * <p>Called on threads of the library, one call at a time. The lines are the library's; they hold the texts that wait.
 */
public interface CarillonStore {
  /** All lines, oldest first; none at first. */
  List<String> load() throws IOException;

  /** Adds a line. Once this returns it must survive the app's death. */
  void append(String line) throws IOException;

  /** In place of all lines that there are: either all of the new ones are there afterwards, or all of the former. */
  void replace(List<String> lines) throws IOException;
}
