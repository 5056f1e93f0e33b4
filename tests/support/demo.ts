// Starts the demo as `npm run demo` does, as a separate process, on a free port.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import runtime from '../../scripts/runtime.json';

const MAIN = fileURLToPath(new URL('../../demo/main.ts', import.meta.url));

export interface Demo {
  readonly url: string;
  readonly dataDir: string;
  output(): string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>;
}

export interface DemoWish {
  calls: number;
  /** Default: a new one that is removed with the demo. */
  dataDir?: string;
  environment?: Record<string, string>;
}

export async function startDemo({ calls, dataDir, environment = {} }: DemoWish): Promise<Demo> {
  const own = dataDir === undefined ? mkdtempSync(path.join(tmpdir(), 'tollgate-demo-')) : undefined;
  const directory = dataDir ?? path.join(own ?? '', 'data');
  const { PATH = '', HOME = '', TZ } = process.env;
  const child = Bun.spawn([process.execPath, MAIN, '--data', directory, '--calls', String(calls)], {
    env: { PATH, HOME, ...(TZ === undefined ? {} : { TZ }), ...runtime, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      const url = /ready at (\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    }
    reject(new Error(`the demo ended:\n${text}`));
  })();
  return {
    url: await promise,
    dataDir: directory,
    output: () => text,
    async stop() {
      child.kill('SIGTERM');
      const code = await child.exited;
      if (own !== undefined) rmSync(own, { recursive: true, force: true });
      return code;
    },
  };
}
