import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import type { Origin } from './canonical.ts';
import { encodeGoogleSignature, decodeGoogleSignature } from './gemini-generate/fields.ts';
import { encodeSignature, decodeSignature } from './signatures.ts';
import { safeCallId, ToolNames, unwrapCustom, wrapCustom } from './tool-names.ts';

const origin = fc.constantFrom<Origin>('openai', 'anthropic', 'google');
/** No dots: ids of providers have none. */
const id = fc.option(fc.stringMatching(/^[a-z]{2}_[a-z0-9]{1,9}$/), { nil: undefined });

test('a signature kept by a caller of another format returns to its issuer unchanged', () => {
  fc.assert(
    fc.property(
      origin,
      origin,
      fc.string({ minLength: 1 }),
      fc.boolean(),
      id,
      (issuer, native, value, isRedacted, named) => {
        fc.pre(issuer !== native && !value.startsWith('tg1.'));
        const issued = isRedacted ? { redacted: value } : { signature: value };
        const given = { ...issued, origin: issuer, ...(named === undefined ? {} : { id: named }) };
        expect(decodeSignature(encodeSignature(given, native), native)).toEqual(given);
        if (issuer !== 'google') {
          const kept = encodeGoogleSignature(given);
          expect(kept).toMatch(/^[A-Za-z0-9+/]+=*$/);
          expect(decodeGoogleSignature(kept)).toEqual(given);
        }
      },
    ),
  );
});

test('a signature of the same vendor stays unchanged', () => {
  expect(encodeSignature({ signature: 'a.b', origin: 'anthropic' }, 'anthropic')).toBe('a.b');
  expect(decodeSignature('a.b', 'anthropic')).toEqual({ signature: 'a.b', origin: 'anthropic' });
  expect(decodeSignature('tg1.nobody..x', 'openai')).toEqual({
    signature: 'tg1.nobody..x',
    origin: 'openai',
  });
});

test('tools get different names that everybody accepts, and the same each time', () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 90 }),
    fc.constantFrom('a__b', 'b', 'a.b', 'a/b', '__proto__'),
  );
  const tool = fc.record({
    name,
    namespace: fc.option(fc.constantFrom('a', 'a__b', 'é'), { nil: undefined }),
  });
  const key = (each: { name: string; namespace?: string }): string => `${each.namespace ?? ''}\n${each.name}`;
  fc.assert(
    fc.property(fc.uniqueArray(tool, { selector: key, maxLength: 12 }), (tools) => {
      const names = new ToolNames();
      const safe = tools.map((each) => names.of(each.name, each.namespace));
      expect(new Set(safe).size).toBe(tools.length);
      for (const each of safe) expect(each).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      expect(tools.map((each) => names.of(each.name, each.namespace))).toEqual(safe);
    }),
  );
});

test('ids of calls fit everywhere, and free text survives its JSON', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 200 }), (given) => {
      expect(safeCallId(given)).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
      expect(safeCallId(given)).toBe(safeCallId(given));
      expect(unwrapCustom(wrapCustom(given))).toBe(given);
    }),
  );
  expect(safeCallId('toolu_01Abc')).toBe('toolu_01Abc');
  expect(unwrapCustom('not JSON')).toBe('not JSON');
});
