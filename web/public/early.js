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
  var user;
  try {
    user = JSON.parse(read('user') || 'null');
  } catch {
    user = null;
  }
  var isSignIn = /^\/(login|register|reset|oauth)$/.test(place);
  if (!isSignIn) load(early.shell);
  var calls = ['/api/status'];
  if (user && user.id && !isSignIn) calls.push('/api/user/self', '/api/attention', '/api/notice');
  var headers = { Accept: 'application/json', 'Accept-Language': language };
  if (user && user.id) headers['New-Api-User'] = String(user.id);
  window.earlyAnswers = {};
  for (var call of calls) {
    var answer = fetch(call, { headers: headers, credentials: 'same-origin', cache: 'no-store' });
    // Whoever takes the answer reads the failure.
    answer.catch(function () {});
    window.earlyAnswers[call] = { user: headers['New-Api-User'], answer: answer };
  }
})();
