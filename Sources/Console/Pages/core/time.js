/** Time words and the server's clock. Pure but for `now`. */

let offset = 0;

/** Takes the server's clock from an answer's `Date` header: the browser's may be wrong by days. */
export function setServerDate(header, local = Date.now()) {
  const server = Date.parse(header);
  // The header has whole seconds: what is within them is no difference.
  if (Number.isFinite(server) && Math.abs(server + 500 - local - offset) > 1500) offset = server + 500 - local;
}

/** Milliseconds since 1970 by the server's clock. */
export const now = () => Date.now() + offset;

/** `2:05`, `1:02:05`: how long, for a clock that runs. */
export function clock(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (n) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `12 s`, `4 min`, `3 h`, `2 d`: how long, short. */
export function short(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

/** The day of a moment where the reader is, for grouping. */
export function dayKey(time) {
  const date = new Date(time);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

/** "Today", "Yesterday", or the date. */
export function dayWord(time, language, at = now()) {
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const days = Math.round((startOfDay(time) - startOfDay(at)) / 86400000);
  if (days === 0 || days === -1) {
    const word = words.format(days, 'day');
    return word.charAt(0).toLocaleUpperCase(language) + word.slice(1);
  }
  return new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(time);
}

function startOfDay(time) {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** The time of day: `14:05`. */
export const timeOfDay = (time, language) =>
  new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' }).format(new Date(time));

/** Date and time with seconds. */
export const moment = (time, language) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time));

/** "3 minutes ago", "in 2 hours". */
export function ago(time, language, at = now()) {
  const seconds = Math.round((new Date(time).getTime() - at) / 1000);
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const size = Math.abs(seconds);
  if (size < 60) return words.format(seconds, 'second');
  if (size < 3600) return words.format(Math.round(seconds / 60), 'minute');
  if (size < 86400) return words.format(Math.round(seconds / 3600), 'hour');
  return words.format(Math.round(seconds / 86400), 'day');
}
