// An installation with realistic data: users, keys, channels of several vendors, a month of usage with nights and a bad
// hour, log rows of every kind. Deterministic except for the clock.
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { sql } from 'kysely';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { trade } from './screenshot-prices.ts';
import { sell, takePayment } from './screenshot-wallet.ts';
import { sing } from './screenshot-songs.ts';
import { film } from './screenshot-videos.ts';
import { compareModels } from './screenshot-shadow.ts';
import { chooseAmong } from './screenshot-virtual.ts';
import { callDetails, FAILED, PLAIN, RETRIED, TOP_UP, type Line } from './logs-support.ts';

const HOUR = 3600;
const DAYS = 30;

const CHANNELS = [
  {
    name: 'openai-main',
    type: CHANNEL_TYPE.openAi,
    models: ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o3-mini'],
    tag: 'openai',
  },
  {
    name: 'openai-backup-b',
    type: CHANNEL_TYPE.openAi,
    models: ['gpt-4o', 'gpt-4o-mini'],
    tag: 'openai',
    priority: -1,
  },
  { name: 'azure-eastus2', type: CHANNEL_TYPE.azure, models: ['gpt-4o'], tag: 'azure', status: 3 },
  {
    name: 'anthropic-direct',
    type: CHANNEL_TYPE.anthropic,
    models: ['claude-sonnet-4-5', 'claude-opus-4-5'],
    tag: null,
  },
  {
    name: 'gemini-tokyo',
    type: CHANNEL_TYPE.gemini,
    models: ['gemini-2.5-flash', 'gemini-2.5-pro'],
    tag: null,
  },
  {
    name: 'deepseek 官方',
    type: CHANNEL_TYPE.deepSeek,
    models: ['deepseek-chat', 'deepseek-reasoner'],
    tag: null,
    weight: 10,
  },
  {
    name: 'siliconflow',
    type: CHANNEL_TYPE.siliconFlow,
    models: ['deepseek-chat', 'text-embedding-3-small'],
    tag: null,
    weight: 3,
  },
  { name: 'moonshot', type: CHANNEL_TYPE.moonshot, models: ['kimi-k2-turbo-preview'], tag: null, status: 2 },
];

const MODELS = [
  ['gpt-4o', 1, 9],
  ['claude-sonnet-4-5', 4, 8],
  ['gpt-4o-mini', 1, 3],
  ['gemini-2.5-flash', 5, 2.5],
  ['deepseek-chat', 6, 2],
  ['claude-opus-4-5', 4, 1.6],
  ['gpt-4.1', 1, 1.2],
  ['deepseek-reasoner', 6, 0.8],
  ['o3-mini', 1, 0.5],
  ['text-embedding-3-small', 7, 0.2],
] as const;

const TOKENS = [
  'prod-web',
  'agent-runner',
  'claude-code',
  'batch-eval',
  'notebook',
  'reader-ios',
  'old-laptop',
];
const PEOPLE = ['paperboat', 'halfmoon', 'northstar-ci', 'mossgarden', 'lantern', '林小满'];

export interface Lived {
  user: Actor;
  admin: Actor;
  /** An empty site. */
  newcomer: Actor;
}

/** A deterministic pseudo-random number. */
function randomly(): () => number {
  let state = 17;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export async function liveIn(application: TestApplication, upstream: string): Promise<Lived> {
  const admin = await application.actor({ username: 'operator', role: ROLE.root, quota: 2_406_000_000 });
  const people: Actor[] = [];
  for (const [index, username] of PEOPLE.entries()) {
    const group = index % 2 === 0 ? 'vip' : 'default';
    people.push(await application.actor({ username, group, quota: 64_200_000 - index * 9_000_000 }));
  }
  const newcomer = await application.actor({ username: 'newcomer', quota: 500_000 });
  const [user = admin] = people;
  await giveTokens(application, user);
  await giveTokens(application, admin);
  await connect(application, upstream);
  const random = randomly();
  await spend(application, [admin, ...people], random);
  await writeLog(application, [admin, ...people], random);
  await draw(application, user);
  await sing(application, user, upstream);
  await film(application, user, upstream);
  await failJob(application);
  await giveCodes(application, admin, people);
  await sell(application, admin, people);
  await takePayment(application, user);
  await trade(application, admin, people);
  await chooseAmong(application, admin);
  await compareModels(application, admin, people);
  return { user, admin, newcomer };
}

/** Three batches: one nearly redeemed, one with an end, one disabled in part. */
async function giveCodes(
  application: TestApplication,
  admin: Actor,
  people: readonly Actor[],
): Promise<void> {
  const { redemptions } = application.client(admin);
  const soon = Math.floor(Date.now() / 1000) + 5 * 86_400;
  const [welcome, spring] = [
    await redemptions.create({ body: { name: '', quota: 2_500_000, count: 8 } }),
    await redemptions.create({
      body: { name: 'Spring offer', quota: 10_000_000, count: 5, expired_time: soon },
    }),
  ];
  await redemptions.create({ body: { name: 'Forum giveaway', quota: 500_000, count: 3 } });
  for (const [index, key] of [...welcome.slice(0, 5), ...spring.slice(0, 2)].entries())
    await application.client(people[index % 3] ?? admin).redemptions.redeem({ body: { key } });
  const { items } = await redemptions.search({ query: { keyword: 'Forum' } });
  await redemptions.batch({ body: { ids: items.slice(0, 2).map(({ id }) => id), action: 'disable' } });
}

/** Not due for a while, so that the scheduler leaves it alone. */
async function failJob({ store }: TestApplication): Promise<void> {
  const now = Date.now();
  const failed = {
    owner: 'gate-1:3000',
    started_ms: now - 62_000,
    finished_ms: now - 60_000,
    duration_ms: 2130,
    next_run_ms: now + 3_600_000,
    error: 'SQLITE_FULL: database or disk is full',
    failures: 1,
    runs: 1284,
  };
  await store.db
    .insertInto('jobs')
    .values({ name: 'usage-rollup', node_id: '', ...failed })
    .onConflict((conflict) => conflict.columns(['name', 'node_id']).doUpdateSet(failed))
    .execute();
}

/** Drawings of every state, without pictures. */
export const DRAWINGS = [
  { status: 'SUBMITTED', progress: '0%', prompt: 'a five-bar gate in morning mist, long exposure --ar 16:9' },
  { status: 'IN_PROGRESS', progress: '45%', prompt: '晨雾中的五道横木栅门，长曝光 --v 7' },
  { status: 'NOT_START', progress: '', prompt: 'toll road at night, neon, wide angle' },
  { status: 'SUCCESS', progress: '100%', action: 'DESCRIBE', prompt: '1️⃣ a wooden gate, soft light' },
  { status: 'MODAL', progress: '0%', action: 'CUSTOM_ZOOM', prompt: 'the same gate, farther away' },
  {
    status: 'FAILURE',
    progress: '40%',
    prompt: 'a portrait of the toll keeper',
    fail_reason: 'Banned prompt: the moderator objected',
  },
  { status: 'SUCCESS', progress: '100%', action: 'SHORTEN', prompt: 'an old gate by the sea, gulls' },
];

async function draw(application: TestApplication, owner: Actor): Promise<void> {
  const now = Date.now();
  for (const [index, { status, action = 'IMAGINE', ...rest }] of DRAWINGS.entries()) {
    const isOver = status === 'SUCCESS' || status === 'FAILURE';
    const submit_ms = now - index * 1_860_000;
    await application.store.db
      .insertInto('tasks')
      .values({
        ...rest,
        hold_id: crypto.randomUUID(),
        task_id: String(1_731_660_000_000_000 + index * 77_731),
        money: isOver ? (status === 'SUCCESS' ? 'settled' : 'released') : 'open',
        platform: 'midjourney',
        action,
        status,
        model: `mj_${action.toLowerCase()}`,
        user_id: owner.id,
        username: owner.username,
        channel_id: 1,
        code: status === 'MODAL' ? 21 : 1,
        quota: 50_000,
        deadline_at: Math.floor(now / 1000) + 86_400,
        next_poll_at: Math.floor(now / 1000) + 86_400,
        submit_ms,
        finish_ms: isOver ? submit_ms + 24_000 + index * 9000 : 0,
      })
      .execute();
  }
}

async function giveTokens(application: TestApplication, owner: Actor): Promise<void> {
  const { tokens } = application.client(owner);
  for (const [index, name] of TOKENS.entries()) {
    const [created] = await tokens.create({
      body: {
        name,
        unlimited_quota: index === 2,
        remain_quota: 5_000_000 * (index + 1),
        model_limits_enabled: index === 1,
        model_limits: index === 1 ? 'gpt-4o-mini,gpt-4o' : '',
        allow_ips: index === 1 ? '203.0.113.0/24\n198.51.100.17' : '',
      },
    });
    if (index === 6 && created)
      await tokens.change({ query: { status_only: 'true' }, body: { id: created.id, status: 2 } });
  }
}

async function connect(application: TestApplication, upstream: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  for (const [
    index,
    { name, type, models, tag, status = 1, priority = 0, weight = 0 },
  ] of CHANNELS.entries()) {
    const reason = JSON.stringify({
      status_reason: 'status 429 rate_limit_exceeded',
      status_time: now - 900,
    });
    await addChannel(application.store, {
      base_url: upstream,
      name,
      type,
      models,
      groups: ['default', 'vip'],
      priority,
      weight,
      fields: {
        ...(tag ? { tag } : {}),
        status,
        response_time: [640, 1250, 0, 2100, 880, 4300, 5900, 0][index] ?? 0,
        test_time: index === 2 || index === 7 ? 0 : now - 180 * (index + 1),
        used_quota: 31_000_000 * (8 - index),
        balance: [128.4, 12.07, 0, 0, 0, 86.5, 4.02, 0][index] ?? 0,
        balance_updated_time: now - 7200,
        other_info: status === 3 ? reason : '',
      },
    });
  }
}

/** More by day than by night and on weekends, one hour with a failing upstream. */
async function spend(application: TestApplication, people: Actor[], random: () => number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const thisHour = now - (now % HOUR);
  const rows: NewRow<'usage_hours'>[] = [];
  for (let ago = 0; ago < DAYS * 24; ago += 1) {
    const hour = thisHour - ago * HOUR;
    const date = new Date(hour * 1000);
    const clock = date.getHours();
    const busy =
      (0.25 + Math.max(0, Math.sin(((clock - 6) / 24) * 2 * Math.PI))) *
      (date.getDay() % 6 === 0 ? 0.4 : 1) *
      (1 + (DAYS * 24 - ago) / (DAYS * 48));
    for (const [index, person] of people.entries()) {
      for (const [model, channel_id, share] of MODELS) {
        if (random() > 0.35 + busy * 0.3) continue;
        const count = Math.ceil(busy * share * (6 - Math.min(index, 5)) * (0.6 + random()));
        const isBadHour = ago === 21 && channel_id === 1;
        rows.push({
          hour,
          user_id: person.id,
          token_id: 1 + ((index + count) % TOKENS.length),
          channel_id,
          model_name: model,
          count,
          quota: Math.round(count * share * 900 * (0.7 + random() * 0.6)),
          prompt_tokens: count * 1800,
          completion_tokens: count * 420,
          error_count: isBadHour ? count : random() < 0.08 ? 1 : 0,
          use_time_ms: count * (1800 + share * 500),
          first_token_ms: count * 640,
        });
      }
    }
  }
  for (let at = 0; at < rows.length; at += 400)
    await application.store.db
      .insertInto('usage_hours')
      .values(rows.slice(at, at + 400))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  await sql`insert into channel_hours (channel_id, hour, attempts, failures, broken, first_4, first_7)
    select channel_id, hour, sum(count + error_count), sum(error_count), sum(error_count) / 4, sum(count), sum(count) / 9
    from usage_hours group by channel_id, hour`.execute(application.store.db);
  const words =
    'status 429 rate_limit_exceeded: Rate limit reached for requests per min (RPM): Limit 500, Used 500.';
  await application.store.db
    .insertInto('channel_errors')
    .values({ channel_id: 1, at: now - 260, request_id: crypto.randomUUID(), words })
    .execute();
  const minute = now - (now % 60) - 300;
  const [person] = people;
  await application.store.db
    .insertInto('refused_calls')
    .values([
      {
        minute,
        user_id: person?.id ?? 0,
        token_id: 1,
        code: 'no_channel',
        group: 'default',
        model_name: 'gpt-6-preview',
        ip: '203.0.113.7',
        request_ids: `${Bun.randomUUIDv7()},${Bun.randomUUIDv7()},`,
        count: 5200,
      },
      {
        minute: minute - 60,
        user_id: 0,
        token_id: 0,
        code: 'invalid_api_key',
        group: '',
        model_name: '',
        ip: '198.51.100.4',
        request_ids: `${Bun.randomUUIDv7()},`,
        count: 3,
      },
    ])
    .execute();
}

const EMPTY: Line = { content: '', other: '{}', upstream_model: '', ip: '', request_id: '' };

async function writeLog(application: TestApplication, people: Actor[], random: () => number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const kinds: Line[] = [RETRIED, PLAIN, PLAIN, PLAIN, FAILED, PLAIN, TOP_UP, PLAIN];
  const rows = Array.from({ length: 900 }, (_, index) => {
    const person = people[Math.floor(random() * people.length)] ?? people[0];
    const kind = kinds[index % kinds.length] ?? PLAIN;
    const [model, channel_id] = MODELS[Math.floor(random() ** 2 * MODELS.length)] ?? MODELS[0];
    const isCall = kind.type === 2;
    const milliseconds = Math.round(800 + random() ** 4 * 60_000);
    return {
      token_id: 0,
      token_name: '',
      model_name: '',
      channel_id: 0,
      channel_name: '',
      group: 'default',
      prompt_tokens: 0,
      completion_tokens: 0,
      quota: 0,
      use_time: 0,
      is_stream: 0 as const,
      type: 2,
      ...EMPTY,
      ...kind,
      // Most of them from the last days, some a month old.
      created_at: now - Math.floor((index / 900) ** 2.5 * DAYS * 24 * HOUR * (0.9 + random() * 0.1)),
      user_id: person?.id ?? 0,
      username: person?.username ?? '',
      ...(isCall && kind === PLAIN
        ? {
            token_name: TOKENS[index % TOKENS.length] ?? '',
            model_name: model,
            channel_id,
            channel_name: CHANNELS[channel_id - 1]?.name ?? '',
            use_time: Math.round(milliseconds / 1000),
            // The charge of the usage below at these ratios.
            quota: Math.round((1204 + 318 * 6) * 1.25 * 0.9),
            request_id: `req_${index.toString(36).padStart(10, '0')}`,
            other: callDetails({
              frt: Math.round(milliseconds * 0.3),
              use_ms: milliseconds,
              usage: { input: 1204, output: 318 },
              admin_info: {
                use_channel: [String(channel_id)],
                attempts: [{ channel: channel_id, status: 200, milliseconds: 400 }],
              },
            }),
          }
        : {}),
    };
  });
  for (let at = 0; at < rows.length; at += 200)
    await application.store.db
      .insertInto('logs')
      .values(rows.slice(at, at + 200))
      .execute();
}
