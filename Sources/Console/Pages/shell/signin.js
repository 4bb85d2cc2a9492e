/** Signing in by a token, or by a provider. */

import { Failure, field, h, safeURL, signIn, t, ways } from '../ui/kit.js';
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

  ways().then(({ openid }) => {
    if (openid) form.append(h('a.button.wide', { href: safeURL(openid.url) }, t('signIn.with', openid)));
  });

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

/** Why a provider has signed nobody in, by its word in the address, which anybody may have written. */
export function refusal(word) {
  if (['denied', 'again', 'taken'].includes(word)) return t(`signIn.${word}`);
  return t(['role', 'services', 'name'].includes(word) ? 'signIn.role' : 'signIn.provider');
}

function reason(failure) {
  if (failure.status === 401) return t('signIn.wrong');
  return failure.status === 404 ? t('signIn.none') : failure.words;
}
