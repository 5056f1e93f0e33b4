// Theme and language before the first paint; a file, as the policy allows no inline script.
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
  if (!/^\/(login|register|reset|oauth)(\/|$)/.test(window.location.pathname) && read('user'))
    root.setAttribute('data-boot', 'console');
  var density = read('density');
  if (density) root.setAttribute('data-density', density);
  var named = /[?&]lang=(zh|en)(&|$)/.exec(window.location.search);
  if (named && !read('i18nextLng')) {
    try {
      window.localStorage.setItem('i18nextLng', named[1]);
    } catch {
      // Not kept.
    }
  }
  var language = read('i18nextLng') || navigator.language || '';
  root.lang = language.indexOf('en') === 0 ? 'en' : 'zh-CN';
  try {
    var name = JSON.parse(read('status') || '{}').system_name;
    if (typeof name === 'string' && name) document.title = name;
  } catch {
    // The server's answer replaces it.
  }
})();
