// Caddy with the configuration of docs/guides/reverse-proxy.md. Installed from Debian when the tests run as root.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installFromDebian } from './debian.ts';
import { changedExample, freePort, untilAnswered } from './guide-example.ts';

const BINARY = '/usr/bin/caddy';

/** Why Caddy cannot be tested here; undefined when it can. */
export const whyNoCaddy = (): string | undefined =>
  installFromDebian([{ package: 'caddy', binary: BINARY, service: 'caddy' }]);

export interface Caddy extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

/** Starts the proxy with the guide's configuration in front of this application. `changes` replaces texts of the guide. */
export async function startCaddy(
  upstreamPort: number,
  changes: Readonly<Record<string, string>>,
): Promise<Caddy> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tollgate-caddy-'));
  const port = freePort();
  const site = changedExample('reverse-proxy', 'caddy', {
    '127.0.0.1:3000': `127.0.0.1:${upstreamPort}`,
    ':80 {': `:${port} {\n\tbind 127.0.0.1`,
    // Without the port on which Caddy takes commands.
    '{\n\tservers': '{\n\tadmin off\n\tservers',
    ...changes,
  });
  const file = path.join(directory, 'Caddyfile');
  writeFileSync(file, site);
  const output = path.join(directory, 'output');
  const child = Bun.spawn([BINARY, 'run', '--config', file, '--adapter', 'caddyfile'], {
    env: { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    stdout: 'ignore',
    stderr: Bun.file(output),
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswered(child, url, () => readFileSync(output, 'utf8'));
  return {
    port,
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
