// What needs the reader now, decided once on the server: the overview, the counts in the menu, the bell and /metrics show the
// same list. In an organization: what needs it, as far as the reader's role goes.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import {
  ATTENTION_ACTIONS,
  ATTENTION_CHECKS,
  ATTENTION_KIND_NAMES,
  ATTENTION_MENUS,
  ATTENTION_SEVERITIES,
} from './attention-kinds.ts';

/** A check that has not run for so long is itself an item. */
export const CHECK_LATE_SECONDS = 600;
/** Names of one item; `count` has how many there are. */
export const MOST_SUBJECTS = 5;

const subject = z.object({
  kind: z.enum([
    'channel',
    'model',
    'order',
    'user',
    'supplier',
    'job',
    'node',
    'token',
    'draft',
    'run',
    'budget',
    'invitation',
    'domain',
    'scim_token',
  ]),
  id: z.string(),
  name: z.string(),
});
export type AttentionSubject = z.output<typeof subject>;

const attentionItem = z.object({
  /** The same fact keeps it: `channel_only:12`. */
  id: z.string(),
  kind: z.enum(ATTENTION_KIND_NAMES),
  severity: z.enum(ATTENTION_SEVERITIES),
  /** Changes with the fact; a snooze holds for one mark only. */
  mark: z.string(),
  /** Unix seconds. Of a fact that the database does not date: when this node first saw it. */
  since: z.number(),
  /** What it is about: the first of them. */
  subjects: z.array(subject),
  count: z.number(),
  /** Whom it touches. */
  users: z.number(),
  /** Calls that were refused for it in the last 24 hours. */
  calls: z.number(),
  /** Money that it holds: quota units, and what was paid, by currency in its smallest unit. */
  held_quota: z.number(),
  held: z.array(z.object({ currency: z.string(), amount_minor: z.number() })),
  /** For the words (attention-words.ts). Quota, percent and unix seconds are numbers. */
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  action: z.enum(ATTENTION_ACTIONS),
  /** The page of the console where the action is. */
  address: z.string(),
  menu: z.enum(ATTENTION_MENUS),
  /** The reader does not want to see it until it changes. */
  is_snoozed: z.boolean(),
});
export type AttentionItem = z.output<typeof attentionItem>;

const attentionCheck = z.object({
  name: z.enum(ATTENTION_CHECKS),
  /** The last run that succeeded, unix seconds; 0: none yet. */
  ran_at: z.number(),
  is_late: z.boolean(),
  /** What it found when all is well: `backup` its `at`, `disk` its `percent`, `certificate` its `ends_at`, `version` its `version`. */
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type AttentionCheckView = z.output<typeof attentionCheck>;

const counts = z.object({ stop: z.number(), act: z.number() });

export const attentionView = z.object({
  /** The most urgent first, snoozed ones at the end: by severity, money held, people touched, age. */
  items: z.array(attentionItem),
  /** By entry of the menu; without snoozed items and without those that only wait. An entry without any is left out. */
  counts: z.partialRecord(z.enum(ATTENTION_MENUS), counts),
  total: counts.extend({ wait: z.number(), snoozed: z.number() }),
  /** Those whose items the reader may see. */
  checks: z.array(attentionCheck),
  /** The oldest run of these checks; "nothing needs you" is true of this moment, and only while none is late. */
  checked_at: z.number(),
});
export type AttentionView = z.output<typeof attentionView>;

export const attention = {
  list: endpoint({
    method: 'GET',
    path: '/api/attention',
    access: 'user',
    organization: 'organization.read',
    summary: { zh: '需要你处理的事', en: 'Needs your attention' },
    returns: attentionView,
  }),
  /** Refused with 404 when the item is gone, has changed, or is another person's. */
  snooze: endpoint({
    method: 'POST',
    path: '/api/attention/snooze',
    access: 'user',
    organization: 'organization.read',
    summary: { zh: '隐藏一项，直到它有变化', en: 'Hide an item until it changes' },
    body: z.object({
      id: z.string().min(1).max(300),
      mark: z.string().max(300),
      /** False: show it again. */
      is_snoozed: z.boolean().default(true),
    }),
    returns: z.null(),
  }),
};
