// Starts the downloads of a first visit at once, which would otherwise wait for each other: the code and the words of the page
// (the build puts their list in), and what the frame of every page asks the server for. `web/api/early.ts` takes the answers.
(function () {
  var read = function (key) {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  var readJson = function (key) {
    try {
      return JSON.parse(read(key) || 'null');
    } catch {
      return null;
    }
  };
  /** True when this browser keeps an organization for the user. */
  var keeps = function (user) {
    var kept = readJson('organization');
    return kept !== null && kept.user === user.id;
  };
  var early = { words: {}, shell: {}, routes: {}, files: [] };
  var language = (read('i18nextLng') || navigator.language || '').indexOf('en') === 0 ? 'en' : 'zh';
  var place = '/' + location.pathname.split('/')[1];
  var load = function (parts) {
    for (var index of [].concat(parts.all || [], parts[language] || [])) {
      var file = early.files[index];
      var link = document.createElement('link');
      var isStyle = file.endsWith('.css');
      link.rel = isStyle ? 'preload' : 'modulepreload';
      if (isStyle) link.as = 'style';
      link.crossOrigin = '';
      link.href = '/' + file;
      document.head.append(link);
    }
  };
  load(early.words);
  load(early.routes[place] || {});
  var user = readJson('user');
  var isSignIn = /^\/(login|register|reset|oauth)$/.test(place);
  if (!isSignIn) load(early.shell);
  var calls = ['/api/status'];
  if (user && user.id && !isSignIn) calls.push('/api/user/self', '/api/notice');
  // What needs the organization of the address. Whether the page is of the one that this browser keeps, only the console knows.
  var organization = (/[?&]org=([1-9]\d{0,14})(?:&|$)/.exec(location.search) || [])[1];
  if (user && user.id && !isSignIn && (organization || !keeps(user))) calls.push('/api/attention');
  var headers = { Accept: 'application/json', 'Accept-Language': language };
  if (user && user.id) headers['New-Api-User'] = String(user.id);
  window.earlyAnswers = {};
  for (var call of calls) {
    var scope = call === '/api/attention' ? organization : undefined;
    var all = scope ? Object.assign({ 'Tollgate-Organization': scope }, headers) : headers;
    var answer = fetch(call, { headers: all, credentials: 'same-origin', cache: 'no-store' });
    // Whoever takes the answer reads the failure.
    answer.catch(function () {});
    window.earlyAnswers[call] = { user: headers['New-Api-User'], organization: scope, answer: answer };
  }
})();
