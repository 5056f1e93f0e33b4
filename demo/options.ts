// The options of `npm run demo`, and the data directory that it may empty.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { randomPassword } from '#server/app/initial-password.ts';
import { readEnvironment, type Environment } from '#server/platform/env.ts';
import { DEMO_PASSWORD } from './users.ts';

const USUAL_CALLS = '24000';
/** In every directory that a demo has made: nothing else is ever emptied. */
const MARKER = 'this-is-a-demo';
const LOOPBACK = '127.0.0.1';

export interface DemoOptions {
  environment: Environment;
  rootPassword: string;
  /** Other machines can reach it: the super admin's password is secret, and only the super admin may change anything. */
  isPublic: boolean;
  calls: number;
}

export function readOptions(
  args: readonly string[],
  variables: Record<string, string | undefined>,
): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string', default: './data-demo' },
      calls: { type: 'string', default: USUAL_CALLS },
    },
  });
  const calls = Number(values.calls);
  if (!Number.isInteger(calls) || calls < 0 || calls > 1_000_000)
    throw new Error('--calls: a whole number up to 1000000');
  const { PORT, LOG_LEVEL, HOST = LOOPBACK } = variables;
  const isPublic = !['127.0.0.1', '::1', 'localhost'].includes(HOST);
  const rootPassword = isPublic ? randomPassword() : DEMO_PASSWORD;
  // Nothing else of the environment: a demo must never open the database of a real installation.
  const environment = readEnvironment({
    PORT,
    HOST,
    LOG_LEVEL: LOG_LEVEL ?? 'warn',
    DATA_DIR: path.resolve(values.data),
    INITIAL_ROOT_PASSWORD: rootPassword,
    ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
    // A demo has no business anywhere else, whatever its visitors enter.
    EGRESS_ALLOW: 'localhost,127.0.0.0/8,::1',
    TASK_POLL_SECONDS: '2',
  });
  return { environment, rootPassword, isPublic, calls };
}

/** Removes what the last demo left. A directory with anything else in it is refused. */
export function emptyDirectory(directory: string): void {
  const found = existsSync(directory) ? readdirSync(directory) : [];
  if (found.length > 0 && !found.includes(MARKER))
    throw new Error(`${directory} has files that no demo has made; choose another directory with --data.`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(directory, MARKER), 'Emptied at every start of the demo.\n');
}
