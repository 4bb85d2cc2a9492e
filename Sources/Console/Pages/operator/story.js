/** What the journal says of somebody or something: in order, and what it came to. Pure. */

/** Whether an entry tells of something good, bad, or neither. */
export function mood({ event, what = '' }) {
  const words = `${event} ${what}`.toLowerCase();
  if (/fail|refus|expire|dead|overflow|unregister|gone|lost|reject|undeliver|dropped/.test(words)) return 'bad';
  return /deliver|accepted|settled|came back|return/.test(words) ? 'good' : '';
}

/** Whether an entry is about a push. */
const isPush = ({ kind = '', event = '' }) => /queue|push/i.test(`${kind} ${event}`);

/**
 * One key of `why.…` that says what became of the last push, and what goes into it.
 * @param {object[]} entries oldest first.
 */
export function verdict(entries) {
  if (!entries.length) return { key: 'why.nothing', values: {} };
  const last = entries.filter(isPush).at(-1);
  if (!last) return { key: 'why.noPush', values: { n: entries.length } };
  const values = { what: last.what || last.event, time: last.time };
  if (/deliver|accepted/i.test(`${last.event} ${last.what}`) && mood(last) !== 'bad') return { key: 'why.delivered', values };
  if (mood(last) === 'bad') return { key: 'why.failed', values };
  return { key: 'why.waiting', values };
}

/** Silences that are worth a line of their own, in milliseconds. */
export const gapMinimum = 60000;
