// `WORKERS=N`: the parent serves nothing and keeps N child processes running on the shared port. It migrates and creates
// the first user before any child starts.
import { createApplication } from '#server/app/app.ts';
import type { Environment } from '#server/platform/env.ts';
import { CommandError } from './explain.ts';
import { firstStartBox } from '#server/app/first-start.ts';
import { localAddress, reservePort } from './port.ts';

/** Set in the environment of the children: the number of the worker and the process id of its parent. */
export const WORKER_VARIABLE = 'TOLLGATE_WORKER';
const PARENT_VARIABLE = 'TOLLGATE_WORKER_PARENT';

/** Exit code of a process whose node name another process has taken: starting it again would take the name back. */
export const SUPERSEDED = 3;

const SLOWEST_RESTART_MS = 10_000;
/** A child that lived this long was healthy; its restart starts from the shortest pause again. */
const HEALTHY_MS = 60_000;
/** After this many early ends in a row the whole start is given up. */
const MOST_EARLY_ENDS = 4;
const PARENT_LOOK_MS = 500;

/** Resolves when the parent of this worker is gone, also after kill -9. Without a parent it would serve for ever. */
export async function parentGone(): Promise<void> {
  const parent = Number(process.env[PARENT_VARIABLE]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    resolve();
  }, PARENT_LOOK_MS);
  watch.unref();
  await promise;
}

/** How this program is started: by Bun with its entry, or as a one-file executable, which is its own entry. */
const ownCommand = (): string[] =>
  Bun.main.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, Bun.main];

/** `command` runs one worker. */
export async function superviseWorkers(
  environment: Environment,
  say: (line: string) => void,
  command: readonly string[] = [...ownCommand(), 'start'],
): Promise<number> {
  if (environment.port === 0)
    throw new CommandError('PORT must be a number above 0 when WORKERS is more than 1.');
  const url = localAddress(environment);
  const port = reservePort(environment);
  try {
    const prepared = await createApplication(environment, { onStep: (step) => say(`${step} …`) });
    if (prepared.firstStart) console.log(firstStartBox(prepared.firstStart, url));
    await prepared.close();
  } finally {
    port.release();
  }

  let exitCode = 0;
  const stop = Promise.withResolvers<void>();
  const children = new Set<Bun.Subprocess>();
  let stopping = false;
  const end = () => {
    stopping = true;
    for (const child of children) child.kill('SIGTERM');
    stop.resolve();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);

  function giveUp(index: number, reason: string): void {
    console.error(`tollgate: worker ${index} ${reason}; giving up`);
    exitCode = 1;
    end();
  }

  async function keepAlive(index: number): Promise<void> {
    let pauseMs = 250;
    let earlyEnds = 0;
    for (;;) {
      const bornAt = performance.now();
      const child = Bun.spawn([...command], {
        env: {
          ...process.env,
          [WORKER_VARIABLE]: String(index),
          [PARENT_VARIABLE]: String(process.pid),
        },
        stdio: ['ignore', 'inherit', 'inherit'],
        // Workers ask each other for their figures (server/operating/telemetry/siblings.ts); the parent only passes messages on.
        ipc: (message) => {
          for (const other of children) if (other !== child) other.send(message);
        },
      });
      children.add(child);
      const code = await child.exited;
      children.delete(child);
      if (stopping) return;
      if (code === SUPERSEDED) return giveUp(index, 'was replaced by another process');
      const wasHealthy = performance.now() - bornAt > HEALTHY_MS;
      earlyEnds = wasHealthy ? 0 : earlyEnds + 1;
      pauseMs = wasHealthy ? 250 : Math.min(SLOWEST_RESTART_MS, pauseMs * 2);
      if (earlyEnds >= MOST_EARLY_ENDS)
        return giveUp(index, `ended ${earlyEnds} times right after its start`);
      console.error(`tollgate: worker ${index} ended with ${code}, starting it again in ${pauseMs} ms`);
      await Promise.race([Bun.sleep(pauseMs), stop.promise]);
    }
  }

  say(`starting ${environment.workers} workers at ${url}`);
  await Promise.all(Array.from({ length: environment.workers }, (_, index) => keepAlive(index + 1)));
  say('stopped');
  return exitCode;
}
