// Private addresses that a setting opens: followed at once, by port, and never the places of cloud metadata.
import { afterAll, describe, expect, test } from 'bun:test';
import { createEgress, type EgressClass } from './egress.ts';
import { EgressError } from './refusal.ts';

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

function egressWith(opened: readonly string[], names: Readonly<Record<string, readonly string[]>> = {}) {
  const state = { opened, names };
  const egress = createEgress({
    openedPrivateAddresses: () => state.opened,
    resolve: async (name) => state.names[name] ?? [],
    systemOrigins: () => ['http://inside.test'],
  });
  closing.push(() => egress.close());
  const refusal = async (url: string, kind: EgressClass = 'channel') => {
    try {
      await egress.check(kind, url);
      return 'allowed';
    } catch (error) {
      return error instanceof EgressError ? error.message : String(error);
    }
  };
  return { state, egress, refusal };
}

describe('addresses opened by a setting', () => {
  test('a refusal carries the narrowest entries that would allow it, for every address of the name (N28)', async () => {
    const { egress } = egressWith([], { localhost: ['127.0.0.1', '::1'] });
    const error: unknown = await egress.check('channel', 'http://localhost:11434').catch((each) => each);
    expect(error).toMatchObject({
      reason: 'private_address',
      detail: 'localhost (127.0.0.1:11434, [::1]:11434)',
      allowable: ['127.0.0.1:11434', '[::1]:11434'],
    });
  });

  test('a name with one address that can never be allowed has no remedy (N28)', async () => {
    const { egress } = egressWith([], { mixed: ['127.0.0.1', '169.254.169.254'] });
    const error: unknown = await egress.check('channel', 'http://mixed').catch((each) => each);
    expect(error).toMatchObject({ reason: 'forbidden_address', allowable: [] });
  });

  test('the change of the setting applies to the next call, in both directions (N28)', async () => {
    const { state, refusal } = egressWith([]);
    expect(await refusal('http://10.0.0.5:11434')).toStartWith('private_address');
    state.opened = ['10.0.0.5:11434'];
    expect(await refusal('http://10.0.0.5:11434')).toBe('allowed');
    state.opened = [];
    expect(await refusal('http://10.0.0.5:11434')).toStartWith('private_address');
  });

  test('an allowed port opens no other port of the address (N28)', async () => {
    const { refusal } = egressWith(['10.0.0.5:11434', '[fd00::5]:8080']);
    expect(await refusal('http://10.0.0.5:6379')).toStartWith('private_address');
    expect(await refusal('http://10.0.0.5')).toStartWith('private_address');
    expect(await refusal('http://[fd00::5]:8080')).toBe('allowed');
    expect(await refusal('http://[fd00::5]:8081')).toStartWith('private_address');
    expect(await refusal('http://[::ffff:10.0.0.5]:11434')).toBe('allowed');
  });

  test('the address is allowed, not the name: a name that moves is refused again (N28)', async () => {
    const { state, egress, refusal } = egressWith(['10.0.0.5:80'], { 'ollama.test': ['10.0.0.5'] });
    expect(await refusal('http://ollama.test')).toBe('allowed');
    state.names = { 'ollama.test': ['10.0.0.6'] };
    // The known target is the checked address itself; a new list makes the next call ask again.
    expect(await egress.target('channel', 'http://ollama.test')).toMatchObject({
      base: 'http://10.0.0.5:80',
    });
    state.opened = [...state.opened];
    expect(await refusal('http://ollama.test')).toStartWith('private_address: ollama.test (10.0.0.6:80)');
    state.names = { 'ollama.test': ['10.0.0.5', '169.254.169.254'] };
    expect(await refusal('http://ollama.test')).toStartWith('forbidden_address');
  });

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '0.0.0.0',
    '[::]',
  ])('%s stays closed whatever the setting lists (N28)', async (host) => {
    const { refusal } = egressWith([
      '0.0.0.0/0',
      '::/0',
      '169.254.0.0/16',
      '100.64.0.0/10',
      'fc00::/7',
      'fe80::/10',
      '64:ff9b::/96',
    ]);
    for (const kind of ['channel', 'user', 'result'] as const)
      expect(await refusal(`http://${host}`, kind)).toStartWith('forbidden_address');
  });

  test('it opens nothing for addresses that users and upstreams give (N28)', async () => {
    const { refusal } = egressWith(['10.0.0.5'], { 'inside.test': ['10.0.0.5'] });
    expect(await refusal('http://inside.test', 'system')).toBe('allowed');
    expect(await refusal('http://10.0.0.5', 'user')).toStartWith('forbidden_address');
    expect(await refusal('http://10.0.0.5', 'result')).toStartWith('forbidden_address');
    expect(await refusal('http://10.0.0.5', 'user-private')).toStartWith('private_address');
  });
});
