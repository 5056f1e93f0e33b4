// Members of requests, sent over HTTP through the whole gateway to upstreams of the other formats: what a member asks for
// reaches the upstream, or the receipt in the answer's header names it, or the call is refused. All members are probed without
// a server in server/models/formats/nested-fields.test.ts; here is every Nth of them, against what the relay adds and removes.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { ConversionNote, FormatName } from '#server/models/formats/canonical.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { fateOf, readProbes, type Converted, type Fate } from '#tests/support/field-fates.ts';
import type { Probe } from '#tests/support/field-probes.ts';
import {
  chatAnswer,
  geminiAnswer,
  messagesAnswer,
  responsesAnswer,
  startScriptedUpstream,
  type ScriptedUpstream,
} from './scripted-upstream.ts';

setDefaultTimeout(120_000);

/** So many probes are sent at least. */
const least = 1000;

interface Target {
  type: number;
  model: string;
  answer: () => Response;
}

const openAiUsage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
const targets: Readonly<Record<FormatName, Target>> = {
  'openai-chat': { type: CHANNEL_TYPE.openAi, model: 'deepseek-chat', answer: () => chatAnswer() },
  'openai-responses': {
    type: CHANNEL_TYPE.openAi,
    model: 'gpt-5.1',
    answer: () => responsesAnswer(openAiUsage),
  },
  'anthropic-messages': {
    type: CHANNEL_TYPE.anthropic,
    model: 'claude-sonnet-4-5',
    answer: () => messagesAnswer({ input_tokens: 5, output_tokens: 2 }),
  },
  'gemini-generate': {
    type: CHANNEL_TYPE.gemini,
    model: 'gemini-2.5-flash',
    answer: () => geminiAnswer({ promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 }),
  },
};
const formats = Object.keys(targets) as FormatName[];

const probes = await readProbes();
let relay: RelayHarness;
let token: TestToken;
const upstreams = new Map<FormatName, ScriptedUpstream>();

beforeAll(async () => {
  const prices = Object.fromEntries(formats.map((format) => [targets[format].model, 1]));
  relay = await startRelay({ settings: { ModelRatio: JSON.stringify(prices), RetryTimes: '0' } });
  token = await relay.token({ quota: 1_000_000_000_000 });
  for (const format of formats) {
    const { type, model, answer } = targets[format];
    const upstream = startScriptedUpstream();
    upstream.answer = answer;
    upstreams.set(format, upstream);
    const setting = JSON.stringify({ formats: [format] });
    await addChannel(relay.store, { type, base_url: upstream.url, models: [model], fields: { setting } });
  }
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  for (const upstream of upstreams.values()) await upstream[Symbol.asyncDispose]();
});

const pathOf = (from: FormatName, model: string): string =>
  ({
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    'gemini-generate': `/v1beta/models/${model}:generateContent`,
  })[from];

/** Sends a request to the model of that upstream; undefined when the caller is refused. One call of an upstream at a time. */
async function send(
  from: FormatName,
  to: FormatName,
  body: Record<string, unknown>,
): Promise<Converted | undefined> {
  const { model } = targets[to];
  // Pictures by address are fetched for some upstreams; nothing may leave this machine.
  const local = JSON.parse(JSON.stringify(body).replaceAll('example.com', '127.0.0.1:9')) as Record<
    string,
    unknown
  >;
  const upstream = upstreams.get(to) as ScriptedUpstream;
  upstream.requests.length = 0;
  const headers = { 'x-tollgate-report': '1' };
  const response = await relay.post(pathOf(from, model), token.key, { ...local, model }, headers);
  const said = await response.text();
  if (response.status >= 400 && response.status < 500) {
    expect(said).toContain('error');
    return undefined;
  }
  expect([response.status, said.slice(0, 200), JSON.stringify(body)]).toEqual([
    200,
    expect.anything(),
    expect.anything(),
  ]);
  const receipt = JSON.parse(response.headers.get('x-tollgate-conversion') ?? '{}') as {
    notes?: ConversionNote[];
  };
  return { sent: JSON.stringify(upstream.last().body), notes: receipt.notes ?? [] };
}

function fateSender(from: FormatName, to: FormatName): (probe: Probe) => Promise<Fate> {
  const answers = new Map<string, Converted | undefined>();
  const known = new Map<Probe, Fate>();
  const sendOnce = async (body: Record<string, unknown>) => {
    const key = JSON.stringify(body);
    if (!answers.has(key)) answers.set(key, await send(from, to, body));
    return answers.get(key);
  };
  return async function find(probe: Probe): Promise<Fate> {
    let fate = known.get(probe);
    if (fate !== undefined) return fate;
    const above = probe.holder === undefined ? undefined : await find(probe.holder);
    if (above === 'dropped, noted' || above === 'refused') fate = above;
    else {
      const plain = await sendOnce(probe.plain);
      const asked: (Converted | undefined)[] = [];
      for (const body of probe.asked) asked.push(await sendOnce(body));
      fate = fateOf(probe.path, plain, asked);
    }
    known.set(probe, fate);
    return fate;
  };
}

/** A stream is answered otherwise; both members are the relay's own. */
const isAnsweredWhole = ({ path }: Probe): boolean => !/^(stream|stream_options\b.*|model)$/.test(path);

test('of a thousand members sent over HTTP to upstreams of other formats none vanishes without a note (W28)', async () => {
  const pairs = formats.flatMap((from) =>
    formats.filter((to) => to !== from).map((to) => [from, to] as const),
  );
  const share = Math.ceil((least * 1.05) / pairs.length);
  const found = new Map<string, Fate>();
  const work = pairs.map(([from, to], index) => {
    const all = (probes.get(from) ?? []).filter(isAnsweredWhole);
    const step = Math.max(1, all.length / share);
    // Another start for each pair, so that together they reach more members.
    const chosen = Array.from({ length: Math.min(share, all.length) }, (_, place) => {
      return all[Math.floor((place + index / pairs.length) * step)] as Probe;
    });
    return { from, to, chosen };
  });
  await Promise.all(
    formats.map(async (target) => {
      for (const { from, to, chosen } of work) {
        if (to !== target) continue;
        const find = fateSender(from, to);
        for (const probe of chosen) found.set(`${from} ${probe.variant} → ${to}`, await find(probe));
      }
    }),
  );
  const of = (fate: Fate) => [...found].filter(([, each]) => each === fate).map(([probe]) => probe);
  expect(of('lost')).toEqual([]);
  expect(found.size).toBeGreaterThanOrEqual(least);
  // The probes can tell: many members arrive, many are noted, and few make the relay refuse the call.
  expect(of('carried').length).toBeGreaterThan(150);
  expect(of('dropped, noted').length).toBeGreaterThan(150);
  expect(of('refused').length).toBeLessThan(found.size / 3);
});

test('the same request is sent alike twice, so that a difference comes from the member alone (W28)', async () => {
  for (const from of formats)
    for (const to of formats.filter((each) => each !== from)) {
      const [first] = probes.get(from) ?? [];
      const plain = first?.plain ?? {};
      expect(await send(from, to, plain)).toEqual(await send(from, to, plain));
    }
});
