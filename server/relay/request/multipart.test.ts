// The parts of a form by their places, and what is no form.
import { expect, test } from 'bun:test';
import { boundaryOf, parseMultipart } from './multipart.ts';

const part = (headers: string, body: string) => `--B\r\n${headers}\r\n\r\n${body}\r\n`;
const field = (name: string, body: string) => part(`Content-Disposition: form-data; name="${name}"`, body);
const parse = (text: string) => parseMultipart(Buffer.from(text, 'latin1'), 'B');

test('each part has its name, whether it is a file, and the places of its bytes', () => {
  const first = field('model', 'whisper');
  const file = part(
    'Content-Type: audio/wav\r\ncontent-disposition: form-data; name="file"; filename="a.wav"',
    'x\r\ny',
  );
  const coded = part('Content-Disposition: form-data; name=""; filename*=utf-8\'\'a', '');
  const text = `${first}${file}${coded}--B--`;
  const found = parse(text) ?? [];
  expect(found.map(({ name, isFile }) => [name, isFile])).toEqual([
    ['model', false],
    ['file', true],
    ['', true],
  ]);
  expect(found.map(({ bodyStart, bodyEnd }) => text.slice(bodyStart, bodyEnd))).toEqual([
    'whisper',
    'x\r\ny',
    '',
  ]);
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([first, file, coded]);
  expect(parse('--B--')).toEqual([]);
});

test('what is cut, begins with something else, or has a part without a name is no form', () => {
  const good = field('a', '1');
  for (const text of [
    '',
    `x${good}--B--`,
    good,
    `${good}--B`,
    `--Bx\r\n${good.slice(5)}--B--`,
    '--B\r\nContent-Disposition: form-data; name="a"\r\n',
    `${part('Content-Type: text/plain', '1')}--B--`,
    `${part('Content-Disposition: form-data', '1')}--B--`,
    `${part('Content-Disposition: attachment; name="a"', '1')}--B--`,
    `${part('X-Content-Disposition: form-data; name="a"', '1')}--B--`,
  ])
    expect(parse(text)).toBeUndefined();
});

test('a form has at most 256 parts, each with headers of at most 8 KiB', () => {
  const many = (count: number) => parse(`${field('a', '1').repeat(count)}--B--`);
  expect([many(256)?.length, many(257)]).toEqual([256, undefined]);
  const line = 'Content-Disposition: form-data; name="a"\r\nX: ';
  const long = (bytes: number) => parse(`${part(line + 'x'.repeat(bytes - line.length), '1')}--B--`);
  expect([long(8192)?.length, long(8193)]).toEqual([1, undefined]);
});

test('a boundary is a word of at most 70 characters, with or without quotes', () => {
  const longest = 'x'.repeat(70);
  for (const [type, boundary] of [
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data; charset=utf-8;BOUNDARY="a b"; x=1', 'a b'],
    ['multipart/form-data; boundary=a;x', 'a'],
    [`multipart/form-data; boundary=${longest}`, longest],
    [`multipart/form-data; boundary=${longest}x`, undefined],
    ['multipart/form-data; boundary="a "', undefined],
    ['multipart/form-data; boundary="a*b"', undefined],
    ['multipart/form-data; boundary=*', undefined],
    ['multipart/form-data', undefined],
  ])
    expect(boundaryOf(type as string)).toBe(boundary as string);
});
