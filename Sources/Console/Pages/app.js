/** The console: restores the session or asks for one, then shows the shell. */

import { Failure, signedOut } from './core/api.js';
import { replace } from './core/dom.js';
import { language, t } from './core/i18n.js';
import { liveRegions, toast } from './core/live.js';
import { fromAddress, lose, restore, session, signIn } from './core/session.js';
import { refusal, signInScreen } from './shell/signin.js';
import { shell } from './shell/shell.js';
import { unreachable } from './shell/unreachable.js';

const code = fromAddress('code');
const error = fromAddress('error');
document.documentElement.lang = language;
document.documentElement.dir = new URLSearchParams(location.search).get('dir') === 'rtl' ? 'rtl' : 'ltr';

let current = null;

function show(screen) {
  current?.dispose?.();
  current = screen;
  replace(document.body, screen.node, liveRegions());
  screen.shown?.();
}

function showShell() {
  show(shell({ signedOut: () => showSignIn() }));
}

function showSignIn(problem = '') {
  show(signInScreen({ problem, signedIn: showShell }));
}

signedOut.on(() => {
  // Many requests may fail at a time: one sign-in screen is enough.
  if (!session) return;
  lose();
  showSignIn(t('signIn.ended'));
});

async function start() {
  try {
    if (code) {
      await signIn({ code });
      return showShell();
    }
    return (await restore()) ? showShell() : showSignIn(error ? refusal(error) : '');
  } catch (failure) {
    if (code && failure instanceof Failure && failure.status !== 0) return showSignIn(t('signIn.code'));
    show(unreachable(start));
  }
}

addEventListener('unhandledrejection', ({ reason }) => {
  if (reason?.name === 'AbortError' || reason?.status === 401) return;
  toast(reason instanceof Failure ? reason.words : t('error.page'), 'error');
});

start();
