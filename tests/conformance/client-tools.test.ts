// OpenAI's tools that the client runs (local_shell, shell, apply_patch) on upstreams of every format: what the upstream got,
// what the client got back, and what became of calls and results in the history.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import type { Behaviour } from '#mock/upstream/index.ts';

setDefaultTimeout(20_000);

type Json = Record<string, unknown>;

/** Chat, Messages and Gemini. */
const foreign = ['gpt-4o', 'claude-opus-4-5', 'gemini-3-pro-preview'];
const native = 'o3-pro';

let relay: RelayHarness;
let token: TestToken;

beforeAll(async () => {
  relay = await startRelay();
  const types = [CHANNEL_TYPE.submodel, CHANNEL_TYPE.anthropic, CHANNEL_TYPE.gemini];
  for (const [index, type] of types.entries()) await relay.channel({ type, models: [foreign[index] ?? ''] });
  await relay.channel({ type: CHANNEL_TYPE.openAi, models: [native] });
  token = await relay.token();
});
afterAll(() => relay[Symbol.asyncDispose]());

async function send(body: Json): Promise<string> {
  const answer = await relay.post('/v1/responses', token.key, body);
  const content = await answer.text();
  expect([answer.status, answer.status === 200 ? '' : content]).toEqual([200, '']);
  return content;
}

async function behaving<T>(behaviour: Behaviour, work: () => Promise<T>): Promise<T> {
  const stop = relay.mock.behave(behaviour);
  try {
    return await work();
  } finally {
    stop();
  }
}

const isReasoning = ({ type }: Json) => type === 'reasoning';

/** The items without the reasoning that keeps Gemini's signatures. */
const outputOf = async (body: Json) =>
  (JSON.parse(await send(body)) as { output: Json[] }).output.filter((item) => !isReasoning(item));

const eventsOf = async (body: Json) =>
  (await send({ ...body, stream: true })).split('\n\n').flatMap((block) => {
    const data = /^data: (\{.*)$/m.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as Json];
  });

const received = (): string => JSON.stringify(relay.mock.requests.at(-1)?.body);

const notesOf = async (): Promise<string[]> => {
  const row = await relay.lastLog(token.userId);
  const { conversion } = JSON.parse(row.other) as { conversion?: { notes: Record<string, string>[] } };
  // Messages needs a limit, which these callers do not give.
  const notes = (conversion?.notes ?? []).filter(({ field }) => field !== 'max_tokens');
  return notes.map(({ field, what }) => `${field} ${what}`);
};

interface Case {
  tool: Json;
  /** What a model that was told of a function calls it with. */
  arguments: Json;
  call: Json;
  result: Json;
  /** Texts of the result that the model must read. */
  told: string[];
}

const diff = '@@\n-old\n+new';

const cases: Readonly<Record<string, Case>> = {
  local_shell: {
    tool: { type: 'local_shell' },
    arguments: { command: ['ls', '-l'], working_directory: '/repo', timeout_ms: 900 },
    call: {
      type: 'local_shell_call',
      action: {
        type: 'exec',
        command: ['ls', '-l'],
        env: {},
        working_directory: '/repo',
        timeout_ms: 900,
      },
    },
    result: { type: 'local_shell_call_output', output: '{"output":"bridge.ts"}' },
    told: ['bridge.ts'],
  },
  shell: {
    tool: { type: 'shell', environment: { type: 'local' } },
    arguments: { commands: ['ls', 'pwd'], timeout_ms: 900 },
    call: {
      type: 'shell_call',
      action: { commands: ['ls', 'pwd'], timeout_ms: 900, max_output_length: null },
      environment: { type: 'local' },
    },
    result: {
      type: 'shell_call_output',
      output: [{ stdout: 'bridge.ts', stderr: 'slow disk', outcome: { type: 'exit', exit_code: 3 } }],
    },
    told: ['bridge.ts', 'slow disk', 'exit_code'],
  },
  apply_patch: {
    tool: { type: 'apply_patch' },
    arguments: { type: 'update_file', path: 'bridge.ts', diff },
    call: { type: 'apply_patch_call', operation: { type: 'update_file', path: 'bridge.ts', diff } },
    result: { type: 'apply_patch_call_output', status: 'failed', output: 'no such line' },
    told: ['failed', 'no such line'],
  },
};

const matrix = foreign.flatMap((model) => Object.keys(cases).map((kind) => [kind, model] as const));

describe.each(matrix)('%s on %s', (kind, model) => {
  const { tool, call, result, told, arguments: given } = cases[kind] as Case;
  const calling: Behaviour = { toolCalls: [{ name: kind, arguments: JSON.stringify(given) }] };
  const asked = { model, input: 'Look.', tools: [tool] };

  test('the upstream gets a function with the documented arguments, noted (W39)', async () => {
    await send(asked);
    expect(received()).toContain(`"name":"${kind}"`);
    for (const name of Object.keys(given)) expect(received()).toContain(`"${name}":{`);
    expect(await notesOf()).toEqual([`tools.${kind} approximated`]);
  });

  test('a call comes back as the item of the tool, whole and streamed (W39)', async () => {
    const done = { ...call, status: 'completed' };
    const [item] = await behaving(calling, () => outputOf(asked));
    expect(item).toMatchObject(done);
    expect(item?.['call_id']).toBeString();
    const streamed = await behaving(calling, () => eventsOf(asked));
    const itemsOf = (type: string) =>
      streamed.filter((event) => event['type'] === type && !isReasoning((event['item'] ?? {}) as Json));
    expect(itemsOf('response.output_item.added')).toMatchObject([
      { item: { type: call['type'], status: 'in_progress' } },
    ]);
    expect(itemsOf('response.output_item.done')).toMatchObject([{ item: done }]);
    expect(streamed.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { output: expect.arrayContaining([expect.objectContaining(done)]) as Json[] },
    });
    const commands = itemsOf('response.shell_call_command.done').map(({ command }) => command);
    expect(commands).toEqual(kind === 'shell' ? ['ls', 'pwd'] : []);
  });

  test('the call and its result reach the upstream with the next turn, with no note of a loss (W39)', async () => {
    const [item] = await behaving(calling, () => outputOf(asked));
    const id = item?.['call_id'];
    const named = kind === 'local_shell' ? { id } : { call_id: id };
    const input = [{ role: 'user', content: 'Look.' }, item, { ...result, ...named }];
    await send({ ...asked, input });
    const sent = received();
    for (const text of told) expect(sent).toContain(text);
    expect(sent).toContain(kind === 'apply_patch' ? '-old' : 'ls');
    expect((await notesOf()).filter((note) => note.endsWith('dropped'))).toEqual([]);
  });
});

test.each(Object.keys(cases))(
  'OpenAI’s own Responses gets %s, its call and its result as they are (W39)',
  async (kind) => {
    const { tool, call, result } = cases[kind] as Case;
    const input = [
      { role: 'user', content: 'Look.' },
      { id: 'item_1', status: 'completed', call_id: 'call_1', ...call },
      { call_id: 'call_1', ...result },
    ];
    await send({ model: native, input, tools: [tool] });
    expect(relay.mock.requests.at(-1)?.body).toMatchObject({ input, tools: [tool] });
  },
);

test.each(foreign)(
  'a function named as the tool is another tool, and each call finds its own on %s (W39)',
  async (model) => {
    const parameters = { type: 'object', properties: { line: { type: 'string' } } };
    const tools = [{ type: 'function', name: 'shell', parameters, strict: false }, { type: 'shell' }];
    await send({ model, input: 'Look.', tools });
    const names = [...received().matchAll(/"name":"(shell[^"]*)"/g)].map(([, name = '']) => name);
    expect(names[0]).toBe('shell');
    const [, other = ''] = names;
    expect(other).not.toBe('shell');
    const toolCalls = [
      { name: 'shell', arguments: '{"line":"ls"}' },
      { name: other, arguments: '{"commands":["pwd"]}' },
    ];
    const output = await behaving({ toolCalls }, () => outputOf({ model, input: 'Look.', tools }));
    expect(output).toMatchObject([
      { type: 'function_call', name: 'shell', arguments: '{"line":"ls"}' },
      { type: 'shell_call', action: { commands: ['pwd'] } },
    ]);
  },
);

test.each(foreign)(
  'arguments that are not the tool’s are no commands, and the model sees them again on %s (W39)',
  async (model) => {
    const tools = [{ type: 'shell' }, { type: 'apply_patch' }];
    const toolCalls = [
      { name: 'shell', arguments: '{"line":"ls"}' },
      { name: 'apply_patch', arguments: '{"patch":"+ a"}' },
    ];
    const output = await behaving({ toolCalls }, () => outputOf({ model, input: 'Look.', tools }));
    expect(output).toMatchObject([
      { type: 'shell_call', status: 'incomplete', action: { commands: [] } },
      { type: 'apply_patch_call', operation: { path: '', diff: '{"patch":"+ a"}' } },
    ]);
    const results = output.map(({ call_id }) => ({
      type: 'function_call_output',
      call_id,
      output: 'Not understood.',
    }));
    await send({ model, input: [{ role: 'user', content: 'Look.' }, ...output, ...results], tools });
    const sent = received().replaceAll('\\"', '"');
    expect(sent).toContain('"line":"ls"');
    expect(sent).toContain('"patch":"+ a"');
    expect((await notesOf()).filter((note) => note.endsWith('dropped'))).toEqual([]);
  },
);

test.each(foreign)('a forced tool is forced, and skills are told, on %s (W39)', async (model) => {
  const skills = [{ name: 'bridges', path: '/skills/bridges', description: 'Builds bridges.' }];
  const tools = [{ type: 'shell', environment: { type: 'local', skills } }, { type: 'apply_patch' }];
  await send({ model, input: 'Look.', tools, tool_choice: { type: 'apply_patch' } });
  const { tool_choice: ofOthers, toolConfig } = (relay.mock.requests.at(-1)?.body ?? {}) as Json;
  expect(JSON.stringify(ofOthers ?? toolConfig)).toContain('apply_patch');
  expect(received()).toContain('/skills/bridges');
});

test.each(foreign)(
  'a shell in a container of OpenAI’s is no tool of the client: noted, and refused to a strict caller on %s (W39)',
  async (model) => {
    const tools = [{ type: 'shell', environment: { type: 'container_auto' } }];
    await send({ model, input: 'Look.', tools });
    expect(await notesOf()).toEqual(['tools.shell dropped']);
    const refused = await relay.post(
      '/v1/responses',
      token.key,
      { model, input: 'Look.', tools },
      { 'x-tollgate-strict': 'true' },
    );
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('tools.shell');
  },
);
