// `tollgate start`: prints each step and the address, then serves until a signal.
import type { Log } from '#contract/context.ts';
import { createApplication, type Application, type ApplicationOptions } from '#server/app/app.ts';
import type { Environment } from '#server/platform/env.ts';
import { firstStartBox } from '#server/app/first-start.ts';
import { installationFile, nodeName } from '#server/platform/node-name.ts';
import { checkCertificate, localAddress, reservePort } from './port.ts';
import { addressWarning, startWarnings } from './start-warnings.ts';
import { parentGone, SUPERSEDED, superviseWorkers, WORKER_VARIABLE } from './workers.ts';

const REPEATED_SIGNAL_MS = 1000;

export const start = (environment: Environment): Promise<number> => startWith(environment);

export interface StartExtras {
  application?: ApplicationOptions;
  /** Called when the server listens. */
  onReady?: (url: string) => void;
  /** Called before running calls are finished. */
  onEnding?: () => void;
}

/** The extras are for one process: workers do not get them. */
export async function startWith(environment: Environment, extras: StartExtras = {}): Promise<number> {
  const worker = process.env[WORKER_VARIABLE];
  if (worker !== undefined) return await serve(environment, worker, () => {});
  const say = (line: string) => console.log(`tollgate: ${line}`);
  for (const warning of startWarnings(environment)) console.warn(`tollgate: ${warning}`);
  checkCertificate(environment);
  if (environment.workers > 1) return await superviseWorkers(environment, say);
  reservePort(environment).release();
  return await serve(environment, undefined, say, extras);
}

async function serve(
  environment: Environment,
  worker: string | undefined,
  say: (line: string) => void,
  { application: options, onReady, onEnding }: StartExtras = {},
): Promise<number> {
  const startedAt = performance.now();
  const application = await createApplication(environment, {
    ...options,
    onStep: (step) => say(`${step} …`),
    ...(worker === undefined ? {} : { sharedPort: true, nodeId: nodeName(environment, worker) }),
  });
  const { firstStart } = application;
  let url: string;
  try {
    ({ url } = application.listen());
  } catch (error) {
    // The super admin exists now, and a later start prints no password.
    if (firstStart) console.log(firstStartBox(firstStart, localAddress(environment)));
    await application.close();
    throw error;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (firstStart) console.log(firstStartBox(firstStart, url));
  say(`ready at ${url} (${seconds} s)`);
  onReady?.(url);
  const warning = addressWarning(application.settings.current.ServerAddress);
  if (warning !== undefined) say(warning);

  const ending = await Promise.race([
    nextSignal(),
    firstFault(application.log),
    untilSuperseded(application, environment),
    ...(worker === undefined ? [] : [untilParentExits(application.log)]),
  ]);
  say(`${ending.reason}: finishing running calls …`);
  onEnding?.();
  await application.close();
  say('stopped');
  return ending.code;
}

/** A node without its name admits no calls: it ends, so that the balancer or the kernel sends it no more connections. */
async function untilSuperseded({ superseded, log }: Application, { dataDir }: Environment): Promise<Ending> {
  await superseded;
  log.error('another process runs under the name of this node; this one ends', {
    remedy: `on a copy of another machine delete ${installationFile(dataDir)} and start again`,
  });
  return { reason: 'replaced by another process', code: SUPERSEDED };
}

async function untilParentExits(log: Log): Promise<Ending> {
  await parentGone();
  log.error('the parent of this worker is gone; the worker ends');
  return { reason: 'the parent is gone', code: 1 };
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
