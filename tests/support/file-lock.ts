// Another process that holds SQLite's write lock on a database file.

export interface ForeignLock {
  release(): Promise<void>;
}

const script = `
  import { Database } from 'bun:sqlite';
  const database = new Database(process.argv.at(-1));
  database.run('PRAGMA busy_timeout = 10000');
  database.run('BEGIN EXCLUSIVE');
  console.log('locked');
  for await (const chunk of Bun.stdin.stream()) void chunk;
  database.run('ROLLBACK');`;

/** Resolves when the lock is taken. */
export async function lockDatabaseFile(file: string): Promise<ForeignLock> {
  const child = Bun.spawn([process.execPath, '-e', script, file], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  await child.stdout.getReader().read();
  return {
    async release() {
      await child.stdin.end();
      await child.exited;
    },
  };
}
