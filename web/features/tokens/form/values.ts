/** The values of the form, their problems, and the request body; without React, for unit tests. */
import { baseOf } from '#web/ui/conflict/save-on-base.ts';
import { checkAddressLines } from '#contract/ip-address.ts';
import {
  modelLimitList,
  TOKEN_BATCH_MAX,
  TOKEN_DEFAULTS,
  TOKEN_NEVER_EXPIRES,
  type TokenFields,
  type TokenView,
} from '#contract/admin/tokens.ts';
import { TOKEN_NAME_MAX, tokenNameLength } from '#contract/admin/token-names.ts';
import type { TokenHolder } from '#contract/admin/token-holders.ts';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';

/**
 * The expiry is the text of the field, empty for never; the count is only for new tokens. Holder and project are those of an
 * organization's token, blank for its usual ones: `member:7`, `account:2`.
 */
export interface TokenFormValues extends Omit<TokenFields, 'expired_time'> {
  expiry: string;
  count: number;
  holder: string;
  project: string;
}

/** The holder and the project that a token has, or that the address names for a new one. */
export function holderValues({
  member_id: member = 0,
  service_account_id: account = 0,
  project_id: project = 0,
}: TokenHolder): Pick<TokenFormValues, 'holder' | 'project'> {
  const holder = account > 0 ? `account:${account}` : member > 0 ? `member:${member}` : '';
  return { holder, project: project > 0 ? String(project) : '' };
}

function holderOf({ holder, project }: Pick<TokenFormValues, 'holder' | 'project'>): TokenHolder {
  const [kind, id] = holder.split(':');
  return {
    ...(kind === 'member' ? { member_id: Number(id) } : {}),
    ...(kind === 'account' ? { service_account_id: Number(id) } : {}),
    ...(project === '' ? {} : { project_id: Number(project) }),
  };
}

export type FieldName = keyof TokenFormValues;
export type Problem = 'nameRequired' | 'nameTooLong' | 'expiryFormat' | 'expiryPast' | 'count' | 'addresses';
export type Problems = Partial<Record<FieldName, Problem>>;

export function expiryText(expiredTime: number): string {
  return expiredTime === TOKEN_NEVER_EXPIRES ? '' : absoluteTime(expiredTime);
}

/** Undefined when the text is not a time. */
export function expiryTime(text: string): number | undefined {
  return text.trim() === '' ? TOKEN_NEVER_EXPIRES : parseTime(text);
}

export function formValues(token?: TokenView, wanted: TokenHolder = {}): TokenFormValues {
  const fields: TokenFields = token ?? TOKEN_DEFAULTS;
  return {
    name: fields.name,
    group: fields.group,
    expiry: expiryText(fields.expired_time),
    remain_quota: fields.remain_quota,
    unlimited_quota: fields.unlimited_quota,
    model_limits_enabled: fields.model_limits_enabled,
    model_limits: fields.model_limits,
    allow_ips: fields.allow_ips,
    deny_ips: fields.deny_ips,
    requests_per_minute: fields.requests_per_minute,
    tokens_per_minute: fields.tokens_per_minute,
    concurrent_calls: fields.concurrent_calls,
    rate_limit_message: fields.rate_limit_message,
    day_budget: fields.day_budget,
    month_budget: fields.month_budget,
    strict_conversion: fields.strict_conversion,
    answer_cache: fields.answer_cache,
    answer_cache_seconds: fields.answer_cache_seconds,
    mj_mode: fields.mj_mode,
    mj_image_proxy: fields.mj_image_proxy,
    mj_backup_pool: fields.mj_backup_pool,
    count: 1,
    ...holderValues(token ?? wanted),
  };
}

export function changedFields(values: TokenFormValues, initial: TokenFormValues): FieldName[] {
  return (Object.keys(initial) as FieldName[]).filter((name) => values[name] !== initial[name]);
}

/** An unchanged expiry may be in the past; a new one may not. */
export function problemsOf(values: TokenFormValues, initial: TokenFormValues, now: number): Problems {
  const problems: Problems = {};
  const name = values.name.trim();
  if (name === '') problems.name = 'nameRequired';
  else if (tokenNameLength(name) > TOKEN_NAME_MAX) problems.name = 'nameTooLong';

  const expiry = expiryTime(values.expiry);
  if (expiry === undefined) problems.expiry = 'expiryFormat';
  else if (expiry !== TOKEN_NEVER_EXPIRES && expiry <= now && values.expiry !== initial.expiry) {
    problems.expiry = 'expiryPast';
  }
  if (!Number.isInteger(values.count) || values.count < 1 || values.count > TOKEN_BATCH_MAX) {
    problems.count = 'count';
  }
  for (const list of ['allow_ips', 'deny_ips'] as const) {
    if (checkAddressLines(values[list]).some((line) => line.problem !== null)) problems[list] = 'addresses';
  }
  return problems;
}

/** The body for the API; call it only when there are no problems. */
function fieldsOf(values: TokenFormValues): TokenFields {
  const { expiry, count: _count, holder: _holder, project: _project, ...rest } = values;
  return {
    ...rest,
    name: rest.name.trim(),
    model_limits: modelLimitList(rest.model_limits).join(','),
    expired_time: expiryTime(expiry) ?? TOKEN_NEVER_EXPIRES,
  };
}

/** `suffixes`: of the names that the form showed. */
export function createBody(
  values: TokenFormValues,
  suffixes: readonly string[] = [],
): TokenFields & TokenHolder & { count: number; suffixes?: string[] } {
  const { count } = values;
  const body = { ...fieldsOf(values), ...holderOf(values), count };
  return count > 1 ? { ...body, suffixes: suffixes.slice(0, count - 1) } : body;
}

/** The values with which the form was loaded. The quota is compared with `loaded_remain_quota` instead. */
export function baseBody(token: TokenView, { initial, base }: Record<'initial' | 'base', TokenFormValues>) {
  const { remain_quota: _quota, ...fields } = baseOf({
    view: token,
    initial: fieldsOf(initial),
    base: fieldsOf(base),
  });
  return fields;
}

/** Only changed fields, and the loaded value of the quota: concurrent spending is not overwritten. */
export function changeBody(values: TokenFormValues, token: TokenView) {
  const changed = changedFields(values, formValues(token)).map((name) =>
    name === 'expiry' ? 'expired_time' : name,
  );
  const fields = Object.entries(fieldsOf(values)).filter(([name]) => changed.some((other) => other === name));
  const { project_id, ...holder } = holderOf(values);
  return {
    ...(Object.fromEntries(fields) as Partial<TokenFields>),
    ...(changed.includes('holder') ? holder : {}),
    ...(changed.includes('project') ? { project_id } : {}),
    id: token.id,
    ...(changed.includes('remain_quota') ? { loaded_remain_quota: token.remain_quota } : {}),
  };
}
