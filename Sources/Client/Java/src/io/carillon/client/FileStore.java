package io.carillon.client;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps it in a file, such as one in {@code Context.getFilesDir()}: a line for each change, written anew when there
 * are many. A line survives the death of the app; that of the device, if the system has written it by then.
 */
public final class FileStore implements CarillonStore {
  private final File file;

  public FileStore(File file) {
    this.file = file;
  }

  @Override
  public List<String> load() throws IOException {
    List<String> lines = new ArrayList<>();
    if (!file.exists()) return lines;
    String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
    int start = 0;
    int end;
    while ((end = text.indexOf('\n', start)) >= 0) {
      lines.add(text.substring(start, end));
      start = end + 1;
    }
    // Whoever died while a line was written has not been told that it is there; nothing may be written behind it.
    if (start < text.length()) replace(lines);
    return lines;
  }

  @Override
  public void append(String line) throws IOException {
    try (OutputStream out = new FileOutputStream(file, true)) {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  @Override
  public void replace(List<String> lines) throws IOException {
    File fresh = new File(file.getPath() + ".new");
    try (FileOutputStream out = new FileOutputStream(fresh)) {
      StringBuilder text = new StringBuilder();
      for (String line : lines) text.append(line).append('\n');
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
      out.getFD().sync();
    }
    Files.move(fresh.toPath(), file.toPath(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
