/** The canned replies that somebody keeps: their own, and for who may write them those of all. */

import { del, get, ifThere, post, put, seg } from '../core/api.js';
import { h } from '../core/dom.js';
import { t, term } from '../core/i18n.js';
import { confirm, dialog } from '../core/live.js';
import { isRole, may } from '../core/session.js';
import { button, empty, field, pages, select, table } from '../ui/parts.js';
import { forgetReplies } from './canned.js';

const path = '/agent/1/canned';
const scopes = () => [...(may('agent') ? ['own'] : []), ...(may('supervisor') || isRole('admin') ? ['shared'] : [])];

export function cannedSettings() {
  const load = async () => {
    const answer = await ifThere(get(path));
    return answer && { data: answer.replies, next: null, total: null };
  };
  const list = pages(load, (replies) => table(t('canned'), [t('shortcut'), t('language'), t('message'), t('scope'), ''], replies.map(row)), empty(t('canned.none')));
  const row = (one) => [h('strong', {}, `/${one.shortcut}`), one.language ?? '–', h('span.clip', { dir: 'auto' }, one.text), term('scope', one.scope), scopes().includes(one.scope) ? [button(t('change'), () => changed(edit(one))), ' ', button(t('remove'), () => changed(removal(one)))] : null];

  async function changed(work) {
    if (!(await work)) return;
    forgetReplies();
    list.reload();
  }

  list.reload();
  return h('section.stack', {}, h('h2', {}, t('canned')), h('p.hint', {}, t('canned.help')), button(t('canned.add'), () => changed(edit())), list.node);
}

const removal = (one) => confirm(t('remove'), `/${one.shortcut}`, t('remove'), () => del(`${path}/${seg(one.id)}`));

/** @param [one] a new one without it. */
function edit(one) {
  const shortcut = h('input', { maxlength: 32, required: true, pattern: '[A-Za-z0-9_\\-]+', value: one?.shortcut ?? '' });
  const language = h('input', { maxlength: 16, value: one?.language ?? '' });
  const text = h('textarea', { rows: 5, maxlength: 4096, required: true, dir: 'auto', value: one?.text ?? '' });
  const scope = select(scopes().map((name) => [name, term('scope', name)]));
  const body = () => [field(t('shortcut'), shortcut), field(t('message'), text, t('canned.holes')), field(t('language'), language, t('canned.language')), one ? null : field(t('scope'), scope)];
  return dialog(t(one ? 'change' : 'canned.add'), body, {
    ok: t('save'),
    submit() {
      const words = { shortcut: shortcut.value, language: language.value.trim() || null, text: text.value };
      return one ? put(`${path}/${seg(one.id)}`, words) : post(path, { ...words, scope: scope.value });
    },
  });
}
