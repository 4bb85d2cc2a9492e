/** Searching all chats, where the server has an index of them. */

import { announce, attempt, get, h, ifThere, replace, t, to, when } from '../ui/kit.js';
import { desk } from './desk.js';

/** Milliseconds without a key before it is asked. */
const pause = 250;

export function searchBox() {
  const input = h('input.search', { type: 'search', 'aria-label': t('search'), placeholder: t('search'), maxlength: 200, oninput: soon, onkeydown: leave });
  const found = h('ul.found', { hidden: true, 'aria-label': t('search.found') });
  let timer;
  let turn = 0;

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  }

  function leave(event) {
    if (event.key !== 'Escape') return;
    input.value = '';
    found.hidden = true;
  }

  async function ask() {
    const words = input.value.trim();
    const mine = ++turn;
    found.hidden = !words;
    if (!words) return;
    const answer = await attempt(() => ifThere(get('/agent/1/search', { q: words })));
    if (mine !== turn) return;
    const hits = answer?.hits ?? held(words);
    const partly = answer?.complete === false ? [h('li.hint', {}, t('search.partly'))] : [];
    replace(found, hits.length ? hits.map(entry) : h('li.hint', {}, t('search.none')), partly);
    announce(t('search.count', { n: hits.length }));
  }

  function entry(hit) {
    return h('li', {}, h('a', { href: to('inbox', 'all', hit.chatId), onclick: () => (found.hidden = true) },
      h('strong', { dir: 'auto' }, hit.customer ?? hit.chatId), h('span.clip', { dir: 'auto' }, hit.text ?? hit.subject ?? ''),
      hit.time ? h('span.hint', {}, when(hit.time), hit.visibility === 'agent' ? ` · ${t('private')}` : '') : null));
  }

  return h('div.search-box', {}, input, found);
}

/** Without an index: what this page has in its lists. */
function held(words) {
  const wanted = words.toLocaleLowerCase();
  const has = (text) => text?.toLocaleLowerCase().includes(wanted);
  return [...desk.chats.values()].filter((chat) => has(chat.customer) || has(chat.subject) || has(chat.lastLine?.text)).slice(0, 20);
}
