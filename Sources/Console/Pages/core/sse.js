/** Server-sent events over `fetch`: unlike `EventSource` it says why it failed and can go on behind a number. */

/** Cuts a stream of characters into events. Pure. Spec: HTML, 9.2.6. */
export class EventParser {
  #rest = '';
  #event = { name: '', data: [] };
  #id = null;

  /** @returns {{name: string, id: string|null, data: string}[]} */
  push(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    const events = [];
    for (const line of lines) this.#line(line, events);
    return events;
  }

  #line(line, events) {
    if (line === '') {
      if (this.#event.data.length) events.push({ name: this.#event.name || 'message', id: this.#id, data: this.#event.data.join('\n') });
      this.#event = { name: '', data: [] };
      return;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === 'event') this.#event.name = value;
    else if (field === 'data') this.#event.data.push(value);
    else if (field === 'id') this.#id = value;
  }
}

/** How long to wait before the next try, in milliseconds: doubles up to 15 s, and is never the same for all. */
export const backOff = (tries, random = Math.random()) => Math.min(15000, 500 * 2 ** tries) * (0.5 + random / 2);

/**
 * Follows a stream until `signal` ends it, or it fails.
 * @param {{after?: string|null, signal: AbortSignal, silence?: number, opened: (response: Response) => void, event: (e: object) => void}} options
 *   `silence`: milliseconds without a byte after which the stream counts as dead; none if absent.
 */
export async function follow(address, { after, signal, silence, opened, event }) {
  const headers = { Accept: 'text/event-stream' };
  if (after) headers['Last-Event-ID'] = after;
  const dead = new AbortController();
  const both = AbortSignal.any ? AbortSignal.any([signal, dead.signal]) : signal;
  const response = await fetch(address, { headers, signal: both, credentials: 'same-origin', cache: 'no-store' });
  opened(response);
  if (!response.ok) return;
  const parser = new EventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let watch;
  const heard = () => {
    clearTimeout(watch);
    if (silence) watch = setTimeout(() => dead.abort(), silence);
  };
  try {
    for (;;) {
      heard();
      const { done, value } = await reader.read();
      if (done) return;
      for (const one of parser.push(value)) event(one);
    }
  } finally {
    clearTimeout(watch);
  }
}
