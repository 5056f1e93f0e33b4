import { expect, test } from 'bun:test';
import { cleanedContent } from './site-content.ts';

test('Markdown keeps its code, its addresses and its text; refused markup is removed', () => {
  const kept = [
    '# Title\n\nuse `<script>` and ``a ` <style>`` here, a < b',
    '```html\n<script>alert(1)</script>\n```\n\ntext',
    '~~~\n<iframe>\n~~~',
    'a\n```\n<script>\n\n<b>',
    '````\n```\n<script>\n````\n',
    'write to <me@example.com> or <https://example.com/?a=1>',
    '[x](https://example.com) ![y](/logo.png)',
    '<div align="center">\n\n**x**\n\n</div>',
  ];
  for (const text of kept) expect(cleanedContent('Notice', text)).toEqual({ text, removed: [] });
  expect(
    cleanedContent('About', 'a <script>x</script> `<script>` [go](javascript:alert(1)) <i onclick=x>y</i>'),
  ).toEqual({
    text: 'a  `<script>` [go](#) <i>y</i>',
    removed: ['<script>', '<i onclick>', '[](javascript:)'],
  });
});

test('a comparison in Markdown is not an unfinished tag; quotes stay quotes when a tag is removed', () => {
  for (const text of ['x <y and z', '价格 <n 元', 'a <b\n\n> quote'])
    expect(cleanedContent('Notice', text).text.replaceAll('&lt;', '<')).toBe(text);
  expect(cleanedContent('Notice', '> quote & more\n\n<script>x</script>').text).toBe(
    '> quote &amp; more\n\n',
  );
  expect(cleanedContent('Notice', '<div onclick=x>\n\n`<i>`\n\n</div>').text).toBe(
    '<div>\n\n`<i>`\n\n</div>',
  );
});

test('backticks inside of a tag do not hide its attributes', () => {
  for (const text of [
    '<img title="`" onerror=alert(1) x="`">',
    '<img x=`onerror=alert(1)`onerror=alert(2)>',
    '<b a="`"><img src=x onerror=alert(1) b="`">',
  ])
    expect(cleanedContent('Notice', text).text).not.toMatch(/<[^>]*onerror/);
});

test('whole pages and addresses are framed, not cleaned; a notice and a footer are never framed', () => {
  const page = '<!doctype html><html><script>x</script></html>';
  expect(cleanedContent('HomePageContent', page).text).toBe(page);
  expect(cleanedContent('About', 'https://example.com/').text).toBe('https://example.com/');
  expect(cleanedContent('Notice', page)).toEqual({ text: '', removed: ['<html>', '<script>', '<!-- -->'] });
  expect(cleanedContent('Footer', '`<script>x</script>`')).toEqual({ text: '``', removed: ['<script>'] });
  expect(cleanedContent('SystemName', '<script>').text).toBe('<script>');
});

test('the time grows with the length of the text', () => {
  for (const piece of ['`', '```\n', '~~~\n`', '` ``', '](javascript:', '<', '<a@', '\n    ```']) {
    const text = piece.repeat(300_000 / piece.length);
    const before = process.cpuUsage();
    cleanedContent('Notice', text);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1500);
  }
});
