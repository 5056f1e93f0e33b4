// What happens in the demo while it runs: first some purchases and tasks, then a few calls a minute through the real relay, so
// that every page moves. Mistakes are logged and ignored: the demo goes on without them.
import type { Log } from '#contract/context.ts';
import { signIn } from './api-client.ts';
import { DEMO_PASSWORD } from './users.ts';
import { MODELS } from './model-habits.ts';
import { createRandom } from './random.ts';
import type { Site } from './site.ts';

const EVERY_MS: readonly [number, number] = [6000, 16_000];
const PROMPTS = [
  'Which years are leap years?',
  'Summarise the release notes in three sentences.',
  'Write a commit message for a fix of the retry loop.',
  '把这段话翻译成英文：路上有一道木门。',
  'Explain the difference between a mutex and a semaphore.',
  'Draft a polite answer to a customer whose parcel is late.',
];
const PICTURES = [
  'a five-bar gate in morning mist, long exposure --ar 1:1',
  'a toll road at dusk, low sun, wide angle',
  '晨雾中的五道横木栅门，长曝光',
];

const SONGS = [
  { title: 'Five Bars', tags: 'folk, fiddle', prompt: '[Verse]\nThe gate goes up, the carts roll through' },
  {
    title: 'Keeper of the Gate',
    tags: 'slow waltz',
    prompt: '[Verse]\nA coin for the road, a word for the way',
  },
];

export interface LiveParts {
  url: string;
  site: Site;
  rootPassword: string;
  /** False: only the super admin may change anything, so people buy nothing. */
  canBuy: boolean;
  signal: AbortSignal;
  log: Pick<Log, 'warn'>;
}

export async function liveOn(parts: LiveParts): Promise<void> {
  for (const step of [testChannels, ...(parts.canBuy ? [buyThings] : []), submitTasks])
    await step(parts).catch((error: unknown) => noteFailure(parts, error));
  const random = createRandom(Date.now());
  while (!parts.signal.aborted) {
    await callOnce(parts, random.next(), random.next()).catch((error: unknown) => noteFailure(parts, error));
    await pause(random.between(...EVERY_MS), parts.signal);
  }
}

function noteFailure({ signal, log }: LiveParts, error: unknown): void {
  if (!signal.aborted) log.warn('demo: a step failed', { error });
}

/** Gives every channel its response time, and switches off the one with a wrong key. */
async function testChannels({ url, rootPassword }: LiveParts): Promise<void> {
  const { client } = await signIn(fetch, url, 'root', rootPassword);
  await client.channelUpstream.testAll();
}

async function buyThings({ url, rootPassword, site }: LiveParts): Promise<void> {
  const { client: root } = await signIn(fetch, url, 'root', rootPassword);
  const { items: codes } = await root.redemptions.list({ query: { state: 'unused' } });
  const { plans } = await root.plans.list();
  const [small, large] = plans.toSorted((one, other) => one.price_quota - other.price_quota);
  for (const [index, { id, username }] of site.people.slice(0, 3).entries()) {
    const { client } = await signIn(fetch, url, username, DEMO_PASSWORD);
    await client.checkIn.claim({ query: {} });
    const code = codes[index];
    if (code) await client.redemptions.redeem({ body: { key: code.key } });
    const request_id = `demo-${crypto.randomUUID()}`;
    if (index === 0 && small)
      await client.plans.buy({
        params: { id: small.id },
        body: { request_id, price_quota: small.price_quota },
      });
    if (index === 1 && large)
      await root.plans.grant({ body: { plan_id: large.id, user_id: id, request_id } });
  }
}

async function submitTasks({ url, site, signal }: LiveParts): Promise<void> {
  const [key = ''] = site.keys;
  const headers = { Authorization: `Bearer sk-${key}`, 'Content-Type': 'application/json' };
  const post = (path: string, body: unknown) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  for (const prompt of PICTURES) await (await post('/mj/submit/imagine', { prompt })).body?.cancel();
  for (const song of SONGS) await (await post('/suno/submit/music', { ...song, mv: 'v4' })).body?.cancel();
}

const CHAT_MODELS = MODELS.filter(({ output }) => output[1] > 0).filter(
  ({ name }) => !name.includes('image'),
);

async function callOnce({ url, site, signal }: LiveParts, one: number, other: number): Promise<void> {
  const key = site.keys[Math.floor(one * site.keys.length)] ?? '';
  const model = CHAT_MODELS[Math.floor(other * CHAT_MODELS.length)]?.name ?? '';
  const content = PROMPTS[Math.floor(one * 997) % PROMPTS.length] ?? '';
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    // Now and then an old key, as in life.
    headers: {
      Authorization: `Bearer sk-${other > 0.97 ? 'an-old-key' : key}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ model, stream: other > 0.3, messages: [{ role: 'user', content }] }),
    signal,
  });
  await response.text();
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
