import { expect, test } from 'bun:test';
import { cleanedContent } from './site-content.ts';

test('Markdown keeps its code, its addresses and its text; markup that would never be shown goes', () => {
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

test('whole pages and addresses are framed, not cleaned; a notice and a footer are never framed', () => {
  const page = '<!doctype html><html><script>x</script></html>';
  expect(cleanedContent('HomePageContent', page).text).toBe(page);
  expect(cleanedContent('About', 'https://example.com/').text).toBe('https://example.com/');
  expect(cleanedContent('Notice', page)).toEqual({ text: '', removed: ['<html>', '<script>'] });
  expect(cleanedContent('Footer', '`<script>x</script>`')).toEqual({ text: '``', removed: ['<script>'] });
  expect(cleanedContent('SystemName', '<script>').text).toBe('<script>');
});

test('a long text of marks takes time by its length', () => {
  for (const piece of ['`', '```\n', '~~~\n`', '` ``', '](javascript:', '<', '<a@', '\n    ```']) {
    const text = piece.repeat(300_000 / piece.length);
    const before = process.cpuUsage();
    cleanedContent('Notice', text);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1500);
  }
});
