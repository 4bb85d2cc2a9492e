/** Signing in by a token. */

import { Failure, field, h, signIn, t } from '../ui/kit.js';
import { setTitle, setUnread } from '../core/notify.js';
import { brand } from './brand.js';

/** @param {{problem: string, signedIn: () => void}} options */
export function signInScreen({ problem, signedIn }) {
  setUnread(0);
  setTitle(t('signIn'));
  const token = h('input', { type: 'password', name: 'token', required: true, autocomplete: 'current-password', spellcheck: 'false', maxlength: 4096 });
  const words = h('p.problem', { role: 'alert' }, problem);
  const button = h('button.button.primary.wide', { type: 'submit' }, t('signIn'));
  const form = h('form.card', { onsubmit: submit }, h('h1', {}, t('signIn')), field(t('signIn.token'), token, t('signIn.help')), words, button);

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    words.textContent = '';
    try {
      await signIn({ token: token.value.trim() });
      signedIn();
    } catch (error) {
      words.textContent = error instanceof Failure ? reason(error) : t('error.page');
      button.disabled = false;
      token.focus();
    }
  }

  return { node: h('main.sign-in', {}, brand(), form), shown: () => token.focus() };
}

function reason(failure) {
  if (failure.status === 401) return t('signIn.wrong');
  return failure.status === 404 ? t('signIn.none') : failure.words;
}
