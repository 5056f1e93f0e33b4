// The console's sanitiser in Chromium on a page without a policy: what it lets through is put into the page, so a handler
// or a link that survived would run. The stored texts are not cleaned before, as answers of models are not.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { visit, type Visit } from '#tests/support/browser.ts';

let application: TestApplication;
let at: Visit;

beforeAll(async () => {
  application = await startApplication();
  at = await visit(application, { language: 'en' });
  const built = await Bun.build({
    entrypoints: ['web/ui/content/sanitise.ts'],
    target: 'browser',
    format: 'esm',
  });
  const script = (await built.outputs[0]?.text()) ?? '';
  // A page of the same origin without a policy of its own: the sanitiser alone has to stop everything.
  await at.page.route('**/bare', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' }),
  );
  await at.page.route('**/sanitise.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await at.page.goto('/bare');
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await application.close();
});

/** The HTML in the page after a moment in which handlers could run, and what ran. */
function shown(
  format: 'html' | 'markdown',
  text: string,
  loadsPictures = true,
): Promise<{ html: string; ran: unknown }> {
  return at.page.evaluate(`(async () => {
    const { htmlFragment, markdownFragment } = await import('/sanitise.js');
    window.ran = [];
    const host = document.createElement('div');
    document.body.replaceChildren(host);
    host.append(${format === 'html' ? 'htmlFragment' : 'markdownFragment'}(${JSON.stringify(text)}, { loadsPictures: ${loadsPictures} }));
    for (const link of host.querySelectorAll('a')) if (!/^https?:/.test(link.href)) link.click();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { html: host.innerHTML, ran: window.ran };
  })()`);
}

const RUN = 'window.ran.push(1)';
const ATTACKS: readonly (readonly [attack: string, shown: string])[] = [
  [`<img src=x onerror="${RUN}">`, '<img src="x">'],
  [`<IMG SRC=x OnError=${RUN}//`, ''],
  [`a<script>${RUN}</script>b`, 'ab'],
  [`a<script>${RUN}`, 'a'],
  [`<a href="javascript:${RUN}">go</a>`, '<a>go</a>'],
  [`<a href="java&#10;script:${RUN}">go</a>`, '<a>go</a>'],
  [`<a href="java&Tab;script&colon;${RUN}">go</a>`, '<a>go</a>'],
  [`<a href="&#106avascript:${RUN}">go</a>`, '<a>go</a>'],
  [`<a href=" \u{1}javascript:${RUN}">go</a>`, '<a>go</a>'],
  [`<a href="data:text/html,<script>${RUN}</script>">go</a>`, '<a>go</a>'],
  [`<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s></svg>x`, 'x'],
  [`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`, ''],
  [`<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>x`, 'x'],
  ['<base href="https://evil.example/"><meta http-equiv=refresh content=0>x', 'x'],
  [`<form action="javascript:${RUN}"><button autofocus onfocus="${RUN}">go</button></form>`, 'go'],
  [`<details open ontoggle="${RUN}">y</details>`, '<details open="">y</details>'],
  ['<p style="position:fixed" id=a name=b data-x=1 onclick=x>y</p>', '<p>y</p>'],
  [`<b/onclick=${RUN}/>y</b>`, '<b>y</b>'],
  [`<template><img src=x onerror=${RUN}></template>z`, 'z'],
  [`<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>z`, ''],
  [`<form><input name=attributes><img src=x onerror=${RUN}></form>z`, 'z'],
  // S18: a character that is removed after the check makes another scheme of the address.
  [`<a href="java&#xfdd0;script:${RUN}">go</a>`, '<a>go</a>'],
  [`<a href="java\u{fdd0}script:${RUN}">go</a>`, '<a>go</a>'],
  [`<a href="\u{fdd0}java&#xfdd0;script&#xfdd0;:${RUN}">go</a>`, '<a>go</a>'],
  [`<img src=x &#xfdd0;onerror="${RUN}" o&#xfdd0;nerror="${RUN}">`, '<img src="x">'],
  [`<img src=x on\u{fdd0}error="${RUN}">`, '<img src="x">'],
  // S26: classes of the console.
  [
    '<a class="mantine-Overlay-root hljs-title" href="https://evil.example/">x</a>',
    '<a class="hljs-title" href="https://evil.example/" target="_blank" rel="noopener noreferrer">x</a>',
  ],
  ['<div class="fixed" id=x hidden tabindex=0 role=dialog popover slot=a part=c>x</div>', '<div>x</div>'],
  // S27: attributes that load.
  [
    '<table background="https://evil.example/a"><tr><td background="https://evil.example/b">x</td></tr></table>',
    '<table><tbody><tr><td>x</td></tr></tbody></table>',
  ],
  [
    '<a href="https://a.example/" ping="https://evil.example/">x</a>',
    '<a href="https://a.example/" target="_blank" rel="noopener noreferrer">x</a>',
  ],
  [
    '<img srcset="https://evil.example/a 2x" lowsrc="https://evil.example/b" dynsrc="https://evil.example/c">',
    '<img>',
  ],
  ['<p src="https://evil.example/a" href="https://evil.example/b">x</p>', '<p>x</p>'],
  [
    '<object data="https://evil.example/a"></object><embed src="https://evil.example/b"><link rel=stylesheet href="https://evil.example/c">x',
    'x',
  ],
  ['<input type=image src="https://evil.example/a"><body background="https://evil.example/b">x', 'x'],
  [`<b onclick="${RUN}" title="onclick=1">onclick=1</b>`, '<b title="onclick=1">onclick=1</b>'],
];

test('the attacks are real: without the sanitiser they run', async () => {
  for (const [attack] of [ATTACKS[0] ?? [], ATTACKS[10] ?? []]) {
    const ran = await at.page.evaluate(`(async () => {
      window.ran = [];
      document.body.innerHTML = ${JSON.stringify(attack)};
      for (let waited = 0; window.ran.length === 0 && waited < 5000; waited += 20)
        await new Promise((resolve) => setTimeout(resolve, 20));
      return window.ran.length;
    })()`);
    expect(ran).toBeGreaterThan(0);
  }
});

test.each(ATTACKS)('S11 %s (plan S12)', async (attack, expected) => {
  const { html, ran } = await shown('html', attack);
  expect(ran).toEqual([]);
  expect(html).toBe(expected);
  expect((await shown('markdown', `# t\n\n${attack}`)).ran).toEqual([]);
  faultSeen('S12', `${ATTACKS.length} attacks as HTML and Markdown on a page without a policy: none ran`);
});

test('S11 links in Markdown that are code become text; others leave the console without a referrer (plan S12)', async () => {
  const { html, ran } = await shown(
    'markdown',
    `[a](javascript:${RUN}) [b](https://a.example/?online=1&onclick=2) ![c](https://a.example/c.png)`,
  );
  expect(ran).toEqual([]);
  expect(html).toContain('<a>a</a>');
  expect(html).toContain(
    '<a href="https://a.example/?online=1&amp;onclick=2" target="_blank" rel="noopener noreferrer">b</a>',
  );
  expect(html).toContain('src="https://a.example/c.png"');
  faultSeen('S12', 'a link that is code: text');
});

test('what others wrote sends no request when it is shown: pictures, sound and film become links (S27)', async () => {
  const asked: string[] = [];
  const host = 'https://evil.example';
  at.page.on('request', (request) => {
    if (!request.url().startsWith(application.url)) asked.push(request.url());
  });
  for (const [html, expected] of [
    [
      `<img src="${host}/a.png" alt="a cat">`,
      `<a href="${host}/a.png" target="_blank" rel="noopener noreferrer">a cat</a>`,
    ],
    [
      `<video poster="${host}/b.png" src="/c.mp4" autoplay></video>`,
      '<a href="/c.mp4" target="_blank" rel="noopener noreferrer">/c.mp4</a>',
    ],
    [`<video poster="${host}/d.png"></video>`, '<a></a>'],
    [
      `<picture><source srcset="${host}/e.png"><img src="${host}/f.png"></picture>`,
      `<a href="${host}/f.png" target="_blank" rel="noopener noreferrer">${host}/f.png</a>`,
    ],
    [
      `<audio controls><source src="/g.mp3"></audio>`,
      '<a href="/g.mp3" target="_blank" rel="noopener noreferrer">/g.mp3</a>',
    ],
    [
      '<img src="/api/user/self">',
      '<a href="/api/user/self" target="_blank" rel="noopener noreferrer">/api/user/self</a>',
    ],
    [
      '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
      '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
    ],
    [
      `<table background="${host}/h"><tr><td background="${host}/i">x</td></tr></table>`,
      '<table><tbody><tr><td>x</td></tr></tbody></table>',
    ],
  ] as const)
    expect([html, (await shown('html', html, false)).html]).toEqual([html, expected]);
  await shown('markdown', `![x](${host}/j.png) <img src=${host}/k.png> <video poster=${host}/l.png>`, false);
  expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([]);
});

test('a link in Markdown whose scheme appears only without its marks stays text (S18)', async () => {
  const { html, ran } = await shown(
    'markdown',
    `[a](java&#xfdd0;script:${RUN}) [b](<java\u{fdd0}script:${RUN}>)`,
    false,
  );
  expect(ran).toEqual([]);
  expect(html).not.toContain('javascript:');
});

test('no class of the console passes, those of the highlighter do (S26)', async () => {
  const kept = '<span class="hljs-title function_">f</span><span class="hljs-built_in">g</span>';
  expect((await shown('html', kept)).html).toBe(kept);
  const fenced = await shown('markdown', '```c++\nint x;\n```');
  expect(fenced.html).toContain('class="language-c++"');
  // Every class of the built console.
  const sheets = [...new Bun.Glob('dist/assets/*.css').scanSync('.')];
  const names = new Set<string>();
  for (const sheet of sheets)
    for (const [, name = ''] of (await Bun.file(sheet).text()).matchAll(/\.(-?[A-Za-z_][\w-]*)/g))
      names.add(name);
  expect(names.size).toBeGreaterThan(100);
  const { html } = await shown('html', `<p class="${[...names].join(' ')}">x</p>`);
  const passed = /class="([^"]*)"/.exec(html)?.[1]?.split(' ') ?? [];
  expect(passed.filter((name) => !name.startsWith('hljs'))).toEqual([]);
});

test('code keeps its text, with words that look like handlers', async () => {
  const { html } = await shown('markdown', '```html\n<b onclick="x()" onload = y>\n```');
  expect(html).toContain('&lt;b onclick="x()" onload = y&gt;');
});

test('addresses that the policy of the page would not load are removed', async () => {
  const origin = new URL(application.url).origin;
  for (const [html, expected] of [
    ['<img src="http://other.example/a.png">', '<img>'],
    [`<img src="${origin}.evil/a.png">`, '<img>'],
    [`<img src="${origin}/a.png">`, `<img src="${origin}/a.png">`],
    ['<img src="//other.example/a.png">', '<img>'],
    ['<img src="https://other.example/a.png">', '<img src="https://other.example/a.png">'],
    ['<img src="data:image/png;base64,AA==">', '<img src="data:image/png;base64,AA==">'],
    ['<video src="https://other.example/a.mp4" poster="/a.png"></video>', '<video poster="/a.png"></video>'],
    ['<audio src="data:audio/mp3,x"></audio>', '<audio></audio>'],
    ['<img src="http://[">', '<img>'],
  ] as const)
    expect([html, (await shown('html', html)).html]).toEqual([html, expected]);
});
