/** The options in force: their values, who has set them, and what a change takes. */

import { attempt, badge, empty, field, h, head, list, replace, select, t, table, term } from '../ui/kit.js';

const origins = ['builtIn', 'file', 'environment', 'argument'];

export function screen() {
  const words = h('input', { type: 'search', name: 'filter', maxlength: 200, oninput: draw });
  const origin = select([['', t('all')], ['set', t('origin.set')], ...origins.map((id) => [id, term('origin', id)])], { name: 'origin', onchange: draw });
  const shown = h('div', { 'aria-busy': 'true' });
  const count = h('p.count', { role: 'status' });
  let options = [];

  async function load() {
    for (let after = null; ; ) {
      const page = await list('/admin/1/configuration', { limit: 500, after });
      options = options.concat(page.data);
      if (!page.next) break;
      after = page.next;
    }
    draw();
  }

  function draw() {
    const wanted = words.value.trim().toLowerCase();
    const fits = (one) => (!origin.value || one.origin === origin.value || (origin.value === 'set' && one.origin !== 'builtIn')) && [one.section, one.name, one.value, one.summary].some((text) => text?.toLowerCase().includes(wanted));
    const found = options.filter(fits);
    count.textContent = t('ofTotal', { shown: found.length, n: options.length });
    replace(shown, found.length ? table(t('screen.configuration'), [t('option'), t('value'), t('origin'), t('configuration.takes')], found.map(row)) : empty(t('search.none')));
    shown.removeAttribute('aria-busy');
  }

  attempt(load);
  return { node: h('div.page', head(t('screen.configuration')), h('div.form-row', field(t('filter'), words), field(t('origin'), origin)), count, shown) };
}

const row = (one) => [[h('code', `${one.section}/${one.name}`), h('br'), h('small', one.summary)], one.secret ? badge(t('secret')) : one.value === null ? '–' : h('code', { dir: 'auto' }, one.value),
  [badge(term('origin', one.origin), one.origin === 'builtIn' ? '' : 'info'), one.place ? h('small', ` ${one.place}`) : null], term('takes', one.takes)];
