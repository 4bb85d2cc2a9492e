/** Canned replies: `/` at the beginning of a message lists them. */

import { badge, get, h, ifThere, replace, t } from '../ui/kit.js';

let known = null;

/** The server's, or none where it keeps none: `{shortcut, text, language?}`. */
async function replies() {
  known ??= ifThere(get('/agent/1/canned')).then((answer) => answer?.replies ?? [], () => (known = null) ?? []);
  return known;
}

/** They were changed: the next look asks anew. */
export const forgetReplies = () => (known = null);

/** `{{customer.firstName}}` and its like, from the chat's own data. */
export function filled(text, chat) {
  return text.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name) => {
    const [group, key] = name.split('.');
    const value = group === 'customer' ? chat.data?.[key] ?? (key === 'name' ? chat.customer : undefined) : group === 'chat' ? chat[key] : undefined;
    return value === undefined ? whole : String(value);
  });
}

/** @param {HTMLTextAreaElement} text */
export function cannedMenu(text, chat, changed) {
  const node = h('ul.canned', { role: 'listbox', hidden: true, id: 'canned', 'aria-label': t('canned') });
  let shown = [];
  let chosen = 0;
  let isGone = false;

  async function look() {
    const typed = /^\/(\S*)$/.exec(text.value)?.[1];
    if (typed === undefined) return hide();
    const all = await replies();
    if (isGone || !/^\/\S*$/.test(text.value)) return;
    shown = all.filter((one) => one.shortcut.startsWith(typed)).slice(0, 12);
    chosen = 0;
    node.hidden = false;
    draw();
  }

  function draw() {
    replace(node, shown.length ? shown.map(option) : h('li.hint', { role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false' }, t('canned.none')));
  }

  const option = (one, index) =>
    h('li', { role: 'option', id: `canned-${index}`, 'aria-selected': String(index === chosen), onmousedown: (event) => (event.preventDefault(), take(one)) }, h('strong', {}, `/${one.shortcut}`), one.language && badge(one.language), h('span.clip', {}, one.text));

  function hide() {
    node.hidden = true;
    shown = [];
  }

  function take(one) {
    text.value = filled(one.text, chat());
    hide();
    changed();
  }

  /** @returns whether the key was for this list. */
  function pressed(event) {
    if (node.hidden) return false;
    if (event.key === 'Escape') hide();
    else if (!shown.length) return false;
    else if (event.key === 'ArrowDown') chosen = (chosen + 1) % shown.length;
    else if (event.key === 'ArrowUp') chosen = (chosen + shown.length - 1) % shown.length;
    else if (event.key === 'Enter' || event.key === 'Tab') take(shown[chosen]);
    else return false;
    event.preventDefault();
    draw();
    return true;
  }

  return { node, look, pressed, dispose: () => (isGone = true) };
}
