// Runs before the first paint, so that nothing flashes: the theme, the language and whether somebody is signed in are stored in
// the browser, not in the cached page.
(() => {
  const root = document.documentElement;
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  root.dataset.script = 'true';
  if (read('user')) root.dataset.signedIn = 'true';

  const system = matchMedia('(prefers-color-scheme: dark)');
  let theme = read('theme-mode');
  const paint = () => {
    const chosen = theme === 'light' || theme === 'dark' ? theme : system.matches ? 'dark' : 'light';
    root.setAttribute('data-mantine-color-scheme', chosen);
  };
  paint();
  system.addEventListener('change', paint);
  document.addEventListener('theme-chosen', (event) => {
    theme = event.detail;
    paint();
  });

  // The address names no language and the console's choice is another one: the page is read in that one.
  const own = root.lang.startsWith('zh') ? 'zh' : 'en';
  const wanted = read('i18nextLng')?.slice(0, 2);
  if (!root.dataset.langNamed && (wanted === 'zh' || wanted === 'en') && wanted !== own) {
    const address = new URL(location.href);
    address.searchParams.set('lang', wanted);
    location.replace(address);
  }
})();
