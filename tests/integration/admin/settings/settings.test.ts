// Settings through the registry and the database, on both databases: every option of the spec saved and read back.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import { isSettingKey, SETTING_KEYS, settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

/** Requirement, key, a text other than the default. */
const OPTIONS: readonly [id: string, key: SettingKey, text: string][] = [
  ['ACC-3.035', 'PasswordLoginEnabled', 'false'],
  ['ACC-3.036', 'PasswordRegisterEnabled', 'false'],
  ['ACC-3.037', 'EmailVerificationEnabled', 'true'],
  ['ACC-3.038', 'GitHubOAuthEnabled', 'true'],
  ['ACC-3.039', 'LinuxDOOAuthEnabled', 'true'],
  ['ACC-3.040', 'WeChatAuthEnabled', 'true'],
  ['ACC-3.041', 'TelegramOAuthEnabled', 'true'],
  ['ACC-3.042', 'TurnstileCheckEnabled', 'true'],
  ['ACC-3.043', 'RegisterEnabled', 'false'],
  ['ACC-3.044', 'EmailDomainRestrictionEnabled', 'true'],
  ['ACC-3.045', 'EmailAliasRestrictionEnabled', 'true'],
  ['ACC-3.046', 'SMTPSSLEnabled', 'true'],
  ['ACC-3.047', 'EmailDomainWhitelist', 'example.com,example.org'],
  ['ACC-3.048', 'ServerAddress', 'https://serveraddress.example'],
  ['ACC-3.049', 'WorkerUrl', 'https://workerurl.example'],
  ['ACC-3.050', 'WorkerValidKey', 'secret-value-of-WorkerValidKey'],
  ['ACC-3.051', 'PayAddress', 'https://payaddress.example'],
  ['ACC-3.052', 'EpayId', 'some text'],
  ['ACC-3.053', 'EpayKey', 'secret-value-of-EpayKey'],
  ['ACC-3.054', 'CustomCallbackAddress', 'https://customcallbackaddress.example'],
  ['ACC-3.055', 'Price', '6.9'],
  ['ACC-3.056', 'MinTopUp', '5'],
  ['ACC-3.057', 'TopupGroupRatio', '{"one":1,"two":0.25}'],
  ['ACC-3.058', 'SMTPServer', 'some text'],
  ['ACC-3.059', 'SMTPPort', '2525'],
  ['ACC-3.060', 'SMTPAccount', 'some text'],
  ['ACC-3.061', 'SMTPFrom', 'some text'],
  ['ACC-3.062', 'SMTPToken', 'secret-value-of-SMTPToken'],
  ['ACC-3.063', 'GitHubClientId', 'some text'],
  ['ACC-3.064', 'GitHubClientSecret', 'secret-value-of-GitHubClientSecret'],
  ['ACC-3.065', 'WeChatServerAddress', 'https://wechatserveraddress.example'],
  ['ACC-3.066', 'WeChatServerToken', 'secret-value-of-WeChatServerToken'],
  ['ACC-3.067', 'WeChatAccountQRCodeImageURL', 'some text'],
  ['ACC-3.068', 'TelegramBotToken', 'secret-value-of-TelegramBotToken'],
  ['ACC-3.069', 'TelegramBotName', 'some text'],
  ['ACC-3.070', 'TurnstileSiteKey', 'some text'],
  ['ACC-3.071', 'TurnstileSecretKey', 'secret-value-of-TurnstileSecretKey'],
  ['ACC-3.072', 'LinuxDOClientId', 'some text'],
  ['ACC-3.073', 'LinuxDOClientSecret', 'secret-value-of-LinuxDOClientSecret'],
  ['ACC-3.074', 'Notice', 'line one\nline two'],
  ['ACC-3.075', 'SystemName', 'some text'],
  ['ACC-3.076', 'Logo', 'some text'],
  ['ACC-3.077', 'HomePageContent', 'line one\nline two'],
  ['ACC-3.078', 'About', 'line one\nline two'],
  ['ACC-3.079', 'Footer', 'line one\nline two'],
  ['ACC-3.080', 'TopUpLink', 'some text'],
  ['ACC-3.081', 'ChatLink', 'some text'],
  ['ACC-3.082', 'ChatLink2', 'some text'],
  ['ACC-3.083', 'QuotaPerUnit', '1000000'],
  ['ACC-3.084', 'RetryTimes', '3'],
  ['ACC-3.085', 'DisplayInCurrencyEnabled', 'false'],
  ['ACC-3.086', 'DisplayTokenStatEnabled', 'false'],
  ['ACC-3.087', 'DefaultCollapseSidebar', 'true'],
  ['ACC-3.088', 'DemoSiteEnabled', 'true'],
  ['ACC-3.089', 'DrawingEnabled', 'false'],
  ['ACC-3.090', 'MjNotifyEnabled', 'true'],
  ['ACC-3.091', 'MjAccountFilterEnabled', 'true'],
  ['ACC-3.092', 'MjForwardUrlEnabled', 'false'],
  ['ACC-3.093', 'MjModeClearEnabled', 'true'],
  ['ACC-3.094', 'MjActionCheckSuccessEnabled', 'false'],
  ['ACC-3.095', 'CheckSensitiveEnabled', 'false'],
  ['ACC-3.096', 'CheckSensitiveOnPromptEnabled', 'false'],
  ['ACC-3.097', 'SensitiveWords', 'first\nsecond'],
  ['ACC-3.098', 'LogConsumeEnabled', 'false'],
  ['ACC-3.099', 'DataExportEnabled', 'false'],
  ['ACC-3.100', 'DataExportInterval', '15'],
  ['ACC-3.101', 'DataExportDefaultTime', 'week'],
  ['ACC-3.102', 'ChannelDisableThreshold', '7.5'],
  ['ACC-3.103', 'QuotaRemindThreshold', '12345'],
  ['ACC-3.104', 'AutomaticDisableChannelEnabled', 'false'],
  ['ACC-3.105', 'AutomaticEnableChannelEnabled', 'false'],
  ['ACC-3.106', 'AutomaticDisableKeywords', 'first\nsecond'],
  ['ACC-3.108', 'QuotaForNewUser', '12345'],
  ['ACC-3.109', 'PreConsumedQuota', '12345'],
  ['ACC-3.110', 'QuotaForInviter', '12345'],
  ['ACC-3.111', 'QuotaForInvitee', '12345'],
  ['ACC-3.112', 'Chats', '[{"Chat":"https://chat.example/#/?key={key}"}]'],
  ['ACC-3.113', 'GroupRatio', '{"default":1,"two":0.25}'],
  ['ACC-3.114', 'UserUsableGroups', '{"default":"标准","vip":"VIP"}'],
  ['ACC-3.115', 'ModelPrice', '{"one":1,"two":0.25}'],
  ['ACC-3.116', 'ModelRatio', '{"one":1,"two":0.25}'],
  ['ACC-3.117', 'CompletionRatio', '{"one":1,"two":0.25}'],
];

/** Options that must be saved before a switch can be on. */
const CONFIGURED: Partial<Record<SettingKey, string>> = {
  SMTPServer: 'smtp.example',
  SMTPFrom: 'gate@example.com',
  GitHubClientId: 'id',
  GitHubClientSecret: 'github-secret',
  LinuxDOClientId: 'id',
  LinuxDOClientSecret: 'linuxdo-secret',
  WeChatServerAddress: 'https://wechat.example',
  WeChatServerToken: 'wechat-token',
  TelegramBotToken: 'telegram-token',
  TelegramBotName: 'bot',
  TurnstileSiteKey: 'site',
  TurnstileSecretKey: 'turnstile-secret',
};

/** Invalid texts; a JSON option whose text does not parse has another error. */
const isJson = (text: string) => text !== '{' && text !== 'not json';

const valueOf = (settings: Settings, key: SettingKey): unknown => settings[key];

async function refusalOf(saving: Promise<void>): Promise<AppError> {
  const error: unknown = await saving.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error(`expected a refusal, got ${String(error)}`);
}

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    beforeAll(async () => {
      app = await startApplication({ database, settings: CONFIGURED });
    }, 60_000);
    afterAll(() => app.close());

    /** What a process would read that starts now. */
    async function readAnew() {
      const fresh = await openSettings(app.store, app.log);
      fresh.close();
      return fresh.current;
    }

    test.each(OPTIONS)('%s option %s can be saved and is read back', async (_, key, text) => {
      await app.settings.set(key, text, 1);
      const setting = settingOf(key);
      const expected = setting.parse(text);
      expect(expected).not.toEqual(setting.fallback);
      expect(valueOf(app.settings.current, key)).toEqual(expected);
      expect(valueOf(await readAnew(), key)).toEqual(expected);
      const history = await app.store.db
        .selectFrom('option_history')
        .select(['actor_id', 'new_value'])
        .where('key', '=', key)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      expect(history.actor_id).toBe(1);
      if (setting.kind === 'secret') {
        expect(history.new_value).toBe('(secret)');
        const row = await app.store.db
          .selectFrom('options')
          .select('value')
          .where('key', '=', key)
          .executeTakeFirstOrThrow();
        expect(row.value).toStartWith('v1.');
        expect(row.value).not.toContain(text);
      }
      await app.settings.reset(key, 1);
      expect(valueOf(app.settings.current, key)).toEqual(setting.fallback);
      if (CONFIGURED[key] !== undefined) await app.settings.set(key, CONFIGURED[key], 1);
    });

    test('the snapshot is frozen and replaced, never changed in place', async () => {
      const before = app.settings.current;
      await app.settings.set('SystemName', 'Changed', 1);
      expect(before.SystemName).toBe('Tollgate');
      expect(app.settings.current.SystemName).toBe('Changed');
      expect(Object.isFrozen(app.settings.current)).toBe(true);
      expect(Object.isFrozen(app.settings.current.GroupRatio)).toBe(true);
      await app.settings.reset('SystemName', 1);
    });

    test('a change on another node is loaded after its announcement', async () => {
      const reloaded = Promise.withResolvers<string>();
      const stop = app.settings.onChange(({ Notice }) => {
        if (Notice !== '') reloaded.resolve(Notice);
      });
      await app.store.db
        .insertInto('options')
        .values({ key: 'Notice', value: 'from another node' })
        .execute();
      await app.store.changes.announce('settings', 'Notice');
      expect(await reloaded.promise).toBe('from another node');
      stop();
      await app.settings.reset('Notice', 1);
    });

    test('no concurrent change is lost', async () => {
      const texts = Array.from({ length: 10 }, (_, index) => String(index + 1));
      await Promise.all(texts.map((text) => app.settings.set('RetryTimes', text, 1)));
      const stored = await readAnew();
      expect(app.settings.current.RetryTimes).toBe(stored.RetryTimes);
      await app.settings.reset('RetryTimes', 1);
    });

    test('a stored value that is no longer valid is replaced by the default, with a warning; unknown keys stay', async () => {
      await app.store.db
        .insertInto('options')
        .values([
          { key: 'MinTopUp', value: 'many' },
          { key: 'EpayKey', value: 'v1.not.a.sealed.text' },
          { key: 'KeyOfALaterVersion', value: '1' },
        ])
        .execute();
      const current = await readAnew();
      expect(current.MinTopUp).toBe(1);
      expect(current.EpayKey).toBe('');
      const warnings = app.logged.filter((line) => line.includes('stored setting is not valid'));
      expect(warnings.some((line) => line.includes('MinTopUp'))).toBe(true);
      expect(warnings.some((line) => line.includes('EpayKey'))).toBe(true);
      await app.settings.set('MinTopUp', '2', 1);
      const kept = await app.store.db
        .selectFrom('options')
        .select('value')
        .where('key', '=', 'KeyOfALaterVersion')
        .executeTakeFirst();
      expect(kept?.value).toBe('1');
      await app.settings.reset('MinTopUp', 1);
      await app.settings.reset('EpayKey', 1);
    });

    test('ACC-5.31 saving SMTP port 465 also switches SSL on', async () => {
      await app.settings.set('SMTPPort', '465', 1);
      expect(app.settings.current.SMTPSSLEnabled).toBe(true);
      await app.settings.set('SMTPSSLEnabled', 'false', 1);
      expect(app.settings.current.SMTPSSLEnabled).toBe(true);
      await app.settings.reset('SMTPPort', 1);
      await app.settings.reset('SMTPSSLEnabled', 1);
    });

    test('email verification needs a mail server and a sender, and they cannot be emptied while it is on (O56)', async () => {
      const on = () => app.settings.set('EmailVerificationEnabled', 'true', 1);
      await app.settings.set('SMTPServer', '', 1);
      expect((await refusalOf(on())).code).toBe('setting_needs_configuration');
      await app.settings.set('SMTPServer', 'smtp.example', 1);
      await app.settings.set('SMTPFrom', '', 1);
      const refusal = await refusalOf(on());
      expect([refusal.code, refusal.extra['field']]).toEqual(['setting_needs_configuration', 'SMTPFrom']);
      // The account is the sender where no other one is given.
      await app.settings.set('SMTPAccount', 'gate@example.com', 1);
      await on();
      for (const emptied of [
        () => app.settings.set('SMTPServer', '', 1),
        () => app.settings.reset('SMTPServer', 1),
        () => app.settings.set('SMTPAccount', '  ', 1),
      ])
        expect((await refusalOf(emptied())).code).toBe('setting_in_use');
      await app.settings.set('SMTPFrom', 'gate@example.com', 1);
      await app.settings.set('SMTPAccount', '', 1);
      expect((await refusalOf(app.settings.set('SMTPFrom', '', 1))).code).toBe('setting_in_use');
      await app.settings.set('EmailVerificationEnabled', 'false', 1);
      await app.settings.set('SMTPServer', '', 1);
      await app.settings.set('SMTPServer', 'smtp.example', 1);
    });

    test('an address, a list or a domain that would not work is refused with the entry at fault (O49 O51 O59 S35)', async () => {
      for (const [key, text, words] of [
        ['PayAddress', 'https://pay.example/?id=1', 'must not have a “?”'],
        ['WithdrawalMethods', '["Alipay"', '“["Alipay"” must not have spaces, commas, quotes or brackets'],
        ['EmailDomainWhitelist', 'x.com, a', '“a” must be a domain, for example example.com'],
        ['PriceListUrls', 'https://ok.example\nabc', '“abc” must be a web address'],
      ] as const) {
        const refusal = await refusalOf(app.settings.set(key, text, 1, { language: 'en' }));
        expect([key, refusal.code]).toEqual([key, 'invalid_setting']);
        expect(refusal.parameters['detail']).toContain(words);
      }
      await app.settings.set('WithdrawalMethods', '["Alipay", "Bank"]', 1);
      expect(app.settings.current.WithdrawalMethods).toEqual(['Alipay', 'Bank']);
      await app.settings.reset('WithdrawalMethods', 1);
    });

    test('a list that an earlier version stored is read without the remains of JSON (O51 O59)', async () => {
      await app.store.db
        .insertInto('options')
        .values([
          { key: 'WithdrawalMethods', value: '["Alipay","Bank"]' },
          { key: 'EmailDomainWhitelist', value: '@x.com,a' },
        ])
        .execute();
      const { WithdrawalMethods, EmailDomainWhitelist } = await readAnew();
      expect([WithdrawalMethods, EmailDomainWhitelist]).toEqual([
        ['Alipay', 'Bank'],
        ['x.com', 'a'],
      ]);
      await app.settings.reset('WithdrawalMethods', 1);
      await app.settings.reset('EmailDomainWhitelist', 1);
    });

    test('ACC-4.39 a blank secret keeps the stored one', async () => {
      await app.settings.set('SMTPToken', 'the-smtp-password', 1);
      await app.settings.set('SMTPToken', '', 1);
      expect(app.settings.current.SMTPToken).toBe('the-smtp-password');
      await app.settings.reset('SMTPToken', 1);
      expect(app.settings.current.SMTPToken).toBe('');
    });
  });
}

describe('rules', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startApplication();
  });
  afterAll(() => app.close());

  test.each([
    ['ACC-5.26', 'TopupGroupRatio', '{'],
    ['ACC-5.32', 'GroupRatio', 'not json'],
    ['ACC-5.33', 'UserUsableGroups', '["a"]'],
    ['ACC-5.34', 'ModelPrice', '{"gpt":"dear"}'],
    ['ACC-5.35', 'ModelRatio', '{"gpt":-1}'],
    ['ACC-5.36', 'CompletionRatio', '{"gpt":null}'],
    ['ACC-5.37', 'Chats', '{}'],
    ['ACC-5.38', 'DataExportInterval', '0'],
    ['ACC-5.39', 'ChannelDisableThreshold', '-1'],
    ['ACC-5.40', 'QuotaRemindThreshold', '-1'],
    ['no NaN', 'QuotaPerUnit', 'NaN'],
    ['no infinity', 'Price', 'Infinity'],
    ['a choice', 'DataExportDefaultTime', 'month'],
    ['a switch', 'RegisterEnabled', 'yes'],
    ['an address', 'ServerAddress', 'javascript:alert(1)'],
  ])('%s %s refuses an invalid value and keeps the old one', async (_, key, text) => {
    const before = app.settings.current;
    const refusal = await refusalOf(app.settings.set(key, text, 1));
    expect(refusal.code).toBe(isJson(text) ? 'invalid_setting' : 'setting_not_json');
    expect(app.settings.current).toEqual(before);
  });

  test.each([
    ['ACC-5.27', 'ServerAddress'],
    ['ACC-5.28', 'WorkerUrl'],
    ['ACC-5.29', 'PayAddress'],
    ['ACC-5.30', 'WeChatServerAddress'],
  ] as const)('%s trailing slashes of %s are removed', async (_, key) => {
    await app.settings.set(key, 'https://host.example/base//', 1);
    expect(app.settings.current[key]).toBe('https://host.example/base');
    await app.settings.reset(key, 1);
  });

  test.each([
    ['ACC-5.49', 'GitHubOAuthEnabled'],
    ['ACC-5.50', 'LinuxDOOAuthEnabled'],
    ['ACC-5.51', 'WeChatAuthEnabled'],
    ['ACC-5.52', 'TelegramOAuthEnabled'],
    ['ACC-5.53', 'TurnstileCheckEnabled'],
  ] as const)('%s %s needs its configuration first', async (_, key) => {
    const refusal = await refusalOf(app.settings.set(key, 'true', 1));
    expect(refusal.code).toBe('setting_needs_configuration');
    expect(app.settings.current[key]).toBe(false);
  });

  test('the configuration of an enabled provider cannot be removed', async () => {
    await app.settings.set('GitHubClientId', 'id', 1);
    await app.settings.set('GitHubClientSecret', 'the-github-secret', 1);
    await app.settings.set('GitHubOAuthEnabled', 'true', 1);
    expect((await refusalOf(app.settings.set('GitHubClientId', '', 1))).code).toBe('setting_in_use');
    expect((await refusalOf(app.settings.reset('GitHubClientSecret', 1))).code).toBe('setting_in_use');
    expect(app.settings.current.GitHubClientSecret).toBe('the-github-secret');
    await app.settings.set('GitHubOAuthEnabled', 'false', 1);
    await app.settings.reset('GitHubClientSecret', 1);
    await app.settings.reset('GitHubClientId', 1);
  });

  test('ACC-5.25 payment settings need the server address first', async () => {
    await app.settings.set('ServerAddress', '', 1);
    for (const [key, text] of [
      ['PayAddress', 'https://pay.example'],
      ['EpayId', '1001'],
      ['EpayKey', 'the-epay-key'],
      ['CustomCallbackAddress', 'https://callback.example'],
      ['Price', '7'],
      ['MinTopUp', '2'],
      ['TopupGroupRatio', '{"default":1}'],
    ] as const)
      expect([key, (await refusalOf(app.settings.set(key, text, 1))).code]).toEqual([
        key,
        'server_address_required',
      ]);
    await app.settings.set('ServerAddress', 'https://gate.example', 1);
    await app.settings.set('EpayId', '1001', 1);
    expect(app.settings.current.EpayId).toBe('1001');
    await app.settings.reset('EpayId', 1);
    await app.settings.reset('ServerAddress', 1);
  });

  test('an unknown key is refused, prototype names included', async () => {
    for (const key of ['NoSuchSetting', '__proto__', 'constructor', 'toString']) {
      expect(isSettingKey(key)).toBe(false);
      expect((await refusalOf(app.settings.set(key, 'x', 1))).code).toBe('unknown_setting');
    }
  });

  test.each([
    ['ACC-9.15', 'Price', 7.3],
    ['ACC-9.16', 'MinTopUp', 1],
    ['ACC-9.17', 'DataExportInterval', 5],
    ['ACC-9.18', 'DataExportDefaultTime', 'hour'],
    ['ACC-9.19', 'SMTPPort', 587],
    ['ACC-9.20', 'SystemName', 'Tollgate'],
    ['ACC-9.21', 'Logo', '/logo.png'],
  ] as const)('%s the default of %s', (_, key, expected) => {
    expect(settingOf(key).fallback).toBe(expected);
  });

  test('ACC-4.40 secrets are the keys ending in Token, Secret or Key, but not the public site key', () => {
    for (const key of SETTING_KEYS) {
      const looksSecret = /(Token|Secret|Key)$/.test(key) && key !== 'TurnstileSiteKey';
      expect([key, settingOf(key).kind === 'secret']).toEqual([key, looksSecret]);
    }
  });
});
