/** A question that is answered by typing a name once more. */

import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { dialog } from '../core/live.js';
import { field } from './parts.js';

/** @param {...any} question what stands above the field. @returns whether it was done. */
export function typedAgain(title, name, question, work) {
  const again = h('input', { autocomplete: 'off', spellcheck: 'false' });
  return dialog(title, () => [typeof question === 'string' ? h('p', question) : question, field(t('again', { name }), again)], {
    ok: title,
    danger: true,
    submit() {
      if (again.value.trim() !== name) throw new Error(t('again.differs'));
      return work();
    },
  });
}
