// What an upstream answers and the caller's format cannot say is named like a loss of the request: in the log row, and in the
// header of an answer that is sent in one piece.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { eventually, startRelay, type RelayHarness } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { event, events, startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts';

setDefaultTimeout(30_000);

let relay: RelayHarness;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  upstream = startScriptedUpstream();
  const prices = JSON.stringify({ 'm-chat': 1, 'm-claude': 1 });
  relay = await startRelay({ settings: { ModelRatio: prices, RetryTimes: '0' } });
  const at = { base_url: upstream.url };
  const setting = JSON.stringify({ formats: ['openai-chat'] });
  await addChannel(relay.store, { ...at, models: ['m-chat'], fields: { setting } });
  await addChannel(relay.store, { ...at, type: CHANNEL_TYPE.anthropic, models: ['m-claude'] });
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const logprobs = {
  content: [{ token: 'Hello', logprob: -0.1, bytes: null, top_logprobs: [] }],
  refusal: null,
};
const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const head = { id: 'chatcmpl-1', created: 1, model: 'm' };
const messages = { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
const noted = (fields: readonly string[]) => fields.filter((field) => field.startsWith('answer.'));

interface Receipt {
  notes: { field: string; what: string; detail: string }[];
}
const fieldsOf = ({ notes }: Receipt) => notes.map(({ field }) => field);

/** The answer, and the fields that its log row names. */
async function ask(path: string, body: object) {
  const token = await relay.token();
  const response = await relay.post(path, token.key, body, { 'x-tollgate-report': '1' });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringContaining('Hello')]);
  const [row] = await eventually(
    () => relay.logs(token.userId),
    (rows) => rows.length > 0,
  );
  const { conversion } = JSON.parse(row?.other ?? '{}') as { conversion: Receipt };
  const header = JSON.parse(response.headers.get('x-tollgate-conversion') ?? '{"notes":[]}') as Receipt;
  return { logged: noted(fieldsOf(conversion)), shown: noted(fieldsOf(header)) };
}

test('a whole answer names its losses in the log row and in the header (W28)', async () => {
  const message = { role: 'assistant', content: 'Hello' };
  const choice = { index: 0, message, finish_reason: 'stop', logprobs };
  upstream.answer = () => Response.json({ ...head, object: 'chat.completion', choices: [choice], usage });
  const lost = ['answer.logprobs'];
  expect(await ask('/v1/messages', { ...messages, model: 'm-chat' })).toEqual({ logged: lost, shown: lost });
  // The caller of Responses gets them, so nothing is noted.
  expect(await ask('/v1/responses', { input: 'Hi', model: 'm-chat' })).toEqual({ logged: [], shown: [] });
});

test('a stream names its losses in the log row once, however many events lost something (W28)', async () => {
  const chunk = (delta: object, rest: object = {}) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...rest }] });
  upstream.answer = () =>
    events(
      chunk({ role: 'assistant', content: 'Hello' }),
      ...Array.from({ length: 20 }, () => chunk({ content: ' there' }, { logprobs })),
      chunk({}, { finish_reason: 'stop' }),
      event({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
      'data: [DONE]\n\n',
    );
  const { logged } = await ask('/v1/messages', { ...messages, model: 'm-chat', stream: true });
  expect(logged).toEqual(['answer.logprobs']);
});

test('a block of another vendor’s own that the caller cannot read is named (W28)', async () => {
  upstream.answer = () =>
    Response.json({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        { type: 'text', text: 'Hello' },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 2 },
    });
  const lost = ['answer.server_tool_use'];
  const body = { model: 'm-claude', messages: messages.messages };
  expect(await ask('/v1/chat/completions', body)).toEqual({ logged: lost, shown: lost });
});

test('members that no codec knows are named, of a whole answer and of a stream (W28)', async () => {
  const citations = ['https://example.com'];
  const message = { role: 'assistant', content: 'Hello', mood: 'good' };
  const choice = { index: 0, message, finish_reason: 'stop' };
  upstream.answer = () =>
    Response.json({ ...head, object: 'chat.completion', choices: [choice], usage, citations });
  const whole = ['answer.choices.message.mood', 'answer.citations'];
  expect(await ask('/v1/messages', { ...messages, model: 'm-chat' })).toEqual({
    logged: whole,
    shown: whole,
  });

  const chunk = (delta: object, rest: object = {}) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...rest }], citations });
  upstream.answer = () =>
    events(
      chunk({ role: 'assistant', content: 'Hello' }),
      ...Array.from({ length: 20 }, () => chunk({ content: ' there', mood: 'good' })),
      chunk({}, { finish_reason: 'stop' }),
      event({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
      'data: [DONE]\n\n',
    );
  const { logged } = await ask('/v1/messages', { ...messages, model: 'm-chat', stream: true });
  expect(logged).toEqual(['answer.citations', 'answer.choices.delta.mood']);
});

test('a caller of the upstream’s own format gets every member, and nothing is noted (W28)', async () => {
  const message = { role: 'assistant', content: 'Hello', mood: 'good' };
  upstream.answer = () =>
    Response.json({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
  const token = await relay.token();
  const body = { model: 'm-chat', messages: messages.messages };
  const response = await relay.post('/v1/chat/completions', token.key, body, { 'x-tollgate-report': '1' });
  expect(await response.text()).toContain('"mood":"good"');
  expect(response.headers.get('x-tollgate-conversion')).toBeNull();
});
