import { describe, expect, test } from 'bun:test';
import { array, assert, constantFrom, property } from 'fast-check';
import { cleanedHtml, safeHtml } from './safe-html.ts';

/** What else the machine does is not counted. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('what is shown', () => {
  const cases: readonly [string, string][] = [
    ['<b>bold</b> & <i class="x">it</i>', '<b>bold</b> & <i class="x">it</i>'],
    ['1 < 2 && 3 > 2', '1 &lt; 2 && 3 &gt; 2'],
    ['&lt;script&gt;', '&lt;script&gt;'],
    ['<img src=x onerror="alert(1)">', '<img src="x">'],
    ['<IMG SRC=x OnError=alert(1)//', ''],
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
    ['<a href=//a.example>x</a>', '<a href="https://a.example">x</a>'],
    ['<a href="/\\evil.example">x</a>', '<a href="https://evil.example">x</a>'],
    ['<svg onload=alert(1)><animate onbegin=alert(1)></svg>x', 'x'],
    [
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
      '<table><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></table>',
    ],
    ['<iframe srcdoc="<script>x</script>"></iframe>x', 'x'],
    ['<base href="https://evil.example/"><meta http-equiv=refresh content=0>x', 'x'],
    ['<form action="javascript:x"><button autofocus>go</button></form>', 'go'],
    ['<details open ontoggle="x">y</details>', '<details open="">y</details>'],
    ['<p style="position:fixed" id=a name=b data-x=1 onclick=x>y</p>', '<p>y</p>'],
    [
      "<b title='\"><img src=x onerror=alert(1)>'>x</b>",
      '<b title="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;">x</b>',
    ],
    ['<<script></script>img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['<!-- a --><!--><b>x</b><!doctype html><?php ?><![CDATA[y]]>', '<b>x</b>'],
    ['<!-- never ends <b>x</b>', ''],
    ['</b></div>x', 'x'],
    ['<b><i>x</b>y', '<b><i>x</i></b>y'],
    ['<ul><li>a<li>b</ul>', '<ul><li>a<li>b</ul>'],
    ['<img src="data:image/png;base64,AA==">', '<img src="data:image/png;base64,AA==">'],
    ['<img src=javascript:x>', '<img>'],
    ['<audio src="data:audio/mp3,x">', '<audio></audio>'],
    ['<a href=1 href=javascript:x>x</a>', '<a href="1">x</a>'],
    ['<b/onclick=x/>y</b>', '<b>y</b>'],
    ['<textarea></textarea><plaintext><b>x', ''],
  ];
  test.each(cases)('%s', (html, expected) => {
    expect(safeHtml(html)).toBe(expected);
  });

  test('addresses the policy of the page would not load are left out', () => {
    const shown = (html: string) => safeHtml(html, { ownOrigin: 'http://gate.example' });
    expect(shown('<img src="http://other.example/a.png">')).toBe('<img>');
    expect(shown('<img src="http://gate.example.evil/a.png">')).toBe('<img>');
    expect(shown('<img src="http://gate.example/a.png">')).toBe('<img src="http://gate.example/a.png">');
    expect(shown('<img src="https://other.example/a.png">')).toBe('<img src="https://other.example/a.png">');
    expect(shown('<video src="https://other.example/a.mp4" poster="/a.png"></video>')).toBe(
      '<video poster="/a.png"></video>',
    );
  });

  test('it is done in one pass: what it made it leaves alone, however the text was put together', () => {
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
        const shown = safeHtml(parts.join(''));
        expect(safeHtml(shown)).toBe(shown);
        for (const tag of shown.match(/<[^>]*>/g) ?? []) {
          expect(tag).toMatch(/^<\/?(?:b|img|a|p|li)(?: (?:src|href)="[^"<>]*")*>$/);
          expect(tag).not.toMatch(/javascript:/i);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('a long text takes time by its length, whatever it is made of', () => {
    for (const piece of ['<', '<b', '<b>', '<!--', '<title></title>', '<a href="', '</i>', '&#', "<x '"]) {
      const short = processorTime(() => safeHtml(piece.repeat(40_000 / piece.length)));
      const long = processorTime(() => safeHtml(piece.repeat(320_000 / piece.length)));
      // Eight times as long; if every character met every other one it would be sixty-four.
      expect(long).toBeLessThan(24 * short + 100);
    }
  });
});

describe('what is kept', () => {
  test('harmless sources are kept to the letter', () => {
    const source =
      "<div  class='a'>\n 1 < 2 <B>x</B><br/>&copy; <a href='https://a.example/?a=1&b=2'>y</a></div>";
    expect(cleanedHtml(source)).toEqual({ text: source, removed: [] });
  });

  test('the rest goes, and is named', () => {
    expect(
      cleanedHtml('<b onclick=x class=c>a</b><script>1</script><a href="javascript:x">y</a><!-- z -->'),
    ).toEqual({
      text: '<b class="c">a</b><a>y</a>',
      removed: ['<b onclick>', '<script>', '<a href>', '<!-- -->'],
    });
  });

  test('what comes together when something goes is judged again', () => {
    const { text } = cleanedHtml('<<script></script>img src=x onerror=alert(1)>');
    expect(text).toBe('<img src="x">');
    expect(cleanedHtml('<b a <b a <b').text).toBe('&lt;b a &lt;b a &lt;b');
  });
});
