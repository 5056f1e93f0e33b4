// `WORKERS=N`: the parent serves nothing and keeps N child processes running on the shared port. It migrates and creates
// the first user before any child starts.
import { createApplication } from '#server/app.ts';
import type { Environment } from '#server/env.ts';
import { CommandError } from './explain.ts';
import { firstStartBox } from './first-start.ts';

/** Set in the environment of the children. */
export const WORKER_VARIABLE = 'TOLLGATE_WORKER';

const SLOWEST_RESTART_MS = 10_000;
/** A child that lived this long was healthy; its restart starts from the shortest pause again. */
const HEALTHY_MS = 60_000;
/** After this many early ends in a row the whole start is given up. */
const MOST_EARLY_ENDS = 4;

export async function superviseWorkers(environment: Environment): Promise<number> {
  if (environment.port === 0)
    throw new CommandError('PORT must be a number above 0 when WORKERS is more than 1.');
  const url = `http://localhost:${environment.port}`;
  const prepared = await createApplication(environment, {
    onStep: (step) => console.log(`tollgate: ${step} …`),
  });
  if (prepared.firstStart) console.log(firstStartBox(prepared.firstStart, url));
  await prepared.close();

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

  async function keepAlive(index: number): Promise<void> {
    let pauseMs = 250;
    let earlyEnds = 0;
    for (;;) {
      const bornAt = performance.now();
      const child = Bun.spawn([process.execPath, Bun.main, 'start'], {
        env: { ...process.env, [WORKER_VARIABLE]: String(index) },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      children.add(child);
      const code = await child.exited;
      children.delete(child);
      if (stopping) return;
      const wasHealthy = performance.now() - bornAt > HEALTHY_MS;
      earlyEnds = wasHealthy ? 0 : earlyEnds + 1;
      pauseMs = wasHealthy ? 250 : Math.min(SLOWEST_RESTART_MS, pauseMs * 2);
      if (earlyEnds >= MOST_EARLY_ENDS) {
        console.error(`tollgate: worker ${index} ended ${earlyEnds} times right after its start; giving up`);
        exitCode = 1;
        end();
        return;
      }
      console.error(`tollgate: worker ${index} ended with ${code}, starting it again in ${pauseMs} ms`);
      await Promise.race([Bun.sleep(pauseMs), stop.promise]);
    }
  }

  console.log(`tollgate: starting ${environment.workers} workers at ${url}`);
  await Promise.all(Array.from({ length: environment.workers }, (_, index) => keepAlive(index + 1)));
  console.log('tollgate: stopped');
  return exitCode;
}
