// Two PostgreSQL servers under Patroni, etcd, and HAProxy in front: the programs of Debian with the files of docs/guides/failover.md.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installFromDebian } from './debian.ts';
import { changedExample, freePort } from './guide-example.ts';
import { childrenOf } from './postgres-pair.ts';
import { unprivileged } from './postgres.ts';

const PATIENCE_MS = 180_000;
const NAMES = ['pg1', 'pg2'] as const;
export type ServerName = (typeof NAMES)[number];

/** Why Patroni cannot be tested here; undefined when it can. */
export const whyNoPatroni = (): string | undefined =>
  installFromDebian([
    { package: 'patroni', binary: '/usr/bin/patroni', service: 'patroni' },
    { package: 'etcd-server', binary: '/usr/bin/etcd', service: 'etcd' },
    { package: 'haproxy', binary: '/usr/sbin/haproxy', service: 'haproxy' },
    { package: 'postgresql-15', binary: '/usr/lib/postgresql/15/bin/postgres', service: 'postgresql' },
  ]);

export interface PatroniCluster extends AsyncDisposable {
  /** Through HAProxy. */
  readonly url: string;
  /** The role that Patroni gives to a server; undefined when its Patroni does not answer. */
  roleOf(name: ServerName): Promise<string | undefined>;
  /** Resolves with the server that has the role when there is one; `name`: when it is this one. */
  untilRole(role: 'leader' | 'sync_standby', name?: ServerName): Promise<ServerName>;
  /** kill -9 of Patroni and of every process of its PostgreSQL. Returns how many processes that were. */
  kill(name: ServerName): number;
  /** Starts the server's Patroni again. */
  restart(name: ServerName): Promise<void>;
}

interface Ports {
  postgres: number;
  rest: number;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tollgate-patroni-'));
  const own = (...parts: string[]) => path.join(directory, ...parts);
  const password = randomBytes(12).toString('hex');
  const ports: Record<ServerName, Ports> = {
    pg1: { postgres: freePort(), rest: freePort() },
    pg2: { postgres: freePort(), rest: freePort() },
  };
  const [etcdPort, peerPort, haproxyPort] = [freePort(), freePort(), freePort()];
  for (const name of ['etcd', ...NAMES]) mkdirSync(own(name), { mode: 0o700 });
  for (const name of NAMES) writeFileSync(own(name, 'config.yml'), serverFile(name));
  writeFileSync(own('haproxy.cfg'), haproxyFile());
  for (const name of ['', 'etcd', ...NAMES])
    if (unprivileged.uid !== undefined) chownSync(own(name), unprivileged.uid, unprivileged.gid);

  function serverFile(name: ServerName): string {
    const { postgres, rest } = ports[name];
    return changedExample('failover', 'yaml', {
      'name: pg1': `name: ${name}`,
      '10.0.0.11:8008': `127.0.0.1:${rest}`,
      '10.0.0.11:5432': `127.0.0.1:${postgres}`,
      '10.0.0.21:2379': `127.0.0.1:${etcdPort}`,
      '10.0.0.0/24': '127.0.0.1/32',
      '/var/lib/postgresql/15/tollgate': own(name, 'data'),
      'change-this-password': password,
      // Debian's folder of sockets belongs to another user.
      '        max_connections: 200': `        max_connections: 200\n        unix_socket_directories: ''`,
    });
  }

  function haproxyFile(): string {
    return changedExample('failover', 'haproxy', {
      '127.0.0.1:5000': `127.0.0.1:${haproxyPort}`,
      '10.0.0.11:5432 check port 8008': `127.0.0.1:${ports.pg1.postgres} check port ${ports.pg1.rest}`,
      '10.0.0.12:5432 check port 8008': `127.0.0.1:${ports.pg2.postgres} check port ${ports.pg2.rest}`,
    });
  }

  const startPatroni = (name: ServerName) =>
    start(['/usr/bin/patroni', own(name, 'config.yml')], own(name, 'output'));
  const peer = `http://127.0.0.1:${peerPort}`;
  const client = `http://127.0.0.1:${etcdPort}`;
  const running = [
    await start(
      [
        '/usr/bin/etcd',
        `--data-dir=${own('etcd', 'data')}`,
        '--name=etcd',
        `--initial-cluster=etcd=${peer}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
      ],
      own('etcd', 'output'),
    ),
    await start(['/usr/sbin/haproxy', '-db', '-f', own('haproxy.cfg')], own('haproxy.output')),
  ];
  const patroni: Record<ServerName, Supervised> = {
    pg1: await startPatroni('pg1'),
    pg2: await startPatroni('pg2'),
  };
  running.push(patroni.pg1, patroni.pg2);

  async function roleOf(name: ServerName): Promise<string | undefined> {
    for (const { rest } of Object.values(ports)) {
      const answer = await fetch(`http://127.0.0.1:${rest}/cluster`).catch(() => null);
      if (answer?.ok !== true) continue;
      const { members } = (await answer.json()) as {
        members: { name: string; role: string; state: string }[];
      };
      const member = members.find((each) => each.name === name);
      return member?.state === 'running' || member?.state === 'streaming' ? member.role : undefined;
    }
    return undefined;
  }

  return {
    url: `postgres://postgres:${password}@127.0.0.1:${haproxyPort}/postgres`,
    roleOf,
    async untilRole(role, name) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        for (const each of NAMES) if ((name ?? each) === each && (await roleOf(each)) === role) return each;
        if (performance.now() > deadline) {
          const outputs = NAMES.map((each) => `${each}:\n${tail(own(each, 'output'))}`);
          throw new Error(`no server became ${role}\n${outputs.join('\n')}`);
        }
        await Bun.sleep(100);
      }
    },
    kill(name) {
      const postmaster = Number(readFileSync(own(name, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
      const pids = [
        patroni[name].pid,
        postmaster,
        ...childrenOf(postmaster),
        ...childrenOf(patroni[name].pid),
      ];
      const unique = [...new Set(pids)];
      for (const pid of unique) process.kill(pid, 'SIGKILL');
      return unique.length;
    },
    async restart(name) {
      patroni[name] = await startPatroni(name);
      running.push(patroni[name]);
    },
    async [Symbol.asyncDispose]() {
      // Patroni needs etcd to stop its PostgreSQL in order.
      for (const each of running.toReversed()) await each.stop();
      Bun.spawnSync(['rm', '-rf', directory]);
    },
  };
}

const tail = (file: string) => readFileSync(file, 'utf8').slice(-3000);

interface Supervised {
  pid: number;
  stop(): Promise<void>;
}

/** Ends the program when the input closes, which happens also when the test process dies. */
const supervisor = `
output=$1; shift
"$@" >>"$output" 2>&1 & child=$!
echo $child
trap '' TERM INT
cat >/dev/null
kill -TERM $child 2>/dev/null
wait $child
`;

function start(command: readonly string[], output: string): Promise<Supervised> {
  const child = spawn('/bin/sh', ['-c', supervisor, 'sh', output, ...command], {
    ...unprivileged,
    cwd: tmpdir(),
    // Patroni keeps its file of passwords there.
    env: { PATH: process.env['PATH'], HOME: path.dirname(output) },
    stdio: ['pipe', 'pipe', 'ignore'],
    // An own process group, so that Ctrl-C reaches the tests first.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.stdout.once('data', (line: Buffer) =>
      resolve({
        pid: Number(line.toString()),
        async stop() {
          child.stdin.end();
          await ended;
        },
      }),
    );
  });
}
