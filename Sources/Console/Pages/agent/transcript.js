/** What was said in a chat, whatever way and however often it came. Pure. */

const typing = new Set(['Notice.TypingStarted', 'Notice.TypingStopped']);

/** Lines that are about typing are not shown as lines. */
export const isTyping = (line) => typing.has(line.type);

/** Tells one line of a chat from all others. Positions do; lines that only agents see have none. */
export const lineKey = (line) =>
  line.position === null || line.position === undefined ? `a|${line.time}|${line.type}|${line.role}|${line.text}` : `p${line.position}`;

/**
 * Both lists as one, without anything twice: by position, and what has none behind the last that was said before it.
 * @param {object[]} known in order.
 * @param {object[]} more in any order; takes the place of what is known.
 */
export function merge(known, more) {
  const byKey = new Map(known.map((line) => [lineKey(line), line]));
  for (const line of more) byKey.set(lineKey(line), line);
  const all = [...byKey.values()];
  const placed = all.filter((line) => hasPosition(line)).sort((one, other) => one.position - other.position);
  const asides = all.filter((line) => !hasPosition(line)).sort(byTime);
  const merged = [];
  for (const line of placed) {
    while (asides.length && byTime(asides[0], line) < 0) merged.push(asides.shift());
    merged.push(line);
  }
  return merged.concat(asides);
}

const hasPosition = (line) => line.position !== null && line.position !== undefined;
const byTime = (one, other) => Date.parse(one.time) - Date.parse(other.time);

/** The highest position among them, or 0. */
export const lastPosition = (lines) => lines.reduce((most, line) => Math.max(most, line.position ?? 0), 0);

/**
 * What has been sent and is not among the lines yet. One that says the same as a line of one's own behind the place
 * where it was sent has come, even if its answer was lost.
 * @param {{text: string, after: number, key: string}[]} sent
 * @param {(line: object) => boolean} isMine
 */
export function stillUnsent(sent, lines, isMine) {
  const taken = new Set();
  return sent.filter((message) => {
    const come = lines.find((line) => !taken.has(line.position) && line.type === 'Message.Text' && (line.position ?? 0) > message.after && line.text === message.text && isMine(line));
    if (come) taken.add(come.position);
    return !come;
  });
}
