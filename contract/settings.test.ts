import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ERRORS } from './errors.ts';
import { isSettingKey, SETTING_KEYS, settingOf, SETTINGS } from './settings.ts';

describe('settings registry', () => {
  const requirements = readFileSync(new URL('../docs/requirements/accounts.md', import.meta.url), 'utf8');
  const named = [...requirements.matchAll(/^\| ACC-3\.\d+ \| Option `(\w+)`/gm)].map(
    (match) => match[1] ?? '',
  );

  test('holds every option key the specification names', () => {
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter((key) => !isSettingKey(key))).toEqual([]);
  });

  test.each(SETTING_KEYS)(
    '%s: its default passes its own schema and survives the way through text',
    (key) => {
      const setting = settingOf(key);
      expect(setting.parse(setting.format(setting.fallback))).toEqual(setting.fallback);
      expect(setting.label.zh).not.toBe('');
      expect(setting.label.en).not.toBe('');
    },
  );

  test('every key that ends in Token, Secret or Key is write-only, except the public site key', () => {
    const secret = SETTING_KEYS.filter((key) => settingOf(key).kind === 'secret').sort();
    const byName = SETTING_KEYS.filter(
      (key) => /(Token|Secret|Key)$/.test(key) && key !== 'TurnstileSiteKey',
    );
    expect(secret).toEqual(byName.sort());
  });

  test('no secret is visible to anybody but the super admin', () => {
    const leaking = SETTING_KEYS.filter((key) => {
      const setting = settingOf(key);
      return setting.kind === 'secret' && setting.visibility !== 'root';
    });
    expect(leaking).toEqual([]);
  });

  test('a number setting refuses text, infinity and values below its minimum', () => {
    for (const bad of ['', 'abc', 'Infinity', 'NaN', '-1']) {
      expect(() => SETTINGS.PreConsumedQuota.parse(bad)).toThrow();
    }
    expect(() => SETTINGS.DataExportInterval.parse('0')).toThrow();
  });

  test('an address loses its trailing slashes and must be http or https', () => {
    expect(SETTINGS.ServerAddress.parse('https://gate.example.com//')).toBe('https://gate.example.com');
    expect(() => SETTINGS.ServerAddress.parse('javascript:alert(1)')).toThrow();
  });

  test('N14: retries and the disabling of broken channels are on by default, as the README says', () => {
    const { RetryTimes, AutomaticDisableChannelEnabled, AutomaticEnableChannelEnabled } = SETTINGS;
    expect(RetryTimes.fallback).toBeGreaterThan(0);
    expect([AutomaticDisableChannelEnabled.fallback, AutomaticEnableChannelEnabled.fallback]).toEqual([
      true,
      true,
    ]);
  });

  test('ratio maps refuse negatives, text and broken JSON, and cannot reach a prototype', () => {
    expect(() => SETTINGS.GroupRatio.parse('{"default":-1}')).toThrow();
    expect(() => SETTINGS.GroupRatio.parse('{"default":"1"}')).toThrow();
    expect(() => SETTINGS.GroupRatio.parse('{"default":')).toThrow();
    const parsed = SETTINGS.GroupRatio.parse('{"__proto__":5,"vip":2}');
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['vip']).toBeUndefined();
  });

  test('a chat link that would run a script in the console is refused', () => {
    const link = (template: string) => JSON.stringify([{ Chat: template }]);
    for (const bad of ['javascript:alert(1)', ' java\nscript:alert(1)', 'data:text/html,x', 'VBScript:x']) {
      expect(() => SETTINGS.Chats.parse(link(bad))).toThrow();
      for (const key of ['ChatLink', 'ChatLink2', 'TopUpLink'] as const)
        expect(() => SETTINGS[key].parse(bad)).toThrow();
    }
    expect(SETTINGS.ChatLink.parse(' https://chat.example/#/?settings={key} ')).toBe(
      'https://chat.example/#/?settings={key}',
    );
    expect(SETTINGS.TopUpLink.parse('')).toBe('');
    expect(SETTINGS.Chats.parse(link('opencat://team/join?token={key}'))).toHaveLength(1);
    expect(SETTINGS.Chats.parse(link('ccswitch'))).toHaveLength(1);
  });

  test('a web link that would put the key into a path or a query is refused, one of an application is not (S23)', () => {
    const link = (template: string) => JSON.stringify([{ Chat: template }]);
    for (const bad of [
      'https://chat.example/?settings={"apiKey":"{key}"}',
      ' HTTP://chat.example/{key}/#/',
      'https://chat.example/?data={cherryConfig}',
    ]) {
      expect(() => SETTINGS.Chats.parse(link(bad))).toThrow();
      for (const key of ['ChatLink', 'ChatLink2'] as const) expect(() => SETTINGS[key].parse(bad)).toThrow();
    }
    expect(SETTINGS.Chats.parse(link('https://chat.example/?lang=zh#/?key={key}'))).toHaveLength(1);
    expect(SETTINGS.Chats.parse(link('cherrystudio://providers?data={cherryConfig}'))).toHaveLength(1);
  });

  test('a time zone is a name that exists', () => {
    expect(SETTINGS.SiteTimeZone.parse(' Asia/Shanghai ')).toBe('Asia/Shanghai');
    for (const bad of ['Mars/Olympus', '+08:00', 'Asia/Shanghai; drop'])
      for (const setting of [SETTINGS.SiteTimeZone, SETTINGS.CheckInTimeZone])
        expect(() => setting.parse(bad)).toThrow();
    // Empty stands for the site's zone, which must have a name.
    expect(SETTINGS.CheckInTimeZone.parse('')).toBe('');
    expect(() => SETTINGS.SiteTimeZone.parse('')).toThrow();
  });

  test('keywords and words come one per line, blank lines fall away', () => {
    expect(SETTINGS.SensitiveWords.parse('one\r\n\n two \n')).toEqual(['one', 'two']);
  });
});

describe('error table', () => {
  test.each(Object.entries(ERRORS))('%s: both sentences name the same parameters', (_, entry) => {
    const parameters = (sentence: string) =>
      [...sentence.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
    expect(parameters(entry.zh)).toEqual(parameters(entry.en));
    expect(entry.internal).not.toBe('');
  });
});
