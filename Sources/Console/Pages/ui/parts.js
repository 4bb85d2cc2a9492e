/** The small parts that screens are made of. */

import { append, h, replace } from '../core/dom.js';
import { icon } from './icons.js';
import { list } from '../core/api.js';
import { has, language, t } from '../core/i18n.js';
import { ago, moment } from '../core/time.js';
import { attempt } from '../core/live.js';

/** A button with words. `kind`: primary, danger, quiet. */
export const button = (words, act, { kind = '', symbol, ...attributes } = {}) =>
  h(`button.button${kind && `.${kind}`}`, { type: 'button', onclick: act, ...attributes }, symbol && icon(symbol), words);

/** A button that works until its work is done, and tells what went wrong. Not disabled meanwhile: that would take the focus away. */
export function worker(words, work, options = {}) {
  const one = button(words, async () => {
    if (one.hasAttribute('aria-busy')) return;
    one.setAttribute('aria-busy', 'true');
    await attempt(work);
    one.removeAttribute('aria-busy');
  }, options);
  return one;
}

/** A button with a picture alone. */
export const iconButton = (symbol, words, act, attributes = {}) =>
  h('button.icon-button', { type: 'button', 'aria-label': words, title: words, onclick: act, ...attributes }, icon(symbol));

let ids = 0;

/** A label with its field. The field gets an id, and a line that explains it. */
export function field(label, control, explanation) {
  control.id ||= `field-${++ids}`;
  if (explanation) control.setAttribute('aria-describedby', `${control.id}-help`);
  return h('div.field', h('label', { for: control.id }, label), control,
    explanation && h('small', { id: `${control.id}-help` }, explanation));
}

/** A select. @param {[string, string][]} options value and words. */
export const select = (options, attributes = {}) => {
  const { value, ...rest } = attributes;
  return h('select', rest, options.map(([id, words]) => h('option', { value: id, selected: id === value }, words)));
};

/** A switch. */
export const toggle = (words, checked, act) =>
  h('label.switch', h('input', { type: 'checkbox', role: 'switch', checked, onchange: act }), h('span.track', { 'aria-hidden': 'true' }), h('span', words));

/** A mark with words. `kind`: ok, warn, bad, info, or none. */
export const badge = (words, kind = '') => h(`span.badge${kind && `.${kind}`}`, {}, words);

/** A moment: "3 minutes ago", with the exact time for who points at it. */
export const when = (time) => (time ? h('time', { datetime: time, title: moment(time, language) }, ago(time, language)) : '–');

/** The head of a screen: its name and what can be done. */
export const head = (title, ...actions) => h('header.head', h('h1', { tabindex: '-1' }, title), h('div.actions', actions));

/** The cross that takes something away. */
export const closer = (act) => h('button.icon-button', { type: 'button', 'aria-label': t('close'), onclick: act }, '×');

/** One thing in full, beside or above the list that it is from. */
export const detail = (label, title, close, ...children) =>
  h('section.card.detail', { 'aria-label': label }, h('header.row-top', h('h2', { dir: 'auto' }, title), closer(close)), children);

/** A row of fields with a button that asks. */
export function asking(act, ...fields) {
  const submit = (event) => {
    event.preventDefault();
    act();
  };
  return h('form.form-row', { onsubmit: submit }, fields, h('button.button.primary', { type: 'submit' }, t('search')));
}

/** What stands where nothing is. */
export const empty = (words, detail) => h('div.empty', h('p', words), detail && h('small', detail));

/** A list of terms; pairs without a value are left out. */
export const facts = (pairs) =>
  h('dl.facts', pairs.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([name, value]) => h('div', h('dt', name), h('dd', value))));

/**
 * A table that scrolls by itself where it is too wide.
 * @param {string} caption for screen readers.
 * @param {string[]} titles
 * @param {Array<Array<any>>} rows
 */
export function table(caption, titles, rows) {
  const body = h('tbody', rows.map((cells) => h('tr', cells.map((cell, index) => h('td', { 'data-title': titles[index] }, Array.isArray(cell) ? h('div', cell) : cell)))));
  return h('div.table', { role: 'region', 'aria-label': caption, tabindex: '0' },
    h('table', h('caption.sr-only', caption), h('thead', h('tr', titles.map((title) => h('th', { scope: 'col' }, title || h('span.sr-only', t('actions')))))), body));
}

/**
 * A list that is read page by page.
 * @param {(after: string|null) => Promise<{data: any[], next: string|null, total: number|null}>} load
 * @param {(items: any[]) => Node} render all that is there so far.
 * @param {Node} nothing
 */
export function pages(load, render, nothing) {
  const node = h('div.pages', { 'aria-busy': 'true' });
  let items = [];
  let turn = 0;
  async function more(after) {
    const mine = turn;
    const page = await attempt(() => load(after));
    // Somebody has begun anew meanwhile: what is in both would be there twice.
    if (mine !== turn) return;
    node.removeAttribute('aria-busy');
    if (page === undefined) return node.replaceChildren(empty(t('notLoaded')), worker(t('tryAgain'), () => more(after)));
    items = items.concat(page.data);
    replace(node, items.length ? render(items) : nothing);
    if (page.total !== null && page.total > items.length) append(node, [h('p.count', t('ofTotal', { shown: items.length, n: page.total }))]);
    if (page.next) append(node, [worker(t('more'), () => more(page.next))]);
  }
  return {
    node,
    reload() {
      items = [];
      turn++;
      return more(null);
    },
  };
}

/**
 * A table of what the server lists, page by page.
 * @param {() => object} query what narrows it, beside the page.
 * @param {string} caption and the titles and `none`: the words' keys; `none.detail` says more, if it is there.
 * @param {(item: any) => any[]} row
 */
export const listing = (path, query, caption, titles, row, none) =>
  pages((after) => list(path, { limit: 100, ...query(), after }), (items) => table(t(caption), titles.map((key) => key && t(key)), items.map(row)), empty(t(none), has(`${none}.detail`) && t(`${none}.detail`)));

/** Tabs that are links. @param {[string, string][]} entries address and words. */
export const linkTabs = (label, entries, current) =>
  h('nav.tabs', { 'aria-label': label }, entries.map(([address, words, count]) =>
    h('a', { href: address, 'aria-current': address === current ? 'page' : null }, words, count ? h('span.pill', count) : null)));
