// Channels: upstream providers that an operator has connected. Lists never contain keys.
import { z } from 'zod';
import {
  CHANNEL_SORTS,
  channelChange,
  channelCreate,
  channelRoute,
  channelType,
  channelView,
  commaList,
  jsonText,
  PRIORITY_MAX,
  PRIORITY_MIN,
  WEIGHT_MAX,
} from './channel-fields.ts';
import { basedOnOfMany } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, listCounts, pageFromZero, queryFlag } from '#contract/lists.ts';

const filter = z.object({
  id_sort: queryFlag,
  /** Wins over `id_sort`; ignored in tag mode. */
  sort: z.enum(CHANNEL_SORTS).optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  tag_mode: queryFlag,
  status: z.coerce.number().int().min(1).max(3).optional(),
  type: z.coerce.number().int().optional(),
  tag: z.string().max(64).optional(),
});

const listExtra = listCounts.extend({
  /** Over the whole filter: counts by status, and today's usage. */
  enabled: z.number(),
  disabled: z.number(),
  auto_disabled: z.number(),
  today_quota: z.number(),
});

const idsBody = z.object({ ids: z.array(z.number().int().positive()).min(1).max(10_000) });
const tagBody = z.object({ tag: z.string().trim().min(1).max(64) });
const count = z.number();

const ADMIN = { access: 'admin' } as const;

export const channels = {
  list: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/',
    summary: { zh: '渠道列表', en: 'List channels' },
    query: pageFromZero.extend(filter.shape),
    returns: z.array(channelView),
    extra: listExtra,
  }),
  search: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/search',
    summary: { zh: '搜索渠道', en: 'Search channels' },
    query: pageFromZero.extend(filter.shape).extend({
      /** Id, part of the name, the whole key, or its last characters. */
      keyword: z.string().trim().max(4000).default(''),
      group: z.string().trim().max(64).default(''),
      model: z.string().trim().max(255).default(''),
    }),
    returns: z.array(channelView),
    extra: listExtra,
  }),
  types: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/types',
    summary: { zh: '渠道类型', en: 'Types of upstream' },
    returns: z.array(channelType),
  }),
  models: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/models',
    summary: { zh: '已知模型', en: 'Known models' },
    returns: z.array(
      z.object({ id: z.string(), object: z.string(), created: z.number(), owned_by: z.string() }),
    ),
  }),
  unpriced: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/unpriced',
    summary: {
      zh: '启用的渠道提供但没有价格的模型',
      en: 'Models that enabled channels offer and that have no price',
    },
    /** Calls of these models are refused. */
    returns: z.array(z.string()),
  }),
  read: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/{id}',
    summary: { zh: '读取渠道（不含密钥）', en: 'Read a channel, without its key' },
    params: idParams,
    returns: channelView,
  }),
  create: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/',
    summary: { zh: '创建渠道', en: 'Create channels' },
    body: channelCreate,
    returns: z.array(channelView),
    secret: true,
  }),
  change: endpoint({
    ...ADMIN,
    method: 'PUT',
    path: '/api/channel/',
    summary: { zh: '修改渠道', en: 'Change a channel' },
    body: channelChange,
    returns: channelView,
    secret: true,
  }),
  copy: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/copy/{id}',
    summary: { zh: '复制渠道', en: 'Copy a channel' },
    params: idParams,
    returns: channelView,
  }),
  remove: endpoint({
    ...ADMIN,
    method: 'DELETE',
    path: '/api/channel/{id}/',
    summary: { zh: '删除渠道', en: 'Delete a channel' },
    params: idParams,
    returns: z.null(),
  }),
  restore: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/restore',
    summary: { zh: '恢复刚删除的渠道', en: 'Restore channels deleted a moment ago' },
    body: idsBody,
    returns: count,
  }),
  removeDisabled: endpoint({
    ...ADMIN,
    method: 'DELETE',
    path: '/api/channel/disabled',
    summary: { zh: '删除已禁用渠道', en: 'Delete disabled channels' },
    returns: count,
  }),
  removeMany: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/batch',
    summary: { zh: '批量删除渠道', en: 'Delete several channels' },
    body: idsBody,
    returns: count,
  }),
  setStatus: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/batch/status',
    summary: { zh: '批量启用或禁用', en: 'Enable or disable several channels' },
    body: idsBody.extend({ status: z.union([z.literal(1), z.literal(2)]) }),
    returns: count,
  }),
  tagMany: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/batch/tag',
    summary: { zh: '批量设置标签', en: 'Set a tag on several channels' },
    body: idsBody.extend({ tag: z.string().trim().max(64).nullable(), based_on: basedOnOfMany }),
    returns: count,
  }),
  fix: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/fix',
    summary: { zh: '修复数据库一致性', en: 'Repair the index of models and groups' },
    returns: count,
  }),
  enableTag: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/tag/enabled',
    summary: { zh: '启用标签下全部渠道', en: 'Enable every channel of a tag' },
    body: tagBody,
    returns: count,
  }),
  disableTag: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/tag/disabled',
    summary: { zh: '禁用标签下全部渠道', en: 'Disable every channel of a tag' },
    body: tagBody,
    returns: count,
  }),
  changeTag: endpoint({
    ...ADMIN,
    method: 'PUT',
    path: '/api/channel/tag',
    summary: { zh: '编辑标签', en: 'Edit a tag; given fields overwrite those of its channels' },
    body: tagBody.extend({
      /** Blank removes the tag from its channels. */
      new_tag: z.string().trim().max(64).optional(),
      model_mapping: jsonText.optional(),
      groups: commaList.optional(),
      models: commaList.optional(),
      priority: z.number().int().min(PRIORITY_MIN).max(PRIORITY_MAX).optional(),
      weight: z.number().int().min(0).max(WEIGHT_MAX).optional(),
      based_on: basedOnOfMany,
    }),
    returns: count,
  }),
  revealKey: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/{id}/key',
    summary: { zh: '查看密钥（需再次输入密码）', en: 'Reveal the key; asks for the password again' },
    params: idParams,
    body: z.object({ password: z.string().min(1).max(1000) }),
    returns: z.object({ key: z.string() }),
    limit: 'critical',
    secret: true,
    sessionOnly: true,
  }),
  /** Effect of disabling these channels, or of giving them other models or groups: models that would have no channel, by group. */
  impact: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel/impact',
    summary: { zh: '禁用或修改影响预览', en: 'What disabling or changing these channels would take away' },
    body: idsBody.extend({ models: commaList.optional(), groups: commaList.optional() }),
    returns: z.array(z.object({ group: z.string(), models: z.array(z.string()) })),
  }),
  groups: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/group/',
    summary: { zh: '分组名称', en: 'Names of the groups' },
    returns: z.array(z.string()),
  }),
  modelsByType: endpoint({
    access: 'user',
    method: 'GET',
    path: '/api/models',
    summary: { zh: '各渠道类型的默认模型', en: 'Default models of each type of channel' },
    returns: z.record(z.string(), z.array(z.string())),
  }),
  /** The channels that serve a model for a group, with their chances, and the reasons of those that do not. */
  route: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel/route',
    summary: { zh: '路由模拟', en: 'Where a call would go' },
    query: z.object({
      model: z.string().trim().min(1).max(255),
      group: z.string().trim().min(1).max(64).default('default'),
    }),
    returns: channelRoute,
  }),
};
