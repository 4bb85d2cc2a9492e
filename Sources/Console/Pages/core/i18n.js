/** Words in the reader's language: no other is loaded. A missing one falls back to its key. */

import { flat } from './flat.js';
import { read, write } from './storage.js';

/** Each has a file in `i18n`, and all have the same keys. */
export const names = { en: 'English', de: 'Deutsch' };
const chosen = read('language');
const preferred = (navigator.languages ?? []).map((tag) => tag.slice(0, 2)).find((tag) => tag in names);

/** The language in use: `en` or `de`. */
export const language = chosen in names ? chosen : preferred ?? 'en';
const words = flat((await import(`../i18n/${language}.js`)).default);

/** @param {Object<string, string|number>} [values] go into the braces. */
export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** Whether there are words of that key. */
export const has = (key) => key in words;

/** The word for one of the API's own terms, or the term itself. */
export function term(group, value) {
  const key = `${group}.${value}`;
  return has(key) ? t(key) : String(value ?? '');
}

/** Whole numbers with the language's separators. */
export const number = (value) => new Intl.NumberFormat(language).format(value);

/** `1.2 MB`. */
export function bytes(value) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  let unit = 0;
  let size = Number(value);
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000;
  return new Intl.NumberFormat(language, { style: 'unit', unit: units[unit], unitDisplay: 'short', maximumFractionDigits: 1 }).format(size);
}

/** Takes another language and draws everything anew. */
export function choose(tag) {
  write('language', tag);
  location.reload();
}
