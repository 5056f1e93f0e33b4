// The gateway with five upstreams, a user with a token, and the comparison of both sides' books after a run.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { ROOT_PASSWORD, startApplication, type TestApplication } from '#tests/support/application.ts';
import { startMockUpstream, type MockUpstream, type ServedRequest } from '#mock/upstream/index.ts';

/** A model is served by one upstream. */
export const upstreams = [
  { name: 'Anthropic', type: CHANNEL_TYPE.anthropic, model: 'claude-sonnet-4-5', key: 'sk-claude' },
  { name: 'OpenAI', type: CHANNEL_TYPE.openAi, model: 'gpt-5-codex', key: 'sk-openai' },
  // Refuses function tools on Chat while it reasons, as OpenAI's newest models do.
  { name: 'the newest OpenAI', type: CHANNEL_TYPE.openAi, model: 'gpt-5.6', key: 'sk-newest' },
  { name: 'a server of Chat only', type: CHANNEL_TYPE.openAi, model: 'qwen3-coder', key: 'sk-chat-only' },
  { name: 'Gemini', type: CHANNEL_TYPE.gemini, model: 'gemini-2.5-flash', key: 'sk-gemini' },
] as const;

export interface Scene extends AsyncDisposable {
  application: TestApplication;
  mock: MockUpstream;
  userId: number;
  /** With its prefix. */
  key: string;
}

export async function startScene(): Promise<Scene> {
  const mock = startMockUpstream();
  mock.behave({
    when: { path: '/v1/responses', key: 'chat-only' },
    behaviour: { status: 404, errorBody: { detail: 'Not Found' } },
  });
  const prices = Object.fromEntries(upstreams.map(({ model }) => [model, 1]));
  const application = await startApplication({ settings: { ModelRatio: JSON.stringify(prices) } });
  const root = await application.login('root', ROOT_PASSWORD);
  for (const { name, type, model, key } of upstreams)
    await application
      .client(root)
      .channels.create({ body: { name, type, key, base_url: mock.url, models: model, groups: 'default' } });
  const user = await application.actor({ quota: 1_000_000_000 });
  const [token] = await application
    .client(user)
    .tokens.create({ body: { name: 'client', unlimited_quota: true } });
  return {
    application,
    mock,
    userId: user.id,
    key: `sk-${token?.key}`,
    async [Symbol.asyncDispose]() {
      await application.close();
      await mock.stop();
    },
  };
}

export interface Position {
  requests: number;
  logId: number;
  balance: number;
}

async function balanceOf({ application, userId }: Scene): Promise<number> {
  const { quota } = await application.store.db
    .selectFrom('users')
    .select('quota')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return quota;
}

const chargesSince = ({ application, userId }: Scene, logId: number) =>
  application.store.db
    .selectFrom('logs')
    .select(['id', 'prompt_tokens', 'completion_tokens', 'quota', 'type', 'content'])
    .where('user_id', '=', userId)
    .where('id', '>', logId)
    .where('type', '=', 2)
    .orderBy('id')
    .execute();

export async function positionOf(scene: Scene): Promise<Position> {
  const rows = await chargesSince(scene, 0);
  return {
    requests: scene.mock.requests.length,
    logId: rows.at(-1)?.id ?? 0,
    balance: await balanceOf(scene),
  };
}

/** Answers of a model; counting and lists are not charged. */
export function answersSince({ mock }: Scene, position: Position): ServedRequest[] {
  return mock.requests
    .slice(position.requests)
    .filter(({ ending, usage }) => ending === 'complete' && usage.outputTokens > 0);
}

/** Differences between what the upstream counted, the log rows and the balance; empty when all agree. */
export async function bookFaults(scene: Scene, position: Position): Promise<string[]> {
  const answers = answersSince(scene, position);
  const rows = await eventually(
    () => chargesSince(scene, position.logId),
    (found) => found.length >= answers.length,
    10_000,
  );
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  const paid = position.balance - (await balanceOf(scene));
  const compared: [string, number, number][] = [
    ['answers', answers.length, rows.length],
    [
      'input tokens',
      sum(answers.map(({ usage }) => usage.inputTokens)),
      sum(rows.map((row) => row.prompt_tokens)),
    ],
    [
      'output tokens',
      sum(answers.map(({ usage }) => usage.outputTokens)),
      sum(rows.map((row) => row.completion_tokens)),
    ],
    ['charge', sum(rows.map(({ quota }) => quota)), paid],
  ];
  return compared
    .filter(([, expected, found]) => expected !== found)
    .map(([what, expected, found]) => `${what}: ${expected} at the upstream, ${found} in the gateway`);
}
