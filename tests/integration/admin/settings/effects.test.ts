// Every option has an effect: each option of the registry is changed through the API of a running server and its effect
// is observed, without a restart. docs/options.md is generated from the same table (UPDATE_DOCS=1 writes it).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SETTING_KEYS, settingOf, type SettingKey } from '#contract/settings.ts';
import { accountEffects } from './effects-accounts.ts';
import { drawingEffects } from './effects-drawing.ts';
import { agentEffects } from './effects-agents.ts';
import { backupEffects } from './effects-backup.ts';
import { logExportEffects } from './effects-log-export.ts';
import { mediaEffects } from './effects-media.ts';
import { noticeEffects } from './effects-notices.ts';
import { organizationEffects } from './effects-organizations.ts';
import { paymentEffects } from './effects-payment.ts';
import { relayEffects } from './effects-relay.ts';
import { publicEffects } from './effects-public.ts';
import { siteEffects } from './effects-site.ts';
import { supplierEffects } from './effects-suppliers.ts';
import { openStage, type Effect, type Effects, type Stage } from './effects-stage.ts';

const ROOT = new URL('../../../../', import.meta.url);
const HERE = 'tests/integration/admin/settings/effects.test.ts';
const EFFECTS: Effects = {
  ...siteEffects,
  ...publicEffects,
  ...paymentEffects,
  ...agentEffects,
  ...organizationEffects,
  ...accountEffects,
  ...relayEffects,
  ...drawingEffects,
  ...backupEffects,
  ...logExportEffects,
  ...mediaEffects,
  ...noticeEffects,
  ...supplierEffects,
};
/** Each test waits for servers and for password hashing. */
const PATIENCE_MS = 30_000;

/** Other requirements that the effect of an option proves. */
const PROVES: Partial<Record<SettingKey, string>> = { AutomaticDisableKeywords: 'ACC-3.107' };

const shownHere = SETTING_KEYS.flatMap((key) => {
  const effect = EFFECTS[key];
  return effect && 'observe' in effect ? [[PROVES[key] ?? 'the', key, effect] as const] : [];
});

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
}, PATIENCE_MS);
afterAll(() => stage.close(), PATIENCE_MS);

/** Saves the option before it is observed; afterwards resets what `given` changed, switches first. */
async function run(key: SettingKey, { given, text, observe }: Effect) {
  const others = given?.(stage) ?? {};
  const filled = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  await stage.save(filled);
  const before = await observe(stage);
  await stage.save({ [key]: typeof text === 'function' ? text(stage) : text });
  const after = await observe(stage);
  const touched = [...new Set([key, 'ModelRatio', ...Object.keys(filled)])] as SettingKey[];
  const isSwitch = (each: SettingKey) => (settingOf(each).kind === 'toggle' ? 0 : 1);
  await stage.reset(touched.toSorted((left, right) => isSwitch(left) - isSwitch(right)));
  await stage.save({ ServerAddress: stage.app.url });
  return { before, after };
}

describe('options', () => {
  test.each(shownHere)(
    '%s option %s takes effect on the running server',
    async (_, key, effect) => {
      const seen = await run(key, effect);
      expect(seen).toEqual({ before: effect.before, after: effect.after });
      expect(effect.after).not.toEqual(effect.before);
    },
    PATIENCE_MS,
  );
});

describe('the table of options', () => {
  test('has every option', () => {
    expect(SETTING_KEYS.filter((key) => !EFFECTS[key])).toEqual([]);
  });

  test('a test named for an option exists and names the option', () => {
    for (const [key, effect] of Object.entries(EFFECTS)) {
      const named = 'file' in effect ? effect.file : 'shown' in effect ? effect.shown : undefined;
      if (named === undefined) continue;
      const file = new URL(named, ROOT);
      expect([key, existsSync(file) && readFileSync(file, 'utf8').includes(key)]).toEqual([key, true]);
    }
  });

  test('docs/options.md is this table', () => {
    const file = fileURLToPath(new URL('docs/options.md', ROOT));
    if (process.env['UPDATE_DOCS']) {
      writeFileSync(file, page());
      // As the format check of `npm run check` expects it.
      Bun.spawnSync([fileURLToPath(new URL('node_modules/.bin/oxfmt', ROOT)), file]);
    }
    expect(compact(readFileSync(file, 'utf8'))).toBe(compact(page()));
  });
});

/** The formatter pads the columns of a table; padding is ignored. */
const compact = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');

function page(): string {
  const rows = SETTING_KEYS.map((key) => {
    const effect = EFFECTS[key];
    const shown = !effect
      ? ''
      : 'file' in effect
        ? `\`${effect.file}\``
        : [HERE, ...(effect.shown ? [effect.shown] : [])].map((file) => `\`${file}\``).join(', ');
    return `| \`${key}\` | ${settingOf(key).group} | ${effect?.effect ?? ''} | ${shown} |`;
  });
  return [
    '# Options and what they do',
    '',
    'Every option of [contract/settings.ts](../contract/settings.ts), what changes when it changes, and the test that sees it',
    'change on a running server. Written by `UPDATE_DOCS=1 npx bun test tests/integration/admin/settings/effects.test.ts`; the',
    'same test fails when an option is missing here or does nothing.',
    '',
    '| option | group | effect | seen by |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
