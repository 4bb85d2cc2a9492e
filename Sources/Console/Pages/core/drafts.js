/** Unsent words, kept in this tab over reloads, the server's death and the session's end. */

import { forgetTab, readTab, writeTab } from './storage.js';
import { session } from './session.js';

const key = (place) => `draft.${session?.name}.${place}`;

export const draft = (place) => readTab(key(place)) ?? '';
export const keepDraft = (place, text) => (text ? writeTab(key(place), text) : forgetTab(key(place)));

/** A list of what was sent and not yet answered for, so that a reload does not lose it. */
export function unsent(place) {
  try {
    return JSON.parse(readTab(key(`${place}.unsent`)) ?? '[]');
  } catch {
    return [];
  }
}

export const keepUnsent = (place, messages) =>
  messages.length ? writeTab(key(`${place}.unsent`), JSON.stringify(messages)) : forgetTab(key(`${place}.unsent`));
