/** What a registration token stands for: its app, platform and topics. */

import { attempt, badge, facts, field, get, h, head, isRole, replace, seg, t } from '../ui/kit.js';

export function screen() {
  const key = isRole('sender') ? null : h('input', { type: 'password', required: true, autocomplete: 'off' });
  const token = h('input', { required: true, maxlength: 512, spellcheck: 'false' });
  const answer = h('div', { 'aria-live': 'polite' });

  async function ask(event) {
    event.preventDefault();
    const options = key ? { headers: { Authorization: `key=${key.value.trim()}` }, credentials: 'omit' } : {};
    const found = await attempt(() => get(`/iid/info/${seg(token.value.trim())}`, { details: true }, options));
    if (!found) return;
    const { rel, ...members } = found;
    const topics = Object.keys(rel?.topics ?? {});
    replace(answer, h('section.card', facts(Object.entries(members).map(([name, value]) => [name, String(value)])), h('h3', t('topics')), topics.length ? h('div.tags', topics.map((topic) => badge(topic, 'info'))) : t('topics.none')));
  }

  const form = h('form.card', { onsubmit: ask }, key && field(t('send.key'), key, t('send.key.help')), field(t('send.token'), token), h('button.button.primary', { type: 'submit' }, t('show')));
  return { node: h('div.page', head(t('screen.registrations')), form, answer) };
}
