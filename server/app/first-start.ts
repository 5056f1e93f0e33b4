// The first start of an installation creates the super admin.
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Environment } from '#server/platform/env.ts';
import { createFirstUser, FIRST_USER, hasUsers } from '#server/admin/users/first-user.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forgetInitialPassword, keepInitialPassword, randomPassword } from './initial-password.ts';

export interface FirstStart {
  username: string;
  /** null when the operator chose it. */
  password: string | null;
  file: string | null;
}

/** null when there are users already. */
export async function ensureFirstUser(
  { dataDir, initialRootPassword }: Environment,
  store: Store,
  ledger: Ledger,
): Promise<FirstStart | null> {
  if (await hasUsers(store)) return null;
  const { username } = FIRST_USER;
  if (initialRootPassword !== undefined) {
    const created = await createFirstUser(store, ledger, initialRootPassword, false);
    return created ? { username, password: null, file: null } : null;
  }
  const password = randomPassword();
  // Written before the user exists: a crash in between leaves a useless file, the other order would lose the password.
  const file = await keepInitialPassword(dataDir, password);
  if (await createFirstUser(store, ledger, password, true)) return { username, password, file };
  await forgetInitialPassword(dataDir);
  return null;
}

export function firstStartBox({ username, password, file }: FirstStart, url: string): string {
  const lines = [
    'Tollgate is set up. Sign in as the super admin:',
    '',
    `  address   ${url}`,
    `  username  ${username}`,
    `  password  ${password ?? 'the one in INITIAL_ROOT_PASSWORD'}`,
    ...(file ? ['', 'The password is shown this once. Until you change it, it is', `kept in ${file}`] : []),
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '─'.repeat(width + 2);
  return [`┌${rule}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${rule}┘`].join('\n');
}
