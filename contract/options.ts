// Options for the super admin: one call for each option, secrets are never returned, every change is recorded and can be
// undone. contract/settings.ts declares the options; here they are described for a form.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { idParams, itemList, pageFromOne } from './lists.ts';

/** On this port TLS starts with the first byte (RFC 8314), so `SMTPSSLEnabled` cannot be off. */
export const SMTP_TLS_PORT = 465;

/** `port` as a number or as the text of the form. */
export function portForcesTls(port: number | string | undefined): boolean {
  return Number(String(port ?? '').trim()) === SMTP_TLS_PORT;
}

/** Replaces a secret's text in the list of changes. */
export const SECRET_MARK = '(secret)';

export const optionEntry = z.object({ key: z.string(), value: z.string() });

/** The part of a registry entry that a form needs. */
export const optionField = z.object({
  key: z.string(),
  kind: z.enum([
    'toggle',
    'integer',
    'number',
    'text',
    'multiline',
    'lines',
    'list',
    'choice',
    'json',
    'address',
    'secret',
  ]),
  group: z.string(),
  label: z.object({ zh: z.string(), en: z.string() }),
  /** One sentence about its effect. */
  help: z.object({ zh: z.string(), en: z.string() }),
  /** The text of an option that was never saved. */
  fallback: z.string(),
  choices: z.array(z.string()).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  /** Options that must be set before this one can be switched on or saved. */
  needs: z.array(z.string()),
});
export type OptionField = z.output<typeof optionField>;

export const optionChange = z.object({
  id: z.number(),
  key: z.string(),
  /** The text of a secret is replaced by a mark. */
  old_value: z.string(),
  new_value: z.string(),
  actor_id: z.number(),
  /** Blank when the account is gone or the server itself made the change. */
  actor_name: z.string(),
  created_at: z.number(),
  /** False for a secret: its old text is not stored. */
  can_roll_back: z.boolean(),
});
export type OptionChange = z.output<typeof optionChange>;

/** A model that is offered by a channel or priced by the operator, as the ratio sheet needs it. */
export const pricedModel = z.object({
  model: z.string(),
  vendor: z.string(),
  /** An enabled channel offers it. */
  offered: z.boolean(),
  /** Neither the operator nor the built-in list has a price: calls are refused unless the site is for own use. */
  unpriced: z.boolean(),
  /** From the built-in list; absent when the model is not in it. */
  list_price: z.number().optional(),
  /** What `list_price` is for; absent: a call. */
  list_unit: z.literal('second').optional(),
  list_resolutions: z.record(z.string(), z.number()).optional(),
  list_ratio: z.number().optional(),
  list_completion_ratio: z.number().optional(),
  /** Calls, tokens and charge of the last 30 days, for the estimate of what a change would have cost. */
  recent_calls: z.number(),
  recent_prompt_tokens: z.number(),
  recent_completion_tokens: z.number(),
  recent_quota: z.number(),
});
export type PricedModel = z.output<typeof pricedModel>;

/** What removing a group would concern. */
export const groupUse = z.object({
  group: z.string(),
  users: z.number(),
  /** Tokens that are fixed to the group. */
  tokens: z.number(),
  channels: z.number(),
});
export type GroupUse = z.output<typeof groupUse>;

/** The file of `tollgate config apply`, and what was changed since then. */
export const configurationDrift = z.object({
  applied_at: z.number(),
  file: z.string(),
  /** SHA-256 of the file. */
  hash: z.string(),
  /** How many items the file has. */
  items: z.number(),
  differences: z.array(
    z.object({
      kind: z.enum(['settings', 'groups', 'prices', 'suppliers', 'channels', 'virtual_models', 'plans']),
      name: z.string(),
      change: z.enum(['changed', 'missing', 'added']),
      /** Names of the fields that differ, never their values. */
      fields: z.array(z.string()),
    }),
  ),
});
export type ConfigurationDrift = z.output<typeof configurationDrift>;

/** Existing API clients send switches and numbers as JSON values or as text. */
const optionText = z.union([z.string().max(2_000_000), z.number(), z.boolean()]).transform(String);

export const options = {
  list: endpoint({
    method: 'GET',
    path: '/api/option/',
    access: 'root',
    summary: { zh: '所有设置项（不含密钥）', en: 'All options except secrets' },
    returns: z.array(optionEntry),
    extra: z.object({
      /** For each secret only whether it is set. */
      secrets: z.record(z.string(), z.boolean()),
      /** For each secret the number of its last change, which a save of it is based on. */
      secret_versions: z.record(z.string(), z.string()),
    }),
  }),
  registry: endpoint({
    method: 'GET',
    path: '/api/option/registry',
    access: 'root',
    summary: { zh: '设置项的说明', en: 'Descriptions of the options' },
    returns: z.array(optionField),
  }),
  save: endpoint({
    method: 'PUT',
    path: '/api/option/',
    access: 'root',
    summary: { zh: '保存一个设置项', en: 'Save one option' },
    body: z.object({
      key: z.string().min(1).max(100),
      value: optionText,
      /** The value that the change began with (based-on.ts); of a secret its number in `secret_versions`. */
      based_on: optionText.optional(),
    }),
    /** Names of the parts that the sanitiser removed from a content; null when it removed none. */
    returns: z.object({ removed: z.array(z.string()) }).nullable(),
    secret: true,
  }),
  allowAddresses: endpoint({
    method: 'POST',
    path: '/api/option/allowed_addresses',
    access: 'root',
    stepUp: true,
    summary: { zh: '允许渠道访问内网地址', en: 'Let channels reach private addresses' },
    body: z.object({ addresses: z.array(z.string().trim().min(1).max(64)).min(1).max(20) }),
    /** The whole list. */
    returns: z.array(z.string()),
  }),
  reset: endpoint({
    method: 'POST',
    path: '/api/option/reset',
    access: 'root',
    summary: { zh: '将一个设置项恢复为默认值', en: 'Reset an option to its default' },
    body: z.object({ key: z.string().min(1).max(100) }),
    returns: z.null(),
  }),
  resetRatios: endpoint({
    method: 'POST',
    path: '/api/option/rest_model_ratio',
    access: 'root',
    summary: { zh: '重置模型倍率', en: 'Reset the model ratios' },
    returns: z.null(),
  }),
  history: endpoint({
    method: 'GET',
    path: '/api/option/history',
    access: 'root',
    summary: { zh: '设置的修改历史', en: 'Changes of the options' },
    query: pageFromOne.extend({ key: z.string().max(100).default('') }),
    returns: itemList(optionChange),
  }),
  rollback: endpoint({
    method: 'POST',
    path: '/api/option/history/{id}/rollback',
    access: 'root',
    summary: { zh: '将设置项恢复到某次修改之前', en: 'Undo a change of an option' },
    params: idParams,
    returns: optionEntry,
  }),
  models: endpoint({
    method: 'GET',
    path: '/api/option/models',
    access: 'root',
    summary: { zh: '可定价的模型', en: 'Models that can be priced' },
    returns: z.array(pricedModel),
  }),
  groupUse: endpoint({
    method: 'GET',
    path: '/api/option/groups',
    access: 'root',
    summary: { zh: '各分组的用户、令牌与渠道数', en: 'How many users, API keys and channels use each group' },
    returns: z.array(groupUse),
  }),
  /** null: no file was applied. */
  configuration: endpoint({
    method: 'GET',
    path: '/api/option/configuration',
    access: 'root',
    summary: {
      zh: '与上次应用的配置文件的差异',
      en: 'What differs from the configuration file that was applied last',
    },
    returns: configurationDrift.nullable(),
  }),
};
