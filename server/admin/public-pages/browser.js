// What a public page does in a browser; every page is complete without it. It runs after the page is read; what must be known
// before the first paint is in `boot.js`.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const write = (key, value) => {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch {
      // Storage is refused: the choice lasts as long as the page.
    }
  };

  function startTheme() {
    const menu = document.querySelector('#theme-menu');
    const items = [...menu.querySelectorAll('[data-theme]')];
    let theme = read('theme-mode');
    const mark = () => {
      const mode = theme === 'light' || theme === 'dark' ? theme : 'auto';
      for (const item of items) item.setAttribute('aria-checked', String(item.dataset.theme === mode));
    };
    mark();
    for (const item of items)
      item.addEventListener('click', () => {
        theme = item.dataset.theme === 'auto' ? null : item.dataset.theme;
        write('theme-mode', theme);
        document.dispatchEvent(new CustomEvent('theme-chosen', { detail: theme }));
        mark();
        menu.hidePopover();
      });
    menu.addEventListener('toggle', (event) => {
      if (event.newState === 'open')
        items.find((item) => item.getAttribute('aria-checked') === 'true')?.focus();
    });
    menu.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const at = items.indexOf(document.activeElement);
      items[(at + step + items.length) % items.length].focus();
    });
  }

  function startLanguage() {
    for (const link of document.querySelectorAll('[data-language]'))
      link.addEventListener('click', () => write('i18nextLng', link.dataset.language));
  }

  /** `/` puts the cursor into the search. */
  function startSearchKey() {
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest('input, textarea, select')) return;
      const field =
        document.querySelector('.filter input[type=search]') ?? document.querySelector('.top-search input');
      if (!field || field.offsetParent === null) return;
      event.preventDefault();
      field.focus();
    });
  }

  function startCopying() {
    document.addEventListener('click', (event) => {
      const button = event.target.closest('[data-copy]');
      if (!button) return;
      const target = document.querySelector(button.dataset.copy);
      const text = target ? target.textContent : (button.dataset.text ?? '');
      navigator.clipboard.writeText(text).then(
        () => {
          const label = button.getAttribute('aria-label');
          button.setAttribute('aria-label', button.dataset.done);
          button.dataset.state = 'done';
          setTimeout(() => {
            button.setAttribute('aria-label', label);
            delete button.dataset.state;
          }, 2000);
        },
        () => showText(button.dataset.failed, text),
      );
    });
  }

  /** The clipboard refused: the text to copy by hand. */
  function showText(title, text) {
    const dialog = document.createElement('dialog');
    const heading = document.createElement('h2');
    heading.textContent = title;
    heading.id = 'copy-by-hand';
    const area = document.createElement('textarea');
    area.readOnly = true;
    area.value = text;
    area.setAttribute('aria-labelledby', heading.id);
    const close = document.createElement('button');
    close.className = 'button';
    close.textContent = document.body.dataset.close ?? 'OK';
    close.addEventListener('click', () => dialog.close());
    dialog.setAttribute('aria-labelledby', heading.id);
    dialog.append(heading, area, close);
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    area.select();
  }

  /** A notice that was closed stays closed until its text changes. */
  function startNotice() {
    const notice = document.querySelector('[data-notice]');
    if (!notice) return;
    if (read('notice-dismissed') === notice.dataset.notice) return notice.remove();
    notice.querySelector('button').addEventListener('click', () => {
      write('notice-dismissed', notice.dataset.notice);
      notice.remove();
    });
  }

  /** Tabs: the parts stand below each other without a script. */
  function startTabs() {
    for (const host of document.querySelectorAll('[data-tabs]')) {
      const panels = [...host.querySelectorAll('[role=tabpanel]')];
      const tabs = [...host.querySelectorAll('[role=tab]')];
      const choose = (tab) => {
        for (const each of tabs) {
          each.setAttribute('aria-selected', String(each === tab));
          each.tabIndex = each === tab ? 0 : -1;
        }
        for (const panel of panels) panel.hidden = panel.id !== tab.getAttribute('aria-controls');
      };
      for (const tab of tabs) tab.addEventListener('click', () => choose(tab));
      host.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const at = tabs.indexOf(document.activeElement);
        if (step === undefined || at < 0) return;
        const next = tabs[(at + step + tabs.length) % tabs.length];
        choose(next);
        next.focus();
      });
      if (tabs[0]) choose(tabs[0]);
      host.dataset.started = 'true';
    }
  }

  /** The index marks the section that is read; on a wide screen that of a document stands on its right. */
  function startSections() {
    const links = [...document.querySelectorAll(':is(.side nav, .on-page) a[href^="#"]')];
    if (links.length === 0) return;
    const sections = links.map((link) => document.querySelector(link.getAttribute('href')));
    const mark = () => {
      const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      let at = 0;
      for (const [index, section] of sections.entries())
        if (section && section.getBoundingClientRect().top <= 90) at = index;
      if (end && scrollY > 0) at = links.length - 1;
      for (const [index, link] of links.entries())
        if (sections[index] === sections[at]) link.setAttribute('aria-current', 'location');
        else link.removeAttribute('aria-current');
    };
    addEventListener('scroll', mark, { passive: true });
    mark();
  }

  /** The list narrows while one types; the button asks the server for the same. */
  function startFilter() {
    const form = document.querySelector('[data-filter]');
    const rows = [...document.querySelectorAll('[data-filtered] tbody tr')];
    if (!form) return;
    for (const select of form.querySelectorAll('select'))
      select.addEventListener('change', () => form.submit());
    const count = document.querySelector('[data-count]');
    form.elements.q.addEventListener('input', () => {
      const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        row.hidden = !words.every((word) => row.dataset.text.includes(word));
        if (!row.hidden) shown += 1;
      }
      if (count) count.textContent = String(shown);
    });
  }

  /** What the console said just before it opened this page. */
  function showMessages() {
    let messages = [];
    try {
      messages = JSON.parse(sessionStorage.getItem('messages') ?? '[]');
      sessionStorage.removeItem('messages');
    } catch {
      return;
    }
    for (const message of messages) {
      const toast = document.createElement('div');
      toast.className = 'toast';
      toast.setAttribute('role', 'status');
      toast.textContent = message;
      document.body.append(toast);
      setTimeout(() => toast.remove(), 4000);
    }
  }

  startTheme();
  startLanguage();
  startSearchKey();
  startCopying();
  startNotice();
  startTabs();
  startSections();
  startFilter();
  showMessages();
})();
