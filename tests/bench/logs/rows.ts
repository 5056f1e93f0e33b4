// Log rows like those of a busy relay: more by day than by night, a few users with most of the calls, some rarely used
// models, failures in bursts. The same rows every time.

export const DAYS = 60;
const DAY_SECONDS = 86_400;
export const HOUR_SECONDS = 3600;

export interface SeedUser {
  id: number;
  username: string;
  group: string;
  tokens: { id: number; name: string }[];
  models: string[];
}

export interface SeedRow {
  created_at: number;
  request_id: string;
  type: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  model_name: string;
  upstream_model: string;
  channel_id: number;
  channel_name: string;
  group: string;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
  use_time: number;
  is_stream: number;
  estimated: number;
  ip: string;
  content: string;
  other: string;
}

export const RARE_MODEL = 'whale-1-preview';
const MODELS = Array.from({ length: 60 }, (_, index) => `model-${String(index).padStart(2, '0')}`);
const CHANNELS = 24;
const USERS = 300;

function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function seedUsers(): SeedUser[] {
  const random = randomly(11);
  let tokenId = 0;
  return Array.from({ length: USERS }, (_, index) => {
    const share = random();
    const models = Array.from(
      { length: 1 + Math.floor(random() * 4) },
      () => MODELS[Math.floor(random() ** 2 * MODELS.length)] as string,
    );
    const tokens = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, each) => {
      tokenId += 1;
      return { id: tokenId, name: `key-${each + 1}-of-${index + 1}` };
    });
    return {
      id: index + 2,
      username: `user${index + 1}`,
      group: share < 0.8 ? 'default' : share < 0.95 ? 'vip' : 'svip',
      tokens,
      models: [...new Set(models)],
    };
  });
}

const PRICE =
  '"model_ratio":1.25,"model_price":-1,"completion_ratio":6,"cache_ratio":0.1,"cache_creation_ratio":1.25,' +
  '"cache_creation_1h_ratio":2,"image_ratio":1,"audio_ratio":1,"audio_completion_ratio":1,"reasoning_ratio":6,' +
  '"group_ratio":1,"quota_per_unit":500000,"price_source":"default"';

/** Oldest first, the last one at `until`. */
export function* seedRows(count: number, until: number, users: readonly SeedUser[]): Generator<SeedRow> {
  const random = randomly(5);
  const start = until - DAYS * DAY_SECONDS;
  for (let index = 0; index < count; index += 1) {
    // Time advances evenly over a day that is twice as busy at noon as at night.
    const even = (index / count) * DAYS;
    const inDay = even % 1;
    const bent = inDay - Math.sin(2 * Math.PI * inDay) / (4 * Math.PI);
    const createdAt = start + Math.floor((Math.floor(even) + bent) * DAY_SECONDS);
    yield rowOf(random, index, createdAt, users);
  }
}

function rowOf(random: () => number, index: number, createdAt: number, users: readonly SeedUser[]): SeedRow {
  const user = users[Math.floor(random() ** 3 * users.length)] as SeedUser;
  const kind = random();
  const base = { created_at: createdAt, user_id: user.id, username: user.username, group: user.group };
  if (kind < 0.003) {
    const type = kind < 0.001 ? 1 : kind < 0.002 ? 4 : 7;
    return { ...empty, ...base, type, content: `event ${index}`, quota: type === 1 ? 500_000 : 0 };
  }
  const token = user.tokens[Math.floor(random() * user.tokens.length)] ?? { id: 0, name: '' };
  const isRareModel = random() < 0.000_02;
  const model = isRareModel
    ? RARE_MODEL
    : (user.models[Math.floor(random() ** 2 * user.models.length)] as string);
  const channel = 1 + ((model.length * 7 + user.id + (random() < 0.85 ? 0 : 1)) % CHANNELS);
  const isError = random() < (createdAt % 604_800 < 5400 ? 0.3 : 0.012);
  const call = {
    ...empty,
    ...base,
    type: isError ? 5 : 2,
    request_id: `req_${index.toString(36).padStart(14, '0')}`,
    token_id: token.id,
    token_name: token.name,
    model_name: model,
    upstream_model: model,
    channel_id: channel,
    channel_name: `channel ${channel}`,
    is_stream: random() < 0.7 ? 1 : 0,
    ip: `203.0.113.${index % 250}`,
    use_time: 1 + Math.floor(random() ** 4 * 120),
  };
  const tried = `"admin_info":{"use_channel":["${channel}"],"attempts":[{"channel":${channel},"status":${isError ? 429 : 200},"milliseconds":812}]}`;
  if (isError) {
    return { ...call, content: 'status 429', other: `{"path":"/v1/chat/completions",${tried}}` };
  }
  const input = 50 + Math.floor(random() ** 3 * 20_000);
  const output = 10 + Math.floor(random() ** 3 * 3000);
  return {
    ...call,
    prompt_tokens: input,
    completion_tokens: output,
    quota: Math.round((input + output * 6) * 1.25),
    other: `{${PRICE},"frt":812,"path":"/v1/chat/completions","usage":{"input":${input},"output":${output}},${tried}}`,
  };
}

const empty: Omit<SeedRow, 'created_at' | 'user_id' | 'username' | 'group'> = {
  request_id: '',
  type: 2,
  token_id: 0,
  token_name: '',
  model_name: '',
  upstream_model: '',
  channel_id: 0,
  channel_name: '',
  prompt_tokens: 0,
  completion_tokens: 0,
  quota: 0,
  use_time: 0,
  is_stream: 0,
  estimated: 0,
  ip: '',
  content: '',
  other: '{}',
};
