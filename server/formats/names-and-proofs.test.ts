import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import type { Origin } from './canonical.ts';
import { keepGoogleProof, readGoogleProof } from './gemini-generate/fields.ts';
import { keepProof, readProof } from './signatures.ts';
import { safeCallId, ToolNames, unwrapCustom, wrapCustom } from './tool-names.ts';

const origin = fc.constantFrom<Origin>('openai', 'anthropic', 'google');
/** No dots: ids of providers have none. */
const id = fc.option(fc.stringMatching(/^[a-z]{2}_[a-z0-9]{1,9}$/), { nil: undefined });

test('a proof that a caller of another’s format keeps comes back to its issuer as it was', () => {
  fc.assert(
    fc.property(
      origin,
      origin,
      fc.string({ minLength: 1 }),
      fc.boolean(),
      id,
      (issuer, native, proof, isRedacted, named) => {
        fc.pre(issuer !== native && !proof.startsWith('tg1.'));
        const told = isRedacted ? { redacted: proof } : { signature: proof };
        const given = { ...told, origin: issuer, ...(named === undefined ? {} : { id: named }) };
        expect(readProof(keepProof(given, native), native)).toEqual(given);
        if (issuer !== 'google') {
          const kept = keepGoogleProof(given);
          expect(kept).toMatch(/^[A-Za-z0-9+/]+=*$/);
          expect(readGoogleProof(kept)).toEqual(given);
        }
      },
    ),
  );
});

test('a proof of one’s own is kept as it is', () => {
  expect(keepProof({ signature: 'a.b', origin: 'anthropic' }, 'anthropic')).toBe('a.b');
  expect(readProof('a.b', 'anthropic')).toEqual({ signature: 'a.b', origin: 'anthropic' });
  expect(readProof('tg1.nobody..x', 'openai')).toEqual({ signature: 'tg1.nobody..x', origin: 'openai' });
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
