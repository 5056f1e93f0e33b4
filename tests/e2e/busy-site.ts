// A site with 200 channels and 5,000 users beside the data of the screenshots, to be used by hand or by a browser:
//   bun tests/e2e/busy-site.ts [--port 3900]
// Prints the address and the super admin's login. Some upstreams fail in the ways that upstreams do: wrong keys, rate limits,
// broken streams. The data is gone when the process ends.
import { parseArgs } from 'node:util';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication, ROOT_PASSWORD } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { behaviourKey, startMockUpstream } from '#mock/upstream/index.ts';
import { liveIn, type Lived } from './screenshot-data.ts';

export const CHANNELS = 200;
export const USERS = 5000;

const VENDORS = [
  { name: 'openai', type: CHANNEL_TYPE.openAi, models: ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o3-mini'] },
  { name: 'azure', type: CHANNEL_TYPE.azure, models: ['gpt-4o', 'gpt-4.1'] },
  { name: 'claude', type: CHANNEL_TYPE.anthropic, models: ['claude-sonnet-4-5', 'claude-opus-4-5'] },
  { name: 'gemini', type: CHANNEL_TYPE.gemini, models: ['gemini-2.5-flash', 'gemini-2.5-pro'] },
  { name: 'deepseek', type: CHANNEL_TYPE.deepSeek, models: ['deepseek-chat', 'deepseek-reasoner'] },
  { name: '通义千问', type: CHANNEL_TYPE.ali, models: ['qwen-plus', 'qwen-max'] },
  { name: 'moonshot', type: CHANNEL_TYPE.moonshot, models: ['kimi-k2-turbo-preview'] },
  { name: 'siliconflow', type: CHANNEL_TYPE.siliconFlow, models: ['deepseek-chat'] },
];
const PLACES = ['hk', 'tokyo', 'eastus2', 'frankfurt', '新加坡', 'oregon'];
const FAULTS = ['401', '429', '500', 'quota', 'cut', 'stall-first-token'];
const REASONS = [
  'status 401 invalid_api_key: Incorrect API key provided: sk-pr***Xw4k.',
  'status 403 account_deactivated: Your account has been deactivated, please contact us through our help center.',
  'status 429 insufficient_quota: You exceeded your current quota, please check your plan and billing details.',
  'status 400 invalid_request_error: Your credit balance is too low to access the Anthropic API.',
];
const SURNAMES = [
  'paper',
  'north',
  'moss',
  'lantern',
  'river',
  'maple',
  '林',
  '周',
  '欧阳',
  'silver',
  'cloud',
];
const GIVEN = ['boat', 'star', 'garden', 'keeper', 'stone', '小满', '子墨', 'fox', 'mill', 'harbour', '一诺'];

export async function fill(application: TestApplication, upstream: string): Promise<Lived> {
  const lived = await liveIn(application, upstream);
  await addChannels(application, upstream);
  await addUsers(application);
  return lived;
}

async function addChannels({ store }: TestApplication, upstream: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const { count } = await store.db
    .selectFrom('channels')
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const hour = now - (now % 3600);
  for (let index = count; index < CHANNELS; index += 1) {
    const vendor = VENDORS[index % VENDORS.length] ?? VENDORS[0];
    if (!vendor) continue;
    const place = PLACES[index % PLACES.length];
    const isDisabled = index % 11 === 0;
    const fault = index % 9 === 0 ? FAULTS[index % FAULTS.length] : undefined;
    const reason = { status_reason: REASONS[index % REASONS.length], status_time: now - index * 977 };
    const id = await addChannel(store, {
      base_url: upstream,
      name: `${vendor.name}-${place}-${String(index).padStart(3, '0')}`,
      type: vendor.type,
      models: vendor.models,
      groups: index % 3 === 0 ? ['default', 'vip'] : ['default'],
      priority: [0, 0, 10, -5][index % 4] ?? 0,
      weight: index % 7,
      key: fault ? behaviourKey(`sk-${index}`, fault) : `sk-${index}-${vendor.name}`,
      fields: {
        tag: `${vendor.name}-${index % 2 === 0 ? 'main' : 'backup'}`,
        status: isDisabled ? 3 : index % 29 === 0 ? 2 : 1,
        response_time: (index * 137) % 9000,
        test_time: now - index * 61,
        used_quota: (CHANNELS - index) * 7_350_000 + (index % 13) * 1700,
        balance: index % 5 === 0 ? ((index * 31) % 4000) / 10 : 0,
        balance_updated_time: index % 5 === 0 ? now - index * 300 : 0,
        other_info: isDisabled ? JSON.stringify(reason) : '',
      },
    });
    const attempts = (index * 53) % 900;
    const failures = fault ? Math.ceil(attempts * 0.4) : index % 4 === 0 ? Math.ceil(attempts * 0.01) : 0;
    await store.db
      .insertInto('channel_hours')
      .values({ channel_id: id, hour, attempts, failures, broken: failures >> 3, first_5: attempts })
      .execute();
    if (failures > 0)
      await store.db
        .insertInto('channel_errors')
        .values({ channel_id: id, at: now - index * 13, request_id: '', words: reason.status_reason ?? '' })
        .execute();
  }
}

async function addUsers({ store, ledger }: TestApplication): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const rows = Array.from({ length: USERS }, (_, index) => {
    const name = `${SURNAMES[index % SURNAMES.length]}${GIVEN[(index * 7) % GIVEN.length]}${index}`;
    return {
      username: name,
      display_name: index % 4 === 0 ? name.replace(/\d+$/, '') : name,
      email: index % 3 === 0 ? '' : `user${index}@mail${index % 9}.example`,
      aff_code: `busy${index}`,
      group: index % 10 === 0 ? 'vip' : 'default',
      status: index % 97 === 0 ? 2 : 1,
      used_quota: (index * 7919) % 90_000_000,
      request_count: (index * 31) % 4000,
      created_at: now - (USERS - index) * 7200,
    };
  });
  for (let at = 0; at < rows.length; at += 500)
    await store.db
      .insertInto('users')
      .values(rows.slice(at, at + 500))
      .execute();
  const first = await store.db
    .selectFrom('users')
    .select('id')
    .where('aff_code', '=', 'busy0')
    .executeTakeFirstOrThrow();
  for (let index = 0; index < USERS; index += 20)
    await ledger.credit({
      idem: `busy:${index}`,
      userId: first.id + index,
      amount: 500_000 + index * 41_000,
      from: 'world:admin',
      kind: 'admin',
      reference: '',
    });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '3900' } } });
  const upstream = startMockUpstream();
  const application = await startApplication({ environment: { PORT: values.port } });
  await fill(application, upstream.url);
  process.stdout.write(`${application.url}\nroot / ${ROOT_PASSWORD}\n`);
}
