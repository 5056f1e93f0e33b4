// Equal requests have one text, different ones never have.
import { expect, test } from 'bun:test';
import { parseJson } from '#server/relay/request/read-body.ts';
import { canonicalText } from './canonical-text.ts';

const of = (text: string) => canonicalText(parseJson(text).text);

test('the order of members and insignificant white space do not matter', () => {
  const text = of('{"b":[1, 2,{"d":null,"c":"x y"}],"a":{}}');
  expect(text).toBe('{"a":{},"b":[1,2,{"c":"x y","d":null}]}');
  expect(of(' {\n"a" : { } ,\t"b":[ 1,2 , {"c":"x y" , "d":null} ]\r\n}')).toBe(text);
  expect(of('{"\\u0061":"\\u0041\\/","b":[]}')).toBe(of('{"b":[ ],"a":"A/"}'));
});

test('everything else matters: order of items, types, spaces inside texts, numbers as they are written', () => {
  const texts = [
    '{"a":[1,2]}',
    '{"a":[2,1]}',
    '{"a":"1,2"}',
    '{"a":["1","2"]}',
    '{"a":null}',
    '{}',
    '{"a":" x"}',
    '{"a":"x"}',
    '{"a":"\\u0058"}',
    '{"seed":9007199254740993}',
    '{"seed":9007199254740992}',
    '{"t":1}',
    '{"t":1.0}',
    '{"t":1e400}',
    '{"t":1e500}',
    '{"a":"é"}',
    '{"a":"e\u0301"}',
    '{"a":"\\ud800"}',
    '{"a":"\\ud801"}',
    '{"a":"\\"}"}',
    '{"a":"\\\\"}',
    '{"a":{"__proto__":1}}',
    '{"a":{"constructor":1}}',
  ];
  expect(new Set(texts.map(of)).size).toBe(texts.length);
});

test('a member that an object names twice, at any depth and however it is written, gives no text', () => {
  for (const text of [
    '{"messages":[{"role":"user","content":"a","content":"b"}]}',
    '{"x":{"content":1,"cont\\u0065nt":2}}',
    '{"x":[[{"__proto__":1,"__proto__":2}]]}',
  ])
    expect(of(text)).toBeUndefined();
});

test('random values have the text of their sorted form, however they are written', () => {
  const value = (depth: number, seed: number): unknown => {
    const kind = (seed * 7 + depth * 3) % 6;
    if (depth === 0 || kind < 2) return ['a"b\\', 12.5, null, true, '\u2028 \t', -1e-7][seed % 6];
    const parts = Array.from({ length: seed % 4 }, (_, at) => value(depth - 1, seed * 3 + at + 1));
    return kind < 4 ? parts : Object.fromEntries(parts.map((part, at) => [`k${(at * 5) % 7}"`, part]));
  };
  const sorted = (each: unknown): unknown =>
    Array.isArray(each)
      ? each.map(sorted)
      : typeof each === 'object' && each !== null
        ? Object.fromEntries(
            Object.entries(each)
              .toSorted(([left], [right]) => (left < right ? -1 : 1))
              .map(([name, inner]) => [name, sorted(inner)]),
          )
        : each;
  for (let seed = 1; seed < 400; seed += 1) {
    const given = { body: value(4, seed) };
    expect(canonicalText(JSON.stringify(given, undefined, seed % 3))).toBe(JSON.stringify(sorted(given)));
  }
});
