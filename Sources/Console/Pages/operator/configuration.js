/** What is configured, and where each value comes from. Secrets are masked by the server. */

import { get, ifThere } from '../core/api.js';
import { h, replace } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { attempt } from '../core/live.js';
import { badge, empty, field, head, notOffered, table } from '../ui/parts.js';

export function screen() {
  const filter = h('input', { type: 'search', oninput: draw });
  const rows = h('div');
  let options = null;

  function draw() {
    const wanted = filter.value.trim().toLowerCase();
    const shown = options.filter((one) => `${one.section}/${one.option}`.toLowerCase().includes(wanted));
    replace(rows, shown.length ? table(t('screen.configuration'), [t('section'), t('option'), t('value'), t('origin')], shown.map((one) => [one.section, h('code', {}, one.option), h('code', {}, shownValue(one.value)), badge(one.origin ?? '–', one.origin && one.origin !== 'default' ? 'info' : '')])) : empty(t('search.none')));
  }

  attempt(async () => {
    const answer = await ifThere(get('/admin/1/configuration'));
    if (!answer) return replace(rows, notOffered());
    options = flat(answer);
    draw();
  });
  return { node: h('div.page', {}, head(t('screen.configuration')), field(t('search'), filter), rows) };
}

const shownValue = (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '–'));

/** As a list, whether it came as one or by sections. */
function flat(answer) {
  const list = Array.isArray(answer) ? answer : answer.options;
  if (list) return list.map((one) => ({ section: one.section ?? '', option: one.option ?? one.key ?? one.name, value: one.value, origin: one.origin ?? one.source }));
  return Object.entries(answer.sections ?? answer).flatMap(([section, members]) => Object.entries(members).map(([option, one]) => ({ section, option, value: one?.value ?? one, origin: one?.origin })));
}
