// Tests every channel in the background, several at a time. A lease in the database makes it one run on all nodes:
// its epoch is the start, its expiry the heartbeat, an expiry of 0 asks the runner to stop. Results are stored in the
// channels' rows, so every node can show the progress.
import { ROLE } from '#contract/access.ts';
import { channelOtherInfo } from '#contract/relay/channel-fields.ts';
import type { TestRun } from '#contract/relay/channel-upstream.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import { wordsIn } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import { providerOf } from '#server/models/providers/index.ts';
import type { Kysely } from 'kysely';
import { extendLease, isStopped, stopLease, takeLease } from '#server/platform/store/leases.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { learnFormats } from './learn-formats.ts';
import { defaultTestModel } from './test-call.ts';
import { testRow, type Tester } from './test.ts';

const LEASE = 'channel-tests';
/** Below the 60 seconds of a single test: with hundreds of channels, dead upstreams must not keep the others waiting. */
const TIMEOUT_SECONDS = 30;
const AT_ONCE = 8;
/** Another node takes over from a dead runner after this time; longer than learning the formats and the longest test. */
const HEARTBEAT_SECONDS = TIMEOUT_SECONDS * 4;

export interface TestRuns {
  start(_: unknown, context: RequestContext): Promise<null>;
  progress(language: Language): Promise<TestRun>;
  stop(_: unknown, context: RequestContext): Promise<null>;
  /** Tests all channels in the name of the super admin, until the signal is aborted. False: another run is under way. */
  runAll(signal: AbortSignal): Promise<boolean>;
  /** Ends this node's run and aborts its current test. */
  close(): Promise<void>;
}

export function createTestRuns(dependencies: UpstreamDependencies): TestRuns {
  const { db } = dependencies.store;
  let running: Promise<void> | undefined;
  let controller = new AbortController();

  const acquire = (owner: string, connection: Kysely<Schema> = db): Promise<boolean> =>
    takeLease(
      connection,
      { name: LEASE, owner },
      { now: nowSeconds(dependencies), seconds: HEARTBEAT_SECONDS },
    );
  const renew = (owner: string, expiresAt: number): Promise<boolean> =>
    extendLease(db, { name: LEASE, owner }, expiresAt);

  async function run(owner: string, tester: Tester): Promise<void> {
    const { signal } = controller;
    const queue = (await allChannels(dependencies)).filter(isTestable);
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        if (signal.aborted || !(await renew(owner, nowSeconds(dependencies) + HEARTBEAT_SECONDS))) return;
        const row = await db
          .selectFrom('channels')
          .selectAll()
          .where('id', '=', next.id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (!row) continue;
        // An upstream may have got or lost a format since the last run.
        const learned = { ...row, refused_formats: await learnFormats(dependencies, row, signal) };
        await testRow(dependencies, learned, tester, { timeoutSeconds: TIMEOUT_SECONDS, signal });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // Expired one second ago, so that the next run may begin at once.
    await renew(owner, nowSeconds(dependencies) - 1);
  }

  function begin(owner: string, tester: Tester): void {
    controller = new AbortController();
    running = run(owner, tester).catch((error: unknown) => {
      dependencies.log.error('testing all channels ended early', { error });
    });
  }

  return {
    async start(_, context) {
      const { id, username } = callerOf(context);
      const owner = crypto.randomUUID();
      await db.transaction().execute(async (transaction) => {
        if (!(await acquire(owner, transaction))) throw new AppError('channel_tests_running');
        await context.audit(transaction, 'channel.test_all', 'channels');
      });
      begin(owner, { id, username });
      return null;
    },
    async runAll(signal) {
      const tester = await operator(dependencies);
      const owner = crypto.randomUUID();
      if (!(await acquire(owner))) return false;
      controller = new AbortController();
      const abort = () => controller.abort();
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      try {
        await run(owner, tester);
      } finally {
        signal.removeEventListener('abort', abort);
      }
      return true;
    },
    progress: (language) => progressOf(dependencies, language),
    async stop(_, context) {
      const now = nowSeconds(dependencies);
      await db.transaction().execute(async (transaction) => {
        const isEnded = await stopLease(transaction, LEASE, now);
        if (isEnded) await context.audit(transaction, 'channel.test_stop', 'channels');
      });
      // A run of another node ends after its current test.
      controller.abort();
      return null;
    },
    async close() {
      controller.abort();
      await running;
    },
  };
}

async function progressOf(dependencies: UpstreamDependencies, language: Language): Promise<TestRun> {
  const { db } = dependencies.store;
  const lease = await db.selectFrom('leases').selectAll().where('name', '=', LEASE).executeTakeFirst();
  const started = lease?.epoch ?? 0;
  const rows = started === 0 ? [] : await allChannels(dependencies);
  const results = rows.map((row) => resultOf(row, started, language));
  const testable = results.filter(({ result }) => result !== 'untestable');
  return {
    running: (lease?.expires_at ?? 0) >= nowSeconds(dependencies),
    stopped: isStopped(lease),
    started_at: started,
    total: testable.length,
    done: testable.filter(({ result }) => result !== 'waiting').length,
    results,
  };
}

/** Scheduled tests appear in the log of the super admin. */
async function operator({ store }: UpstreamDependencies): Promise<Tester> {
  const root = await store.db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('role', '=', ROLE.root)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return root ?? { id: 0, username: '' };
}

function allChannels({ store }: UpstreamDependencies): Promise<Row<'channels'>[]> {
  return store.db.selectFrom('channels').selectAll().where('deleted_at', 'is', null).orderBy('id').execute();
}

function isTestable(row: Row<'channels'>): boolean {
  return providerOf(row.type) !== undefined && defaultTestModel(row) !== undefined;
}

function resultOf(row: Row<'channels'>, started: number, language: Language): TestRun['results'][number] {
  const error = channelOtherInfo(row.other_info).test_error ?? '';
  const tested = error === '' ? 'passed' : 'failed';
  const { id, name, type, status } = row;
  const result = !isTestable(row) ? 'untestable' : row.test_time >= started ? tested : 'waiting';
  return {
    id,
    name,
    type,
    status,
    result,
    milliseconds: result === 'passed' ? row.response_time : 0,
    error: result === 'failed' ? wordsIn(language, error) : '',
  };
}
