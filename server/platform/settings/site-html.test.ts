import { describe, expect, test } from 'bun:test';
import { array, assert, constantFrom, property } from 'fast-check';
import sanitizeHtml from 'sanitize-html';
import { cleanedHtml } from './site-content.ts';

/** Processor time of this process: other load on the machine does not count. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('removed when saved', () => {
  const cases: readonly [string, string][] = [
    ['<b>bold</b> & <i title="x">it</i>', '<b>bold</b> & <i title="x">it</i>'],
    // S26: a class of the console could lie over every screen.
    ['<a class="mantine-Overlay-root">x</a>', '<a>x</a>'],
    ['1 < 2 && 3 > 2', '1 < 2 && 3 > 2'],
    ['&lt;script&gt;', '&lt;script&gt;'],
    ['<img src=x onerror="alert(1)">', '<img src="x" />'],
    ['<IMG SRC=x OnError=alert(1)//', '&lt;IMG SRC=x OnError=alert(1)//'],
    ['a<script>alert(1)</script>b', 'ab'],
    ['a<SCRIPT\n>alert("</b>")</script >b', 'ab'],
    ['a<script>alert(1)', 'a'],
    ['<style>*{}</style><title>t</title>x', 'x'],
    ['<a href="javascript:alert(1)">go</a>', '<a>go</a>'],
    ['<a href="java&#10;script:alert(1)">go</a>', '<a>go</a>'],
    ['<a href="java&Tab;script&colon;alert(1)">go</a>', '<a>go</a>'],
    ['<a href="&#106avascript:alert(1)">go</a>', '<a>go</a>'],
    ['<a href=" \u{1}javascript:alert(1)">go</a>', '<a>go</a>'],
    ['<a href="vbscript:x">go</a>', '<a>go</a>'],
    ['<a href="data:text/html,x">go</a>', '<a>go</a>'],
    [
      '<a href="https://a.example/?x=1&amp;y=2#z">go</a>',
      '<a href="https://a.example/?x=1&amp;y=2#z">go</a>',
    ],
    ['<a href="mailto:a@b.c">go</a><a href="/x">y</a>', '<a href="mailto:a@b.c">go</a><a href="/x">y</a>'],
    ['<a href=//a.example>x</a>', '<a href=//a.example>x</a>'],
    ['<a href="/\\evil.example">x</a>', '<a href="/\\evil.example">x</a>'],
    ['<svg onload=alert(1)><animate onbegin=alert(1)></svg>x', 'x'],
    [
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
      '<table><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;" /></table>',
    ],
    ['<iframe srcdoc="<script>x</script>"></iframe>x', 'x'],
    ['<base href="https://evil.example/"><meta http-equiv=refresh content=0>x', 'x'],
    ['<form action="javascript:x"><button autofocus>go</button></form>', 'go'],
    ['<details open ontoggle="x">y</details>', '<details open>y</details>'],
    ['<p style="position:fixed" id=a name=b data-x=1 onclick=x>y</p>', '<p>y</p>'],
    ["<b title='\"><img src=x onerror=alert(1)>'>x</b>", "<b title='\"><img src=x onerror=alert(1)>'>x</b>"],
    ['<<script></script>img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)>'],
    ['<!-- a --><!--><b>x</b><!doctype html><?php ?><![CDATA[y]]>', '<b>x</b>'],
    ['<!-- never ends <b>x</b>', '&lt;!-- never ends &lt;b>x&lt;/b>'],
    ['<b><i onclick=x>x</b>y', '<b><i>x</i></b>y'],
    ['<ul><li>a<li>b</ul>', '<ul><li>a<li>b</ul>'],
    ['<img src="data:image/png;base64,AA==">', '<img src="data:image/png;base64,AA==">'],
    ['<img src=javascript:x>', '<img />'],
    ['<audio src="data:audio/mp3,x">', '<audio></audio>'],
    ['<a href=javascript:x href=1>x</a>', '<a>x</a>'],
    ['<a href="feed:javascript:x">y</a>', '<a>y</a>'],
    ['<img src="x" srcset="https://a.example/ 2x">', '<img src="x" />'],
    ['<b/onclick=x/>y</b>', '<b>y</b>'],
    ['<textarea></textarea><plaintext><b>x', ''],
  ];
  test.each(cases)('%s', (html, expected) => {
    expect(cleanedHtml(html).text).toBe(expected);
  });

  test('cleaning twice is cleaning once, and only listed tags and attributes remain, for any mix of pieces', () => {
    const pieces = constantFrom(
      ...'< > " \' = / & ; <!-- --> <script </script> <b </b> <img onerror= href= javascript: <a </a> <svg'.split(
        ' ',
      ),
      ...'<p> <li> <style> &lt; &#60; x ` src=x'.split(' '),
      ' ',
      '\n',
    );
    assert(
      property(array(pieces, { maxLength: 40 }), (parts) => {
        const saved = cleanedHtml(parts.join(''));
        expect(cleanedHtml(saved.text)).toEqual({ text: saved.text, removed: [] });
        sanitizeHtml(saved.text, {
          onOpenTag(name, attributes) {
            expect(['b', 'img', 'a', 'p', 'li']).toContain(name);
            for (const [attribute, value] of Object.entries(attributes)) {
              expect(['src', 'href']).toContain(attribute);
              expect(value).not.toMatch(/^\W*javascript:/i);
            }
          },
        });
      }),
      { numRuns: 3000 },
    );
  });

  test('the time grows with the length of the text and not with its square', () => {
    for (const piece of ['<', '<b', '<b>', '<!--', '<title></title>', '<a href="', '</i>', '&#', "<x '"]) {
      const short = processorTime(() => cleanedHtml(piece.repeat(10_000 / piece.length)));
      const long = processorTime(() => cleanedHtml(piece.repeat(80_000 / piece.length)));
      // Eight times as long; quadratic work would be sixty-four times as long.
      expect(long).toBeLessThan(24 * short + 100);
    }
  });
});

describe('kept when saved', () => {
  test('a source without refused parts is stored as written', () => {
    const source =
      "<div  title='a'>\n 1 < 2 <B>x</B><br/>&copy; <a href='https://a.example/?a=1&b=2'>y</a></div>";
    expect(cleanedHtml(source)).toEqual({ text: source, removed: [] });
  });

  test('refused parts are removed and named', () => {
    expect(
      cleanedHtml('<b onclick=x title=c>a</b><script>1</script><a href="javascript:x">y</a><!-- z -->'),
    ).toEqual({
      text: '<b title="c">a</b><a>y</a>',
      removed: ['<b onclick>', '<script>', '<a href>', '<!-- -->'],
    });
  });

  test('parts that come together after a removal do not become a tag', () => {
    const { text } = cleanedHtml('<<script></script>img src=x onerror=alert(1)>');
    expect(text).toBe('&lt;img src=x onerror=alert(1)>');
    expect(cleanedHtml('<b a <b a <b').text).toBe('&lt;b a &lt;b a &lt;b');
  });
});
