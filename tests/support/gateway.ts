// The real process: `bun server/main.ts start` on a free port, with its own data directory, to be stopped or killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import runtime from '../../scripts/runtime.json';

const MAIN = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
const START_PATIENCE_MS = 20_000;

export interface Gateway {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly startedInMs: number;
  /** What the process has printed so far. */
  output(): string;
  /** SIGTERM, then its exit code. */
  stop(): Promise<number>;
  /** SIGKILL: no goodbye. */
  kill9(): Promise<void>;
  /** Removes the data directory, if this launcher made it. */
  remove(): void;
}

export interface GatewayOptions {
  dataDir?: string;
  environment?: Record<string, string>;
  /** Known beforehand when several workers share a port: the parent serves nothing and prints no ready line. */
  readyUrl?: string;
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const ownDirectory = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), 'tollgate-gateway-'));
  const startedAt = performance.now();
  const run = runTollgate(['start'], {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    ...options.environment,
  });
  const url = options.readyUrl ?? (await waitForUrl(run));
  await waitUntilReady(url, run);
  return {
    url,
    port: Number(new URL(url).port),
    pid: run.process.pid,
    dataDir,
    startedInMs: performance.now() - startedAt,
    output: () => run.output(),
    async stop() {
      run.process.kill('SIGTERM');
      return await run.process.exited;
    },
    async kill9() {
      run.process.kill('SIGKILL');
      await run.process.exited;
    },
    remove() {
      if (ownDirectory) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

interface Run {
  process: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  output(): string;
}

/** The command line as a child, without the variables of this process that would configure it. */
export function runTollgate(args: readonly string[], environment: Record<string, string>): Run {
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: { PATH, HOME, ...runtime, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
    })();
  }
  return { process: child, output: () => text };
}

/** A command that ends by itself: its exit code and everything it printed. */
export async function tollgate(
  args: readonly string[],
  environment: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const run = runTollgate(args, environment);
  const code = await run.process.exited;
  // The pipes may hold a last chunk that the exit overtook.
  await Bun.sleep(20);
  return { code, output: run.output() };
}

async function waitForUrl(run: Run): Promise<string> {
  return await waitFor(run, 'say its address', () => /ready at (\S+)/.exec(run.output())?.[1]);
}

async function waitUntilReady(url: string, run: Run): Promise<void> {
  await waitFor(run, 'become ready', async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    return answer?.ok ? true : undefined;
  });
}

async function waitFor<T>(
  run: Run,
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + START_PATIENCE_MS;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    if (run.process.exitCode !== null) break;
    await Bun.sleep(10);
  }
  run.process.kill('SIGKILL');
  throw new Error(`the gateway did not ${what}:\n${run.output()}`);
}
