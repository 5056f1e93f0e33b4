// nginx with the configuration of docs/guides/reverse-proxy.md. Installed from Debian when the tests run as root.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const GUIDE = fileURLToPath(new URL('../../docs/guides/reverse-proxy.md', import.meta.url));
const BINARY = '/usr/sbin/nginx';
const START_PATIENCE_MS = 10_000;

/** Why nginx cannot be tested here; undefined when it can. */
export function whyNoNginx(): string | undefined {
  if (existsSync(BINARY)) return undefined;
  if (process.getuid?.() !== 0) return 'nginx is not installed and the tests do not run as root';
  const { exitCode, stderr } = Bun.spawnSync(
    ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'nginx-light'],
    { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }, timeout: 120_000 },
  );
  return exitCode === 0 && existsSync(BINARY)
    ? undefined
    : `nginx could not be installed: ${stderr.toString().trim().split('\n').at(-1)}`;
}

export interface Nginx extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Exchanges a text of the configuration, and resolves when no worker with the old one is left. */
  change(from: string, to: string): Promise<void>;
}

/** The guide's configuration before this application. `changes`: texts of the guide and what stands in their place. */
export async function startNginx(
  upstreamPort: number,
  changes: Readonly<Record<string, string>>,
): Promise<Nginx> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tollgate-nginx-'));
  mkdirSync(path.join(directory, 'logs'));
  const port = freePort();
  let site = /```nginx\n([^]*?)```/.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const all = {
    '127.0.0.1:3000': `127.0.0.1:${upstreamPort}`,
    'listen 80;': `listen 127.0.0.1:${port};`,
    ...changes,
  };
  for (const [from, to] of Object.entries(all)) {
    if (!site.includes(from)) throw new Error(`the guide does not say ${from}`);
    site = site.replaceAll(from, to);
  }
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
        'events {}',
        `http { access_log off; ${temporary.join(' ')}`,
        site,
        '}',
      ].join('\n'),
    );
  write();
  const child = Bun.spawn([BINARY, '-p', directory, '-c', file], { stdout: 'ignore', stderr: 'pipe' });
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + START_PATIENCE_MS;
  for (;;) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    if (answer?.ok === true) break;
    if (child.exitCode !== null || performance.now() > until)
      throw new Error(`nginx did not start: ${await new Response(child.stderr).text()}`);
    await Bun.sleep(50);
  }
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

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
