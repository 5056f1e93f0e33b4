// Options with the same meaning, among them prices and groups. One that was saved here with another value is kept unless
// the operator asks to overwrite; of maps (ratios, groups) the missing names are added.
import { AppError } from '#contract/errors.ts';
import { isSettingKey, settingOf, SETTINGS, type SettingKey } from '#contract/settings.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { OptionAudit } from '#server/platform/settings/options.ts';
import type { Job } from './job.ts';

/** LiteLLM has options without a database. */
type OptionJob = Omit<Job, 'source' | 'family'>;

/** Names that the source writes in another way. */
const RENAMED: Record<string, SettingKey> = {
  OidcEnabled: 'OIDCEnabled',
  OidcClientId: 'OIDCClientId',
  OidcClientSecret: 'OIDCClientSecret',
  OidcWellKnown: 'OIDCIssuer',
  'oidc.enabled': 'OIDCEnabled',
  'oidc.client_id': 'OIDCClientId',
  'oidc.client_secret': 'OIDCClientSecret',
  'oidc.well_known': 'OIDCIssuer',
  'oidc.display_name': 'OIDCName',
  StripeUnitPrice: 'StripePrice',
};

/** Neither gateway has them, and secrets are sent to them or sign-in depends on them: a source that names them is not honest. */
const NEVER: readonly SettingKey[] = [
  'GitHubAddress',
  'LinuxDOAddress',
  'TurnstileServerAddress',
  'StripeAddress',
  'MediaS3Endpoint',
  'BackupS3Endpoint',
  'LogExportUrl',
  'PriceListUrls',
  'UserNoticePrivateAddressEnabled',
  'AdminTwoFactorRequired',
];

const AMOUNTS: readonly SettingKey[] = [
  'QuotaForNewUser',
  'QuotaForInviter',
  'QuotaForInvitee',
  'QuotaRemindThreshold',
  'PreConsumedQuota',
];

const MAPS = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'GroupRatio',
  'UserUsableGroups',
  'TopupGroupRatio',
] as const satisfies readonly SettingKey[];

const isMap = (key: SettingKey): boolean => MAPS.some((map) => map === key);

interface Wanted {
  key: SettingKey;
  text: string;
}

export async function bringOptions(
  job: OptionJob,
  settings: LiveSettings,
  audit: OptionAudit,
): Promise<void> {
  const { report, options, store } = job;
  const saved = new Set((await store.db.selectFrom('options').select('key').execute()).map(({ key }) => key));
  const wanted: Wanted[] = [];
  for (const [name, text] of options) {
    report.count(report.found, 'options');
    const option = planOption(job, settings, saved, { name, text });
    if (option !== undefined) wanted.push(option);
  }
  const refused = await save(job, settings, wanted, audit);
  for (const { key, reason } of refused) report.leave('options', reason, key);
}

function planOption(
  job: OptionJob,
  settings: LiveSettings,
  saved: ReadonlySet<string>,
  { name, text }: { name: string; text: string },
): Wanted | undefined {
  const { report } = job;
  const key = RENAMED[name] ?? name;
  if (!isSettingKey(key) || NEVER.includes(key)) return report.leave('options', 'has no equal here', name);
  // The unit of a dollar is taken over only into an empty installation; otherwise amounts are converted.
  if (key === 'QuotaPerUnit' && !job.isEmpty) return report.count(report.already, 'options');
  const setting = settingOf(key);
  let next: string;
  try {
    next = setting.format(setting.parse(valueOf(job, settings, key, text)));
  } catch {
    return report.leave('options', 'its value is not valid here', name);
  }
  const current = setting.format(settings.current[key]);
  if (next === current) return report.count(report.already, 'options');
  if (saved.has(key) && !job.overwrites && !isMap(key)) {
    report.conflict(`option ${key}: saved here with another value, which is kept`);
    return report.leave('options', 'saved here with another value', name);
  }
  report.count(report.brought, 'options');
  return { key, text: next };
}

function valueOf(job: OptionJob, settings: LiveSettings, key: SettingKey, text: string): string {
  if (AMOUNTS.includes(key)) return String(job.scale.amount(Number(text)));
  if (key === 'OIDCIssuer') return text.replace(/\/\.well-known\/openid-configuration\/?$/, '');
  return isMap(key) ? merged(job, settings, key as (typeof MAPS)[number], text) : text;
}

function merged(job: OptionJob, settings: LiveSettings, key: (typeof MAPS)[number], text: string): string {
  const source: Record<string, unknown> = { ...SETTINGS[key].parse(text) };
  if (key === 'ModelRatio' && !job.scale.isSame)
    for (const [model, ratio] of Object.entries(source)) source[model] = job.scale.ratio(Number(ratio));
  const own: Record<string, unknown> = job.isEmpty ? {} : { ...settings.current[key] };
  for (const [name, value] of Object.entries(own))
    if (Object.hasOwn(source, name) && source[name] !== value)
      job.report.conflict(
        `option ${key}: ${name} is ${String(value)} here and ${String(source[name])} at the source, ` +
          (job.overwrites ? 'which replaces it' : 'which is not brought'),
      );
  // `default` must always have a ratio.
  const base = key === 'GroupRatio' && !Object.hasOwn(source, 'default') ? { default: 1 } : {};
  return JSON.stringify(job.overwrites ? { ...base, ...own, ...source } : { ...base, ...source, ...own });
}

/** An option may need another one first, so those that are refused are tried again as long as one of them succeeds. */
async function save(
  { isDry, report }: OptionJob,
  settings: LiveSettings,
  wanted: readonly Wanted[],
  audit: OptionAudit,
): Promise<{ key: SettingKey; reason: string }[]> {
  if (isDry) return [];
  let waiting = wanted.map((option) => ({ ...option, reason: '' }));
  for (let isProgress = true; isProgress && waiting.length > 0;) {
    const refused: typeof waiting = [];
    for (const option of waiting) {
      try {
        await settings.set(option.key, option.text, 0, { audit, version: { source: 'import' } });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.push({ ...option, reason: error.code });
      }
    }
    isProgress = refused.length < waiting.length;
    waiting = refused;
  }
  report.count(report.brought, 'options', -waiting.length);
  return waiting;
}

/** Groups that users, tokens or channels have and the source gives no ratio: calls of a group without a ratio are refused. */
export async function missingGroups(job: OptionJob, settings: LiveSettings): Promise<string[]> {
  const { db } = job.store;
  const users = await db.selectFrom('users').select('group').distinct().execute();
  const tokens = await db.selectFrom('tokens').select('group').distinct().execute();
  const groups = new Set([...users, ...tokens].map(({ group }) => group).filter((group) => group !== ''));
  return [...groups].filter((group) => !Object.hasOwn(settings.current.GroupRatio, group)).toSorted();
}
