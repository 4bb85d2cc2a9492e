/** Keys: screens say what theirs do, `?` lists them. */

import { h } from './dom.js';
import { t } from './i18n.js';
import { dialog } from './live.js';

const layers = [];

/**
 * Makes keys do something until the returned function is called. The newest layer comes first.
 * @param {Object<string, {words: string, act: (event: KeyboardEvent) => void}>} keys by `KeyboardEvent.key`.
 */
export function bind(keys) {
  layers.unshift(keys);
  return () => layers.splice(layers.indexOf(keys), 1);
}

const isTyping = (target) => target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!(event.target instanceof Element) || isTyping(event.target) || document.querySelector('dialog[open]')) return;
  const found = layers.find((layer) => event.key in layer)?.[event.key];
  if (!found) return;
  event.preventDefault();
  found.act(event);
});

/** Shows what all keys do now. */
export function showKeys() {
  const rows = layers.toReversed().flatMap((layer) => Object.entries(layer).map(([key, { words }]) => [key, words]));
  rows.push(['Ctrl + Enter', t('key.send')], ['Esc', t('key.escape')]);
  return dialog(t('keys'), () =>
    h('dl.keys', rows.map(([key, words]) => h('div', h('dt', h('kbd', key)), h('dd', words)))),
  );
}
