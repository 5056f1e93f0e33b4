// Configuration as code: a file from one installation makes another one equal, and the console shows what was changed since.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { YAML } from 'bun';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import {
  applyComparison,
  compareFile,
  ConfigurationError,
  exportConfiguration,
  type ConfigurationParts,
} from '#server/operating/configuration/index.ts';
import { differenceLine } from '#server/operating/configuration/lines.ts';
import { parseDocument } from '#server/operating/configuration/document.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { channelTypes } from '#server/admin/channels/index.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

const SECRETS = {
  TOLLGATE_CHANNEL_MAIN_KEY: 'sk-main-secret-of-the-upstream',
  TOLLGATE_CHANNEL_MAIN_2_KEY: 'sk-second-secret-of-the-upstream',
  TOLLGATE_CHANNEL_MAIN_HEADER_X_TEAM: 'team-secret',
  // Two channels whose names have no letter that a variable may have.
  TOLLGATE_CHANNEL_KEY: 'sk-of-the-first-line',
  TOLLGATE_CHANNEL_KEY_2: 'sk-of-the-second-line',
  TOLLGATE_CHANNEL_PROXY: 'http://proxy-key@proxy.example.com:3128',
  TOLLGATE_SETTING_SMTPTOKEN: 'mail-secret',
};

function partsOf(app: TestApplication, variables: Record<string, string> = SECRETS): ConfigurationParts {
  return {
    store: app.store,
    settings: app.settings,
    channels: { types: channelTypes, checkAddress: async () => {} },
    variables,
    audit: (transaction, change) =>
      writeAudit(app.store, transaction, {
        actorId: 0,
        actorName: 'test',
        address: '',
        requestId: '',
        ...change,
      }),
  };
}

async function apply(app: TestApplication, text: string, prune = false): Promise<string[]> {
  const parts = partsOf(app);
  const comparison = await compareFile(parts, text);
  await applyComparison(parts, comparison, { file: 'tollgate.yaml', text, prune });
  return comparison.differences.map(({ kind, name, change }) => `${change} ${kind} ${name}`);
}

const differences = async (app: TestApplication, text: string) =>
  (await compareFile(partsOf(app), text)).differences;

describe.each(databaseLabels)('%s', (database) => {
  let first: TestApplication;
  let second: TestApplication;
  let root: Actor;
  let file: string;

  beforeAll(async () => {
    first = await startApplication({ database });
    second = await startApplication({ database });
    root = await first.login('root', ROOT_PASSWORD);
    const client = first.client(root);
    // Its own buy price is a part of the file too.
    const supplier = await client.channelCosts.createSupplier({
      body: { name: 'Shop', buy_price: '{"kind":"list","multiplier":0.8}' },
    });
    const channel = {
      supplier_id: supplier.id,
      buy_price: '{"kind":"plan","monthly_fee":20}',
      name: 'main',
      type: CHANNEL_TYPE.openAi,
      models: ['m1', 'm2'],
      groups: ['default', 'vip'],
      base_url: 'http://127.0.0.1:9',
      model_mapping: '{"m2":"m1"}',
      tag: 'blue',
      priority: 5,
      weight: 2,
      auto_ban: 0 as const,
      header_override: '{"X-Team":"team-secret"}',
      setting: '{"proxy":"http://proxy.example.com:3128"}',
      param_override: '{"temperature":0}',
      max_concurrency: 9,
    };
    await client.channels.create({ body: { ...channel, key: SECRETS.TOLLGATE_CHANNEL_MAIN_KEY } });
    // A second channel of the same name.
    await client.channels.create({
      body: {
        name: 'main',
        type: CHANNEL_TYPE.anthropic,
        key: SECRETS.TOLLGATE_CHANNEL_MAIN_2_KEY,
        models: 'c1',
        groups: 'default',
      },
    });
    for (const [name, key, setting] of [
      ['主线', SECRETS.TOLLGATE_CHANNEL_KEY, JSON.stringify({ proxy: SECRETS.TOLLGATE_CHANNEL_PROXY })],
      ['备用', SECRETS.TOLLGATE_CHANNEL_KEY_2, ''],
    ] as const)
      await client.channels.create({
        body: { name, type: CHANNEL_TYPE.openAi, key, models: 'm1', groups: 'default', setting },
      });
    await client.virtualModels.create({
      body: {
        name: 'fast',
        targets: [
          { model: 'm1', when: { tools: true, share_percent: 12.5 }, fall_back_on: ['down'] },
          { model: 'm2', first_token_seconds: 3 },
        ],
      },
    });
    await client.plans.create({
      body: {
        name: 'Monthly',
        description: '每月一次',
        description_en: 'Once a month',
        quota: 500_000,
        price_quota: 900,
        duration_unit: 'month',
        duration_count: 1,
        reset: 'monthly',
        models: ['m1'],
        on_sale: true,
      },
    });
    for (const [key, text] of Object.entries({
      SystemName: 'Acme: the "gateway" #1',
      RetryTimes: '4',
      SMTPToken: SECRETS.TOLLGATE_SETTING_SMTPTOKEN,
      SensitiveWords: 'one\ntwo: three',
      ModelRatio: '{"m1":1.25,"m2":0.0000001}',
      CompletionRatio: '{"m1":4}',
      ModelPrice: '{"picture":0.04}',
      GroupRatio: '{"default":1,"vip":0.5,"new group":2}',
      UserUsableGroups: '{"default":"Default","new group":"Ours"}',
    }))
      await first.settings.set(key, text, 0);
    file = await exportConfiguration(partsOf(first), false);
  });
  afterAll(async () => {
    await first.close();
    await second.close();
  });

  test('an export has no secret in it, and its references name them', () => {
    for (const secret of Object.values(SECRETS)) expect(file).not.toContain(secret);
    for (const name of Object.keys(SECRETS)) expect(file).toContain(`\${ENV:${name}}`);
  });

  test('an export with secrets has them', async () => {
    const text = await exportConfiguration(partsOf(first), true);
    for (const secret of Object.values(SECRETS)) expect(text).toContain(secret);
  });

  test('export, apply to an empty installation, diff: nothing differs; a second apply leaves no trace', async () => {
    expect(await differences(first, file)).toEqual([]);
    const done = await apply(second, file);
    expect(done).toContain('add channels main #2');
    expect(await differences(second, file)).toEqual([]);
    // The other direction, without references to resolve.
    expect(await exportConfiguration(partsOf(second), true)).toBe(
      await exportConfiguration(partsOf(first), true),
    );
    const rows = () =>
      Promise.all([
        second.store.db.selectFrom('audit').select(['id', 'action']).execute(),
        second.store.db.selectFrom('applied_configurations').select('id').execute(),
        second.store.db.selectFrom('option_history').select('id').execute(),
      ]);
    const before = await rows();
    expect(await apply(second, file)).toEqual([]);
    expect(await rows()).toEqual(before);
    expect(before[0].map(({ action }) => action)).toEqual(
      expect.arrayContaining(['channel.create', 'plan.create', 'option.save', 'configuration.apply']),
    );
    expect(await checkTrail(second.store)).toMatchObject({ fault: null });
    const audit = JSON.stringify(await second.store.db.selectFrom('audit').selectAll().execute());
    for (const secret of Object.values(SECRETS)) expect(audit).not.toContain(secret);
    expect(audit).toContain('http://***@proxy.example.com:3128');
    const abilities = await second.store.db
      .selectFrom('abilities')
      .select('model')
      .where('group', '=', 'vip')
      .orderBy('model')
      .execute();
    expect(abilities.map(({ model }) => model)).toEqual(['m1', 'm2']);
  });

  test('the console shows what was changed since the file was applied', async () => {
    const admin = await second.login('root', ROOT_PASSWORD);
    const drift = () => second.client(admin).options.configuration();
    expect(await drift()).toMatchObject({
      file: 'tollgate.yaml',
      hash: expect.stringMatching(/^[\da-f]{64}$/),
      differences: [],
    });
    const [channel] = (await second.client(admin).channels.list({ query: {} })).data.filter(
      ({ priority }) => priority === 5,
    );
    await second.client(admin).channels.change({
      body: { id: channel?.id ?? 0, priority: 6, key: 'sk-another-key-for-the-channel' },
    });
    await second.settings.set('RetryTimes', '1', 0);
    await second.settings.set('ModelRatio', '{"m1":1.25,"m2":0.0000001,"m3":1}', 0);
    expect((await drift())?.differences).toEqual([
      { kind: 'settings', name: 'RetryTimes', change: 'changed', fields: ['value'] },
      { kind: 'channels', name: 'main', change: 'changed', fields: ['priority', 'key'] },
      { kind: 'prices', name: 'm3', change: 'added', fields: [] },
    ]);
    await apply(second, file);
    // Without --prune the added price stays.
    expect((await drift())?.differences.map(({ name }) => name)).toEqual(['m3']);
    await apply(second, file, true);
    expect((await drift())?.differences).toEqual([]);
    expect((await second.request('/api/option/configuration', { as: await second.actor() })).status).toBe(
      403,
    );
  });

  test('a variable that is not set leaves a stored secret alone, and is named for a new channel', async () => {
    expect((await compareFile(partsOf(first, {}), file)).differences).toEqual([]);
    const entry = {
      version: 1,
      channels: [{ name: 'fresh', type: 'openAi', key: '${ENV:NOT_SET}', models: ['m'] }],
    };
    expect(compareFile(partsOf(first, {}), YAML.stringify(entry))).rejects.toThrow(
      'channels[0].key: The environment variable NOT_SET is not set, or not named with --env.',
    );
  });
});

test('a repeated key is refused with its line, wherever it stands, and a text that looks like one is not (S35)', () => {
  const faultOf = (text: string) => {
    try {
      parseDocument(text);
      return 'accepted';
    } catch (error) {
      return error instanceof ConfigurationError ? error.problems.join('; ') : String(error);
    }
  };
  expect(faultOf('version: 1\nsettings:\n  RetryTimes: 1\n  # again\n  RetryTimes: 9\n')).toBe(
    'line 5: the key RetryTimes of settings stands a second time (first on line 3)',
  );
  expect(faultOf('version: 1\nversion: 1\n')).toContain('line 2: the key version');
  expect(faultOf('version: 1\nsettings: { RetryTimes: 1, "RetryTimes": 9 }\n')).toContain(
    'line 2: the key RetryTimes',
  );
  expect(
    faultOf(
      `version: 1\nchannels:\n  - name: a\n    type: ${CHANNEL_TYPE.openAi}\n    'name': b\n    models: []\n`,
    ),
  ).toContain('line 5: the key name of channels[0]');
  const fine = [
    'version: 1',
    'settings:',
    '  Notice: |',
    '    a: 1',
    '    a: 2',
    '  Footer: "x, a: 1, a: 2"',
    '  About: https://a.example/?a=b',
    'channels:',
    `  - { name: a, type: ${CHANNEL_TYPE.openAi}, models: [m] }`,
    '  - name: a',
    `    type: ${CHANNEL_TYPE.openAi}`,
    '    models: [m]',
  ].join('\n');
  expect(faultOf(fine)).toBe('accepted');
  expect(parseDocument(fine).settings).toEqual({
    Notice: 'a: 1\na: 2\n',
    Footer: 'x, a: 1, a: 2',
    About: 'https://a.example/?a=b',
  });
});

test('a difference has the old and the new value, a secret only that it changed (N36)', async () => {
  const app = await startApplication({ settings: { SMTPToken: 'old-secret' } });
  const found = await differences(app, 'version: 1\nsettings:\n  RetryTimes: 7\n  SMTPToken: new-secret\n');
  const lines = found.filter(({ change }) => change === 'change').map((each) => differenceLine(each, false));
  expect(lines).toEqual(['~ settings RetryTimes: 2 → 7', '~ settings SMTPToken: changed']);
  const parts = partsOf(app, { TOLLGATE_K: 'sk-new-secret' });
  await app.client(await app.actor({ role: 100 })).channels.create({
    body: {
      name: 'c',
      type: CHANNEL_TYPE.openAi,
      key: 'sk-old-secret',
      models: 'a',
      groups: 'default',
      header_override: '{"X-A":"old-header-secret"}',
    },
  });
  const file = `version: 1\nchannels:\n  - {name: c, type: ${CHANNEL_TYPE.openAi}, key: "\${TOLLGATE_K}", models: [a, b], header_override: {X-A: new-header-secret}, priority: 3}\n`;
  const [line = ''] = (await compareFile(parts, file)).differences.map((each) => differenceLine(each, false));
  expect(line).toContain('models: ["a"] → ["a","b"]');
  expect(line).toContain('priority: 0 → 3');
  expect(line).toContain('key: changed');
  expect(line).not.toMatch(/secret/);
  await app.close();
});

test('a private address of a channel is a note of diff and apply, not a fault; metadata stays a fault (N36)', async () => {
  const app = await startApplication();
  const egress = createEgress({});
  const parts = {
    ...partsOf(app),
    channels: { types: channelTypes, checkAddress: (url: string) => egress.check('channel', url) },
  };
  const file = (url: string) =>
    `version: 1\nchannels:\n  - { name: ollama, type: ${CHANNEL_TYPE.openAi}, key: sk-x-0123456789, base_url: "${url}", models: [m] }\n`;
  const comparison = await compareFile(parts, file('http://127.0.0.1:11434'));
  expect(comparison.notes).toEqual([
    'channels[0].base_url: 127.0.0.1:11434 is in a private network. The server calls it only if AllowedPrivateAddresses (or ALLOWED_PRIVATE_ADDRESSES in the environment of the server) has it.',
  ]);
  expect(comparison.differences.some(({ name }) => name === 'ollama')).toBe(true);
  const allowed = await compareFile(
    parts,
    `${file('http://127.0.0.1:11434')}settings: { AllowedPrivateAddresses: ["127.0.0.1:11434"] }\n`,
  );
  expect(allowed.notes).toEqual([]);
  const refused = await compareFile(parts, file('http://169.254.169.254')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigurationError);
  egress.close();
  await app.close();
});

test('every fault of a file is named with its place, and nothing is applied', async () => {
  const app = await startApplication();
  const faults = async (document: unknown): Promise<readonly string[]> => {
    const text = typeof document === 'string' ? document : YAML.stringify(document);
    const failure = await compareFile(partsOf(app), text).catch((error: unknown) => error);
    if (!(failure instanceof ConfigurationError)) throw new Error('the file was accepted');
    return failure.problems;
  };
  expect(await faults('settings: [')).toEqual([expect.stringContaining('not valid YAML')]);
  expect(await faults({ version: 2 })).toEqual(['version: Must be one of 1']);
  expect(
    await faults({
      version: 1,
      settings: { RetryTimes: 99, NoSuch: 1, GroupRatio: {}, GitHubOAuthEnabled: true },
      groups: { default: { ratio: -1 } },
    }),
  ).toEqual(['groups.default.ratio: Must be at least 0']);
  expect(
    (
      await faults({
        version: 1,
        settings: { RetryTimes: 99, NoSuch: 1, GroupRatio: {}, GitHubOAuthEnabled: true },
        channels: [{ name: 'a', type: 'nothing', models: [] }],
        plans: [{ name: 'p', duration_unit: 'year' }],
      })
    ).map((line) => line.split(':')[0]),
  ).toEqual([
    'settings.RetryTimes',
    'settings.NoSuch',
    'settings.GroupRatio',
    'settings.GitHubClientId',
    'channels[0].type',
    'plans[0].duration_unit',
    'plans[0].duration_count',
    'plans[0].quota',
    'plans[0].reset',
  ]);
  await app.close();
});
