import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { patchMembers } from './json-members.ts';
import { parseObject, ScanError } from './read-body.ts';

const name = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('model', 'a"b', 'a\\b', 'é', '😀', 'stream'),
);
const objects = fc
  .dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 8 })
  .filter((value) => !('__proto__' in value));
const spaces = fc.constantFrom(undefined, 1, '\t');

describe('members of a JSON text', () => {
  test('are what the parser finds', () => {
    fc.assert(
      fc.property(objects, spaces, (object, space) => {
        const text = JSON.stringify(object, null, space);
        expect(parseObject(text)).toEqual(JSON.parse(text) as Record<string, unknown>);
        expect(patchMembers(text, new Map())).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test('replaced, removed and added members give the object one would write', () => {
    const change = fc.option(fc.jsonValue({ maxDepth: 1 }), { nil: undefined });
    fc.assert(
      fc.property(objects, fc.dictionary(name, change, { maxKeys: 5 }), spaces, (object, changes, space) => {
        if ('__proto__' in changes) return;
        const text = JSON.stringify(object, null, space);
        const texts = new Map(
          Object.entries(changes).map(([key, value]) => [
            key,
            value === undefined ? undefined : JSON.stringify(value),
          ]),
        );
        const expected = { ...(JSON.parse(text) as Record<string, unknown>) };
        for (const [key, value] of texts) {
          if (value === undefined) delete expected[key];
          else expected[key] = JSON.parse(value);
        }
        expect(JSON.parse(patchMembers(text, texts))).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['a repeated name', '{"a":1,"a":2}', 'duplicate'],
    ['a repeated name in another spelling', '{"a":1,"\\u0061":2}', 'duplicate'],
    ['a prototype', '{"__proto__":1}', 'prototype'],
    ['too deep', `{"a":${'['.repeat(101)}`, 'too_deep'],
    [
      'too many',
      `{${Array.from({ length: 1001 }, (_, index) => `"${index}":1`).join()}}`,
      'too_many_members',
    ],
    ['an array', '[]', 'not_an_object'],
    ['an open string', '{"a', 'not_an_object'],
    ['an open value', '{"a":[', 'not_an_object'],
    ['nothing', '', 'not_an_object'],
  ])('%s is refused', (_what, text, problem) => {
    let caught: unknown;
    try {
      parseObject(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ScanError);
    expect((caught as ScanError).problem).toBe(problem as never);
  });

  test('any text at all ends in an object or a refusal, quickly', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', ' ', 'a', '1') }),
        (text) => {
          try {
            expect(parseObject(`{${text}`)).toBeObject();
          } catch (error) {
            expect(error instanceof ScanError || error instanceof SyntaxError).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
