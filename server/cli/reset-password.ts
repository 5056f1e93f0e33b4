// `tollgate reset-password <user>`: gets a user back in, also while the server runs. Sets a new password, removes two-factor
// (its device may be lost) and keeps passkeys, which are a way in. For the super admin it also removes what would refuse the
// new password. Ends the user's sessions, writes audit rows and queues a mail to the owner.
import { sql } from 'kysely';
import { isRoot } from '#contract/access.ts';
import { OUTSIDE_PROVIDERS } from '#contract/admin/outside-logins.ts';
import type { SettingKey, Settings } from '#contract/settings.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Environment } from '#server/platform/env.ts';
import { changeAndSignOut } from '#server/admin/accounts.ts';
import { createOwnerLetters, isConfigured, putLetter } from '#server/admin/mail/index.ts';
import { COLUMNS, isEnabled, nameOf } from '#server/admin/outside-logins/dependencies.ts';
import { forgetSecondFactor } from '#server/admin/security/index.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import { createLog } from '#server/platform/log.ts';
import { priceListDigest } from '#server/money/prices/price-list/index.ts';
import { openSettings, type LiveSettings } from '#server/platform/settings/settings.ts';
import { forUpdate } from '#server/platform/store/locks.ts';
import { hashPassword } from '#server/platform/store/passwords.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { CommandStore } from '#server/platform/store/store.ts';
import { COMMAND_ACTOR } from './actor.ts';
import type { OptionValues } from './arguments.ts';
import { CommandError } from './explain.ts';
import { forgetInitialPassword, randomPassword } from '#server/app/initial-password.ts';
import { withCommandStore } from './open.ts';

const TURNSTILE_OFF = '--turnstile-off';

interface Reset {
  user: Row<'users'>;
  hadTwoFactor: boolean;
  passkeys: number;
  /** Options that were switched so that the password is accepted. */
  switched: SettingKey[];
  settings: Settings;
}

export async function resetPassword(
  environment: Environment,
  [name = '']: readonly string[],
  options: OptionValues,
): Promise<number> {
  const password = randomPassword();
  const reset = await withCommandStore(environment, async (store) => {
    const settings = await openSettings(store, createLog({ level: 'error' }), {
      priceList: priceListDigest(),
    });
    try {
      const done = await replace(store, settings, name, await hashPassword(password));
      await store.changes.announce('users', String(done.user.id));
      if (done.user.username === 'root') await forgetInitialPassword(environment.dataDir);
      const switched = isRoot(done.user.role)
        ? await openDoors(store, settings, options['turnstile-off'] === true)
        : [];
      return { ...done, switched, settings: settings.current };
    } finally {
      settings.close();
    }
  });
  for (const line of report(reset, password)) console.log(line);
  return 0;
}

async function replace(store: CommandStore, settings: LiveSettings, name: string, password_hash: string) {
  const queue = {
    configured: isConfigured(settings.current),
    put: (db: CommandStore['db'], letter: Parameters<typeof putLetter>[2]) =>
      putLetter(db, store.vault, letter),
    wake: () => {},
  };
  const ownerLetters = createOwnerLetters({ queue, settings });
  return await store.db.transaction().execute(async (transaction) => {
    const found = await transaction
      .selectFrom('users')
      .selectAll()
      .where(sql`lower(username)`, '=', sql`lower(${name})`)
      .where('kind', '=', 'person')
      .where('deleted_at', 'is', null)
      .$call(forUpdate(store))
      .executeTakeFirst();
    if (!found) throw new CommandError(`there is no user ${name}.`);
    // No page can enable the super admin again.
    const status = isRoot(found.role) ? USER_STATUS.activated : found.status;
    const user = { ...found, status };
    await changeAndSignOut(transaction, user.id, { password_hash, password_is_initial: 0, status });
    const hadTwoFactor = await forgetSecondFactor(transaction, user.id);
    const passkeys = await transaction
      .selectFrom('passkeys')
      .select('id')
      .where('user_id', '=', user.id)
      .execute();
    await ownerLetters.put(transaction, user.id, 'password_reset_on_server');
    await writeAudit(store, transaction, {
      ...COMMAND_ACTOR,
      action: 'user.password',
      target: `user:${user.id}`,
    });
    return { user, hadTwoFactor, passkeys: passkeys.length };
  });
}

/** Switches what would refuse the password of the super admin; the names of what was changed. */
async function openDoors(
  store: CommandStore,
  settings: LiveSettings,
  isTurnstileUnwanted: boolean,
): Promise<SettingKey[]> {
  const wanted: [SettingKey, boolean][] = [
    ['PasswordLoginEnabled', true],
    ...(isTurnstileUnwanted ? [['TurnstileCheckEnabled', false] satisfies [SettingKey, boolean]] : []),
  ];
  const changed = wanted.filter(([key, value]) => settings.current[key] !== value);
  for (const [key, value] of changed)
    await settings.set(key, String(value), COMMAND_ACTOR.actorId, {
      async audit(transaction, options) {
        for (const { key: option, before, after } of options)
          await writeAudit(store, transaction, {
            ...COMMAND_ACTOR,
            action: 'option.save',
            target: `option:${option}`,
            before: { value: before },
            after: { value: after },
          });
      },
    });
  return changed.map(([key]) => key);
}

function report({ user, hadTwoFactor, passkeys, switched, settings }: Reset, password: string): string[] {
  const bound = OUTSIDE_PROVIDERS.filter(
    (provider) => user[COLUMNS[provider]] !== '' && isEnabled(provider, settings),
  );
  const ways = [
    ...(settings.PasswordLoginEnabled ? ['the new password'] : []),
    ...(passkeys > 0 ? [`a passkey (${passkeys} kept; remove those you do not know)`] : []),
    ...bound.map((provider) => nameOf(provider, settings)),
  ];
  return [
    `new password of ${user.username}: ${password}`,
    ways.length > 0
      ? `ways to sign in at ${settings.ServerAddress}/login: ${ways.join(', ')}`
      : 'no way to sign in: password login is off, and there is no passkey and no bound account. A super admin can switch it on in the settings.',
    ...(switched.includes('PasswordLoginEnabled')
      ? ['password login was off and is on again, for all users']
      : []),
    ...(switched.includes('TurnstileCheckEnabled') ? ['the Turnstile check is off'] : []),
    ...(hadTwoFactor ? ['two-factor is off; set it up again after signing in'] : []),
    ...(settings.TurnstileCheckEnabled
      ? [
          `the Turnstile check is on; if it refuses you: tollgate reset-password ${user.username} ${TURNSTILE_OFF}`,
        ]
      : []),
    ...(user.status === USER_STATUS.activated
      ? []
      : ['the account is banned or suspended: an administrator must enable it before it can sign in']),
  ];
}
