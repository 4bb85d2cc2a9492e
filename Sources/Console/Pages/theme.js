// Runs before the first paint, so that a chosen theme does not flash up in the other one's colours.
(() => {
  try {
    const theme = localStorage.getItem('carillon.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's theme holds.
  }
})();
