/** What this browser keeps: settings for ever, unsent words until the tab is closed. All of it may be missing. */

const prefix = 'carillon.';

function guarded(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

export const read = (key) => guarded(() => localStorage.getItem(prefix + key));
export const write = (key, value) => guarded(() => localStorage.setItem(prefix + key, value));
export const readTab = (key) => guarded(() => sessionStorage.getItem(prefix + key));
export const forgetTab = (key) => guarded(() => sessionStorage.removeItem(prefix + key));
export const writeTab = (key, value) => guarded(() => sessionStorage.setItem(prefix + key, value));

/** Forgets what was written in this tab: somebody signs out. */
export function forgetTabAll() {
  guarded(() => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  });
}
