/** Addresses behind `#`: the first part names the screen, the rest is its own. */

import { Emitter } from './emitter.js';

export const navigated = new Emitter();

/** `#/inbox/own/17` → `['inbox', 'own', '17']`. */
export function route(hash = location.hash) {
  return hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}

/** The address of a screen. */
export const to = (...parts) => `#/${parts.filter((part) => part !== null && part !== undefined).map(encodeURIComponent).join('/')}`;

/** Goes there. */
export function go(...parts) {
  location.hash = to(...parts);
}

addEventListener('hashchange', () => navigated.tell(route()));
