/** The journal: its head and segments, an entity's records with the chain, states, the check of all of it. */

import { get, ifThere, list, post } from '../core/api.js';
import { h, replace } from '../core/dom.js';
import { language, number, t } from '../core/i18n.js';
import { attempt } from '../core/live.js';
import { go } from '../core/router.js';
import { moment } from '../core/time.js';
import { badge, empty, facts, field, head, notOffered, pages, worker } from '../ui/parts.js';
import { downloadText } from '../ui/download.js';

export function screen(parts) {
  const about = h('div');
  const check = h('div');
  const records = h('div');
  const entity = h('input', { name: 'entity', required: true, maxlength: 512, placeholder: 'chat:…', spellcheck: 'false' });
  const search = (event) => {
    event.preventDefault();
    const wanted = entity.value.trim();
    if (location.hash === `#/journal/${encodeURIComponent(wanted)}`) update([wanted]);
    else go('journal', wanted);
  };
  const form = h('form.form-row', { onsubmit: search }, field(t('journal.entity'), entity, t('journal.entity.help')), h('button.button.primary', { type: 'submit' }, t('show')));
  const verify = worker(t('journal.verify'), async () => {
    await post('/admin/1/journal/verifications');
    await watch();
  });
  const checkpoint = worker(t('journal.checkpoint'), async () => {
    const point = await get('/admin/1/journal/checkpoint');
    downloadText('carillon-checkpoint.json', typeof point === 'string' ? point : JSON.stringify(point, null, 2), 'application/json');
  });
  let timer = null;

  async function loadHead() {
    const journal = await attempt(() => ifThere(get('/admin/1/journal')));
    if (journal === null) {
      for (const one of [verify, checkpoint]) one.hidden = true;
      form.hidden = true;
      replace(about, notOffered());
    } else if (journal) replace(about, h('section.card', {}, facts(Object.entries(journal).map(([name, value]) => [name, member(value)]))));
  }

  async function watch() {
    clearTimeout(timer);
    const state = await attempt(() => ifThere(get('/admin/1/journal/verifications/current')));
    if (!state || typeof state !== 'object') return;
    const isRunning = state.state === 'running';
    const numbers = Object.entries(state).filter(([, value]) => typeof value !== 'object');
    replace(check, h('section.card', {}, h('h2', {}, t('journal.verify')), state.segmentCount ? h('progress', { max: state.segmentCount, value: state.segments ?? 0, 'aria-label': t('journal.verify') }) : null, facts(numbers.map(([name, value]) => [name, member(value)]))));
    if (isRunning) timer = setTimeout(watch, 1000);
  }

  function update([wanted]) {
    if (!wanted) return replace(records);
    entity.value = wanted;
    const all = pages((after) => ifThere(list('/admin/1/journal/records', { entity: wanted, limit: 100, after })), (items) => h('ol.chain', {}, items.map((one) => link(one, wanted))), empty(t('journal.none')));
    replace(records, all.node);
    all.reload();
  }

  loadHead();
  watch();
  update(parts);
  return { node: h('div.page', {}, head(t('screen.journal'), verify, checkpoint), about, check, form, records), update, dispose: () => clearTimeout(timer) };
}

function member(value) {
  if (typeof value === 'number') return number(value);
  if (value === null || typeof value !== 'object') return String(value ?? '–');
  return h('details', {}, h('summary', {}, Array.isArray(value) ? number(value.length) : t('show')), h('pre', { tabindex: '0' }, JSON.stringify(value, null, 2)));
}

/** One record, a link of the chain. */
function link(record, entity) {
  const state = h('div');
  const show = worker(t('journal.state'), async () => {
    const answer = await get('/admin/1/journal/state', { entity, at: record.position });
    replace(state, h('pre', { tabindex: '0' }, JSON.stringify(answer, null, 2)));
  });
  return h('li', {}, h('details', {}, h('summary', {}, h('code', {}, `#${record.position}`), h('strong', {}, record.name ?? record.event?.name ?? `${t('tag')} ${record.tag}`), record.redacted ? badge(t('redacted'), 'warn') : null, h('time', { datetime: record.time }, moment(record.time, language)), record.chainHash || record.hash ? h('code', {}, String(record.chainHash ?? record.hash).slice(0, 12)) : null),
    h('pre', { tabindex: '0' }, JSON.stringify(record, null, 2)), show, state));
}
