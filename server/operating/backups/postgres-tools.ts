// Runs PostgreSQL's own client programs (pg_dump, pg_restore) on DATABASE_URL.
import { serverRelease } from '#server/platform/store/postgres/version.ts';
import { BackupError } from './backup-error.ts';

interface ClientConnection {
  /** For `--dbname`: without the password, because every user of the machine sees the arguments of a process. */
  url: string;
  environment: Record<string, string>;
}

/** Parameters of an address that this server's driver knows and libpq refuses. */
const DRIVER_PARAMETERS = ['uselibpqcompat'];

export function clientConnection(databaseUrl: string): ClientConnection {
  const url = new URL(databaseUrl);
  const password = url.searchParams.get('password') ?? decodeURIComponent(url.password);
  url.password = '';
  for (const name of ['password', ...DRIVER_PARAMETERS]) url.searchParams.delete(name);
  return { url: url.href, environment: password === '' ? {} : { PGPASSWORD: password } };
}

/**
 * pg_dump refuses a server of a newer release than its own, in the middle of a backup and in words about itself. Where either release
 * cannot be read, pg_dump decides.
 */
export async function requireDumpFor(databaseUrl: string): Promise<void> {
  const program = Bun.which('pg_dump');
  const server = await serverRelease(databaseUrl);
  if (server === undefined) return;
  const remedy = `Install the PostgreSQL client programs of release ${server} or newer (Debian: postgresql-client-${server} of the PostgreSQL project's repository).`;
  if (program === null) throw new BackupError(`pg_dump is not installed. ${remedy}`);
  const said = await Bun.spawn([program, '--version'], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout.text();
  const client = Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1]);
  if (client < server)
    throw new BackupError(
      `pg_dump is of release ${client}, but the server is of release ${server}: it cannot copy it. ${remedy}`,
    );
}

/** Returns what the program printed; its complaints go to the terminal. */
export async function runClient(
  program: 'pg_dump' | 'pg_restore',
  args: readonly string[],
  databaseUrl?: string,
): Promise<string> {
  const path = Bun.which(program);
  if (path === null)
    throw new BackupError(`${program} is not installed; it comes with the PostgreSQL client programs.`);
  const connection = databaseUrl === undefined ? undefined : clientConnection(databaseUrl);
  const child = Bun.spawn([path, ...(connection ? [`--dbname=${connection.url}`] : []), ...args], {
    env: { ...process.env, ...connection?.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await child.stdout.text();
  const code = await child.exited;
  if (code !== 0) throw new BackupError(`${program} failed with exit code ${code}.`);
  return output;
}
