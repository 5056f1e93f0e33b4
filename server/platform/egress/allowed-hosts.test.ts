import { afterAll, describe, expect, test } from 'bun:test';
import { hostRule, isHostEntry } from './allowed-hosts.ts';
import { createEgress } from './egress.ts';
import { EgressError } from './refusal.ts';

const closers: (() => void)[] = [];
afterAll(() => closers.forEach((close) => close()));

const reasonOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'allowed',
    (error: unknown) => (error instanceof EgressError ? `${error.reason} ${error.detail}` : String(error)),
  );

describe('EGRESS_ALLOW (S25)', () => {
  const rule = hostRule(['api.openai.com', '*.azure.example', 'LocalHost.', '10.1.0.0/16', '::1']);

  test.each([
    ['api.openai.com', true],
    ['API.OpenAI.com.', true],
    ['evil-api.openai.com', false],
    ['api.openai.com.evil.test', false],
    ['one.azure.example', true],
    ['a.b.azure.example', true],
    ['azure.example', false],
    ['notazure.example', false],
    ['localhost', true],
    ['10.1.9.9', true],
    ['::ffff:10.1.0.1', true],
    ['10.2.0.1', false],
    ['::1', true],
    ['::2', false],
  ])('a host is listed as it is written: %s → %p', (host, isAllowed) => {
    expect(rule.allows(host)).toBe(isAllowed);
  });

  test('without a list every host is allowed', () => {
    expect(hostRule([]).allows('anywhere.example')).toBe(true);
  });

  test('entries are names, wildcards of a whole label, addresses and blocks', () => {
    for (const entry of [
      'a.example',
      '*.a.example',
      'localhost',
      '10.0.0.0/8',
      'fd00::/8',
      'xn--bcher-kva.example',
    ])
      expect([entry, isHostEntry(entry)]).toEqual([entry, true]);
    for (const entry of [
      '*',
      'a*.example',
      'https://a.example',
      'a.example:443',
      '10.0.0.0/33',
      '10.1',
      '0x7f',
      'a..b',
      '-a.example',
    ])
      expect([entry, isHostEntry(entry)]).toEqual([entry, false]);
  });

  test('a host outside the list is refused in every class, as a proxy too, and its name is never resolved', async () => {
    const asked: string[] = [];
    const egress = createEgress({
      allowedHosts: ['inside.test', '127.0.0.0/8'],
      allowedPrivateAddresses: ['127.0.0.0/8'],
      systemOrigins: () => ['https://secret-in-a-name.evil.test'],
      resolve: async (name) => {
        asked.push(name);
        return ['127.0.0.1'];
      },
    });
    closers.push(() => egress.close());
    const outside = 'https://secret-in-a-name.evil.test';
    const refusal = 'forbidden_host secret-in-a-name.evil.test';
    for (const kind of ['channel', 'user', 'system'] as const) {
      expect(await reasonOf(egress.fetch(kind, outside))).toBe(refusal);
      expect(await reasonOf(egress.webSocket(kind, outside, {}))).toBe(refusal);
      expect(await reasonOf(egress.check(kind, outside))).toBe(refusal);
      expect(await reasonOf(Promise.resolve().then(() => egress.target(kind, outside)))).toBe(refusal);
    }
    expect(
      await reasonOf(egress.fetch('channel', 'https://inside.test', { proxy: 'http://proxy.evil.test' })),
    ).toBe('forbidden_host proxy.evil.test');
    expect(await reasonOf(egress.fetch('channel', 'http://1.1.1.1/'))).toBe('forbidden_host 1.1.1.1');
    expect(() => egress.requireHost('mail.evil.test')).toThrow('forbidden_host');
    expect(asked).toEqual([]);
    await egress.check('channel', 'https://inside.test');
    expect(asked).toEqual(['inside.test']);
  });

  test('the list narrows and never opens: a listed private address still needs its own permission', async () => {
    const egress = createEgress({
      allowedHosts: ['10.0.0.0/8', 'inside.test'],
      resolve: async () => ['10.0.0.5'],
    });
    closers.push(() => egress.close());
    for (const url of ['http://10.0.0.5/', 'http://inside.test/'])
      expect(await reasonOf(egress.check('channel', url))).toStartWith('private_address');
  });
});
