// `tollgate start`: prints each step and the address, then serves until a signal.
import { hostname } from 'node:os';
import type { Log } from '#contract/context.ts';
import { createApplication } from '#server/app.ts';
import type { Environment } from '#server/env.ts';
import { firstStartBox } from './first-start.ts';
import { superviseWorkers, WORKER_VARIABLE } from './workers.ts';

const REPEATED_SIGNAL_MS = 1000;

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
 * An unhandled rejection is only logged: it must not end every running call. After an uncaught exception the state may be
 * inconsistent: finish running calls and exit, so that the supervisor starts a new process.
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
      // A launcher may pass on a signal that the terminal has sent to this process too, so one signal can arrive twice at
      // once. A later one comes from an operator who does not want to wait.
      if (performance.now() - firstAt > REPEATED_SIGNAL_MS) process.exit(130);
      firstAt = Math.min(firstAt, performance.now());
      resolve({ reason: signal, code: 0 });
    });
  }
  return await promise;
}
