// nginx with the configuration of docs/guides/reverse-proxy.md. Installed from Debian when the tests run as root.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installFromDebian } from './debian.ts';
import { changedExample, freePort, untilAnswered } from './guide-example.ts';

const BINARY = '/usr/sbin/nginx';

/** Why nginx cannot be tested here; undefined when it can. */
export const whyNoNginx = (): string | undefined =>
  installFromDebian([{ package: 'nginx-light', binary: BINARY, service: 'nginx' }]);

export interface Nginx extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Exchanges a text of the configuration, and resolves when no worker with the old one is left. */
  change(from: string, to: string): Promise<void>;
}

/** Starts the proxy with the guide's configuration in front of this application. `changes` replaces texts of the guide. */
export async function startNginx(
  upstreamPort: number,
  changes: Readonly<Record<string, string>>,
): Promise<Nginx> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tollgate-nginx-'));
  mkdirSync(path.join(directory, 'logs'));
  const port = freePort();
  let site = changedExample('reverse-proxy', 'nginx', {
    '127.0.0.1:3000': `127.0.0.1:${upstreamPort}`,
    'listen 80;': `listen 127.0.0.1:${port};`,
    ...changes,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  const file = path.join(directory, 'nginx.conf');
  const write = () =>
    writeFileSync(
      file,
      [
        process.getuid?.() === 0 ? 'user root;' : '',
        `pid ${directory}/pid;`,
        `error_log ${directory}/logs/error.log;`,
        'daemon off;',
        'events { worker_connections 4096; }',
        `http { access_log off; ${temporary.join(' ')}`,
        site,
        '}',
      ].join('\n'),
    );
  write();
  const child = Bun.spawn([BINARY, '-p', directory, '-c', file], { stdout: 'ignore', stderr: 'pipe' });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswered(child, url, () => new Response(child.stderr).text());
  return {
    port,
    url,
    async change(from, to) {
      if (!site.includes(from)) throw new Error(`the configuration does not say ${from}`);
      site = site.replaceAll(from, to);
      write();
      const old = workersOf(child.pid);
      child.kill('SIGHUP');
      while (workersOf(child.pid).some((worker) => old.includes(worker))) await Bun.sleep(50);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const workersOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
