// The real process: `bun server/cli/main.ts start` on a free port with its own data directory. A whole `npm test` without CI starts
// the same modules from few files (scripts/bundle-server.ts).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import runtime from '../../scripts/runtime.json';
import { LOOPBACK_HOSTS } from './loopback.ts';
import { startPatience } from './machine.ts';

const MAIN =
  process.env['SERVER_FOR_TESTS'] ?? fileURLToPath(new URL('../../server/cli/main.ts', import.meta.url));
const START_PATIENCE_MS = 60_000;

export interface Gateway {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly startedInMs: number;
  /** The output so far. */
  output(): string;
  /** Resolves when the process and every process it started have ended: they share its output. */
  allEnded: Promise<void>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>;
  /** SIGKILL: without a shutdown. */
  kill9(): Promise<void>;
  /** Removes the data directory, if this launcher made it. */
  remove(): void;
}

export interface GatewayOptions {
  dataDir?: string;
  environment?: Record<string, string>;
  /** Given when several workers share a port: the parent serves nothing and prints no ready line. */
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
    allEnded: run.allEnded,
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
  allEnded: Promise<void>;
}

/** The command line as a child process, without this process's configuration variables. */
export function runTollgate(args: readonly string[], environment: Record<string, string>): Run {
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: { PATH, HOME, EGRESS_ALLOW: LOOPBACK_HOSTS, ...runtime, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const ends = [child.stdout, child.stderr].map(async (stream) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  });
  return { process: child, output: () => text, allEnded: Promise.all(ends).then(() => {}) };
}

/** Runs a command to its end: exit code and output. */
export async function tollgate(
  args: readonly string[],
  environment: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const run = runTollgate(args, environment);
  const code = await run.process.exited;
  await run.allEnded;
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
  const isOver = startPatience(START_PATIENCE_MS);
  while (!isOver()) {
    const found = await look();
    if (found !== undefined) return found;
    if (run.process.exitCode !== null) break;
    await Bun.sleep(10);
  }
  run.process.kill('SIGKILL');
  throw new Error(`the gateway did not ${what}:\n${run.output()}`);
}
