// `tollgate start`: a line per step, then the address, then serve until a signal asks for the end.
import { hostname } from 'node:os';
import type { Log } from '#contract/context.ts';
import { createApplication } from '#server/app.ts';
import type { Environment } from '#server/env.ts';
import type { FirstStart } from './first-start.ts';
import { superviseWorkers } from './workers.ts';

/** Set for the children of a start with several workers. */
export const WORKER_VARIABLE = 'TOLLGATE_WORKER';

const IMPATIENCE_MS = 1000;

export async function start(environment: Environment): Promise<number> {
  const worker = process.env[WORKER_VARIABLE];
  if (environment.workers > 1 && worker === undefined) return await superviseWorkers(environment);
  const startedAt = performance.now();
  const say = worker === undefined ? (line: string) => console.log(`tollgate: ${line}`) : () => {};
  const application = await createApplication(environment, {
    onStep: (step) => say(`${step} …`),
    ...(worker === undefined
      ? {}
      : { sharedPort: true, nodeId: `${hostname()}:${environment.port}:${worker}` }),
  });
  let url: string;
  try {
    ({ url } = application.listen());
  } catch (error) {
    await application.close();
    throw error;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (application.firstStart) console.log(firstStartBox(application.firstStart, url));
  say(`ready at ${url} (${seconds} s)`);

  const ending = await Promise.race([nextSignal(), firstFault(application.log)]);
  say(`${ending.reason}: finishing running calls …`);
  await application.close();
  say('stopped');
  return ending.code;
}

interface Ending {
  reason: string;
  code: number;
}

/**
 * A promise nobody waited for is a fault to be read about, not one to end every running call for. An exception out of
 * nowhere may have left something half done: finish what runs and let the supervisor start afresh.
 */
async function firstFault(log: Log): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error });
    resolve({ reason: 'uncaught exception', code: 1 });
  });
  return await promise;
}

async function nextSignal(): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  let firstAt = Infinity;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // Launchers pass on what the terminal sent to everybody, so the same signal may come twice at once. One that
      // comes later is a person who does not want to wait.
      if (performance.now() - firstAt > IMPATIENCE_MS) process.exit(130);
      firstAt = Math.min(firstAt, performance.now());
      resolve({ reason: signal, code: 0 });
    });
  }
  return await promise;
}

export function firstStartBox({ username, password, file }: FirstStart, url: string): string {
  const lines = [
    'Tollgate is set up. Sign in as the super admin:',
    '',
    `  address   ${url}`,
    `  username  ${username}`,
    `  password  ${password ?? 'the one in INITIAL_ROOT_PASSWORD'}`,
    ...(file ? ['', 'The password is shown this once. Until you change it, it is', `kept in ${file}`] : []),
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '─'.repeat(width + 2);
  return [`┌${rule}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${rule}┘`].join('\n');
}
