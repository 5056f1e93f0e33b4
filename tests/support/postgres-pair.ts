// A PostgreSQL primary with a synchronous standby, from npm's binaries: the standby starts from a copy of the primary's
// directory that was made before the first start, so no backup tool is needed.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { initialiseCluster, launchCluster, unprivileged, type PostgresServer } from './postgres.ts';

export interface PostgresPair {
  primary: PostgresServer;
  standby: PostgresServer;
  /** kill -9 of every process of the primary, as when its machine loses power. */
  killPrimary(): void;
  /** Stops (true) or continues the standby's receiver: a network between the two that loses every packet. */
  holdReplication(isHeld: boolean): void;
  /** Makes the standby a primary; resolves when it accepts writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const standbyName = 'standby';
// The figures are those of operators: with fsync, on both.
const durable = ['fsync=on', 'full_page_writes=on'];

export async function startPostgresPair(): Promise<PostgresPair> {
  const cluster = await initialiseCluster();
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-postgres-'));
  chmodSync(directory, 0o700);
  if (unprivileged.uid !== undefined) chownSync(directory, unprivileged.uid, unprivileged.gid);
  const data = join(directory, 'data');
  execFileSync('cp', ['-a', cluster.data, data]);
  writeFileSync(join(data, 'standby.signal'), '');
  const primary = await launchCluster(cluster, [
    ...durable,
    `synchronous_standby_names=${standbyName}`,
    'synchronous_commit=on',
  ]);
  const { port, password } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=${standbyName}`;
  const standby = await launchCluster({ ...cluster, directory, data }, [
    ...durable,
    `primary_conninfo=${source}`,
  ]);
  const stop = async () => {
    // The standby may use the binaries in the primary's directory.
    await standby.stop();
    await primary.stop();
  };
  try {
    await untilSynchronous(primary.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    primary,
    standby,
    killPrimary() {
      const processes = [primary.pid, ...childrenOf(primary.pid)];
      for (const pid of processes) signal(pid, 'SIGKILL');
    },
    holdReplication(isHeld) {
      const receivers = childrenOf(standby.pid).filter((pid) => commandOf(pid).includes('walreceiver'));
      if (receivers.length === 0) throw new Error('the standby has no receiver');
      for (const pid of receivers) signal(pid, isHeld ? 'SIGSTOP' : 'SIGCONT');
    },
    promote: () => promote(cluster.binaries.pg_ctl, data),
    stop,
  };
}

async function untilSynchronous(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (let tries = 0; tries < 300; tries += 1) {
      const { rows } = await client.query<{ sync_state: string }>(
        `select sync_state from pg_stat_replication where state = 'streaming'`,
      );
      if (rows[0]?.sync_state === 'sync') return;
      await Bun.sleep(50);
    }
  } finally {
    await client.end();
  }
  throw new Error('the standby did not become synchronous');
}

function promote(pgCtl: string, data: string): Promise<void> {
  const child = spawn(pgCtl, ['promote', '--wait', '-D', data], {
    ...unprivileged,
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`pg_ctl promote: ${output}`))));
  });
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return 0;
  }
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}
