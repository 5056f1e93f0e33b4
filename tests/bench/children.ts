// The bench's processes: each tells its URL in its first line of output and ends when its standard input closes.
import type { FileSink, Subprocess } from 'bun';
import type { LoadJob, LoadResult } from './load-job.ts';

export interface Child {
  processId: number;
  url: string;
  stop: () => Promise<void>;
}

type Piped = Subprocess<'pipe', 'pipe', 'inherit'>;

/** Yields the lines a child prints; the bench reads them one at a time, as answers. */
async function* linesOf(child: Piped): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of child.stdout) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function start(script: string, environment: Record<string, string>): Piped {
  return Bun.spawn([process.execPath, script], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '20000', ...environment },
  });
}

async function stopChild(child: Piped): Promise<void> {
  child.kill();
  await child.exited;
}

export async function startProxy(upstream: string, environment: Record<string, string> = {}): Promise<Child> {
  const child = start(`${import.meta.dir}/bare-proxy.ts`, { UPSTREAM: upstream, ...environment });
  const first = await linesOf(child).next();
  if (first.done) throw new Error('the bare proxy did not start');
  const { url } = JSON.parse(first.value) as { url: string };
  return { processId: child.pid, url, stop: () => stopChild(child) };
}

export class LoadGenerator {
  readonly #child: Piped;
  readonly #lines: AsyncGenerator<string>;

  constructor() {
    this.#child = start(`${import.meta.dir}/load.ts`, {});
    this.#lines = linesOf(this.#child);
  }

  async run(job: LoadJob): Promise<LoadResult> {
    const input: FileSink = this.#child.stdin;
    void input.write(`${JSON.stringify(job)}\n`);
    void input.flush();
    const line = await this.#lines.next();
    if (line.done) throw new Error('the load generator ended');
    return JSON.parse(line.value) as LoadResult;
  }

  stop(): Promise<void> {
    return stopChild(this.#child);
  }
}
