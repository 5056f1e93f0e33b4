// Runs before the first paint, so the page never flashes in the wrong theme or language.
// An external file, because the content security policy allows no inline script.
(function () {
  var root = document.documentElement;
  var read = function (key) {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  var theme = read('theme-mode');
  if (theme !== 'light' && theme !== 'dark') {
    theme = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  root.setAttribute('data-mantine-color-scheme', theme);
  // The pages without the frame of the console show a mark while they load.
  if (!/^\/(login|register|reset|oauth)(\/|$)/.test(window.location.pathname) && read('user'))
    root.setAttribute('data-boot', 'console');
  var density = read('density');
  if (density) root.setAttribute('data-density', density);
  var language = read('i18nextLng') || navigator.language || '';
  root.lang = language.indexOf('en') === 0 ? 'en' : 'zh-CN';
  try {
    var name = JSON.parse(read('status') || '{}').system_name;
    if (typeof name === 'string' && name) document.title = name;
  } catch {
    // A broken stored status is replaced as soon as the server answers.
  }
})();
