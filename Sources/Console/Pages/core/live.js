/** What is told besides the screen: live regions, short messages, dialogs. */

import { h, replace } from './dom.js';
import { t } from './i18n.js';
import { Failure } from './api.js';

const polite = h('div.sr-only', { role: 'status', 'aria-live': 'polite' });
const toasts = h('div.toasts', { role: 'region', 'aria-label': t('toasts') });

/** The places of it all; they must be in the page before anything is told. */
export const liveRegions = () => [polite, toasts];

/** Says it to screen readers alone. */
export function announce(text) {
  // The same words twice are said twice only if they come anew.
  polite.textContent = '';
  requestAnimationFrame(() => (polite.textContent = text));
}

/** Shows it for a while, and says it. @param {'info'|'error'} [kind] */
export function toast(text, kind = 'info') {
  const one = h(`div.toast.${kind}`, { role: kind === 'error' ? 'alert' : 'status' }, h('span', text), close());
  function close() {
    return h('button.icon-button', { type: 'button', 'aria-label': t('close'), onclick: () => one.remove() }, '×');
  }
  toasts.append(one);
  while (toasts.childElementCount > 4) toasts.firstElementChild.remove();
  setTimeout(() => one.remove(), kind === 'error' ? 12000 : 5000);
}

/** Does it, and tells what went wrong. @returns what it gave, or undefined. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name === 'AbortError' || error.status === 401) return undefined;
    if (!(error instanceof Failure)) console.error(error);
    toast(error instanceof Failure ? error.words : t('error.page'), 'error');
    return undefined;
  }
}

/**
 * A modal dialog with a form.
 * @param {string} title
 * @param {(form: HTMLFormElement) => any} body what stands in it.
 * @param {{ok?: string, danger?: boolean, submit?: (form: HTMLFormElement) => Promise<any>}} options without `submit` it only closes.
 * @returns {Promise<boolean>} whether it was submitted.
 */
export function dialog(title, body, { ok = t('ok'), danger = false, submit } = {}) {
  return new Promise((resolve) => {
    const form = h('form', { method: 'dialog' });
    const heading = h('h2', { id: 'dialog-title' }, title);
    const button = h(`button.button.${danger ? 'danger' : 'primary'}`, { type: 'submit', value: 'ok' }, submit ? ok : t('close'));
    const problem = h('p.problem', { role: 'alert' });
    const cancel = submit && h('button.button', { type: 'button', onclick: () => box.close() }, t('cancel'));
    const box = h('dialog.dialog', { 'aria-labelledby': 'dialog-title', onclose: end }, form);
    let isDone = false;
    replace(form, heading, h('div.dialog-body', body(form)), problem, h('div.dialog-buttons', cancel, button));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (button.hasAttribute('aria-busy')) return;
      button.setAttribute('aria-busy', 'true');
      try {
        if (submit && (await submit(form)) === false) return;
        isDone = Boolean(submit);
        box.close();
      } catch (error) {
        problem.textContent = error instanceof Failure ? error.words : error.message;
      } finally {
        button.removeAttribute('aria-busy');
      }
    });
    function end() {
      box.remove();
      resolve(isDone);
    }
    document.body.append(box);
    box.showModal();
    form.querySelector('input, textarea, select')?.focus();
  });
}

/** Asks before something that cannot be taken back. */
export const confirm = (title, text, ok, work) =>
  dialog(title, () => h('p', text), { ok, danger: true, submit: work });
