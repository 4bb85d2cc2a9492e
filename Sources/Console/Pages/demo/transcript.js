/** What the app reads in what comes. */

/**
 * Of a chat response or notification, what is not there yet: its tuples end at its position.
 * @param {number} position of the last event that is there.
 */
export function news(position, { transcriptPosition, transcriptToShow: tuples = [] }) {
  const first = transcriptPosition - tuples.length + 1;
  const events = tuples.map(([type, name, text, , party], index) => ({ position: first + index, type, name, text, party }));
  return { isGap: first > position + 1, events: events.filter((event) => event.position > position) };
}

/** The text of a push: what was said last, else its own words. */
export function pushText(data) {
  try {
    const { message, lastTranscript = [] } = JSON.parse(data);
    return String(Object.values(lastTranscript.at(-1) ?? {})[0] ?? message);
  } catch {
    return String(data);
  }
}
