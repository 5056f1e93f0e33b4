// Users with their password hashes, balances and identities. A name that is taken here gets a suffix; an email address or an
// identity that is taken stays with the account that has it.
import { ROLE } from '#contract/access.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { unixSeconds } from '#contract/time.ts';
import { bookOpeningBalance } from '#server/money/ledger/imported.ts';
import { changeUsers, insertUser, type UserColumns } from '#server/admin/write-user.ts';
import { isAffordableHash } from '#server/platform/store/passwords.ts';
import { Fields } from '#server/operating/import-export/source/fields.ts';
import { pagesOf } from '#server/operating/import-export/source/source.ts';
import { amountOf, bringTable, type Job, type Writing } from './job.ts';
import type { Sums } from './report.ts';

const IDENTITIES = ['github_id', 'wechat_id', 'telegram_id', 'linux_do_id', 'oidc_id'] as const;
/** A deleted user of one-api keeps its row with this status. */
const DELETED_STATUS = 3;
const DISPLAY_NAME_MOST = 20;

export async function bringUsers(job: Job): Promise<void> {
  const taken = await Taken.load(job);
  await bringTable(job, 'users', 'users', async (fields, sourceId) => planUser(job, taken, fields, sourceId));
  await bringInviters(job);
}

function planUser(job: Job, taken: Taken, fields: Fields, sourceId: string): Writing | undefined {
  const { report, store, importId } = job;
  const name = fields.text('username');
  const isDeleted =
    fields.isSet('deleted_at') || (job.family === 'one-api' && fields.integer('status') === DELETED_STATUS);
  if (isDeleted) return report.leave('users', 'deleted at the source', name);
  if (name === '') return report.leave('users', 'has no name', `id ${sourceId}`);
  const balance = fields.integer('quota');
  const invite = fields.integer('aff_quota');
  const opening = {
    quota: amountOf(job, fields, 'quota'),
    affQuota: amountOf(job, fields, 'aff_quota'),
    affHistoryQuota: amountOf(job, fields, 'aff_history'),
  };
  const columns = userColumns(job, taken, fields, name);
  addTo(report.balances, balance, opening.quota);
  addTo(report.inviteBalances, invite, opening.affQuota);
  if (balance < 0) report.conflict(`user ${name} has ${balance} units, which is below zero: brought with 0`);
  return async (transaction) => {
    const id = await insertUser(transaction, columns);
    await bookOpeningBalance(transaction, store.dialect, { importId, userId: id, sourceId, ...opening });
    return id;
  };
}

function addTo(sums: Sums, source: number, here: number): void {
  sums.source += BigInt(Math.max(0, source));
  sums.here += BigInt(here);
  if (source < 0) sums.below += BigInt(source);
}

function userColumns(
  job: Job,
  taken: Taken,
  fields: Fields,
  name: string,
): UserColumns & { username: string } {
  const username = taken.name(name);
  if (username !== name) job.report.conflict(`user ${name}: the name is taken here, brought as ${username}`);
  const hash = fields.text('password');
  const token = fields.text('access_token');
  const affCode = fields.text('aff_code');
  return {
    username,
    password_hash: passwordHash(job, hash, username),
    display_name: Array.from(fields.text('display_name') || username)
      .slice(0, DISPLAY_NAME_MOST)
      .join(''),
    role: roleOf(job, fields.integer('role', ROLE.user), username),
    status: fields.integer('status', 1) === 1 ? USER_STATUS.activated : USER_STATUS.banned,
    email: taken.email(fields.text('email'), username),
    ...Object.fromEntries(IDENTITIES.map((key) => [key, taken.identity(key, fields.text(key), username)])),
    group: fields.text('group') || 'default',
    request_count: Math.max(0, fields.integer('request_count')),
    ...(taken.inviteCode(affCode) ? { aff_code: affCode } : {}),
    aff_count: Math.max(0, fields.integer('aff_count')),
    access_token_digest:
      token === '' ? null : taken.accessToken(job.store.vault.digest('access_token', token)),
    created_at: fields.seconds('created_at') || unixSeconds(),
    last_login_at: fields.seconds('last_login_at'),
    deleted_at: null,
  };
}

/** Other hashes than bcrypt and argon2 of a usual cost match nothing; the user asks for a new password by mail. */
function passwordHash({ report }: Job, hash: string, username: string): string {
  if (hash === '' || isAffordableHash(hash)) return hash;
  report.conflict(
    `user ${username}: the hash of the password cannot be checked here; a new password is needed`,
  );
  return '';
}

/** An installation has its own super admin unless it is empty; another one comes as an administrator. */
function roleOf({ isEmpty, report }: Job, role: number, username: string): number {
  // Said for each: whoever wrote the source decides who governs here.
  if (role >= ROLE.admin && (role < ROLE.root || isEmpty))
    report.conflict(
      `user ${username} is ${role >= ROLE.root ? 'the super admin' : 'an administrator'} at the source, and becomes one here`,
    );
  if (role >= ROLE.root && isEmpty) return ROLE.root;
  if (role >= ROLE.root)
    report.conflict(`user ${username} is a super admin at the source: brought as an administrator`);
  return role >= ROLE.admin ? ROLE.admin : ROLE.user;
}

/** What must be unique here, with what this run adds to it. */
class Taken {
  readonly #job: Job;
  readonly #names = new Set<string>();
  readonly #emails = new Set<string>();
  readonly #identities = new Set<string>();
  readonly #codes = new Set<string>();
  readonly #tokens = new Set<string>();

  private constructor(job: Job) {
    this.#job = job;
  }

  static async load(job: Job): Promise<Taken> {
    const taken = new Taken(job);
    const rows = await job.store.db
      .selectFrom('users')
      .select(['username', 'email', 'aff_code', 'access_token_digest', ...IDENTITIES])
      .execute();
    for (const row of rows) {
      taken.#names.add(row.username.toLowerCase());
      taken.#codes.add(row.aff_code);
      if (row.email !== '') taken.#emails.add(row.email.toLowerCase());
      if (row.access_token_digest !== null) taken.#tokens.add(row.access_token_digest);
      for (const key of IDENTITIES) if (row[key] !== '') taken.#identities.add(`${key} ${row[key]}`);
    }
    return taken;
  }

  name(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#names.has(name.toLowerCase()); number += 1) name = `${wanted}_${number}`;
    this.#names.add(name.toLowerCase());
    return name;
  }

  email(address: string, username: string): string {
    if (address === '' || !this.#isNew(this.#emails, address.toLowerCase()))
      return this.#without(address, `user ${username}: another account has the same email address`);
    return address;
  }

  identity(key: string, value: string, username: string): string {
    if (value === '' || !this.#isNew(this.#identities, `${key} ${value}`))
      return this.#without(value, `user ${username}: another account has the same ${key}`);
    return value;
  }

  inviteCode(code: string): boolean {
    return code !== '' && this.#isNew(this.#codes, code);
  }

  accessToken(digest: string): string | null {
    return this.#isNew(this.#tokens, digest) ? digest : null;
  }

  #isNew(values: Set<string>, value: string): boolean {
    if (values.has(value)) return false;
    values.add(value);
    return true;
  }

  #without(value: string, sentence: string): '' {
    if (value !== '') this.#job.report.conflict(`${sentence}, brought without it`);
    return '';
  }
}

/** After all users, because an inviter may come after the invited one. */
async function bringInviters({ source, ids, store, isDry }: Job): Promise<void> {
  if (isDry) return;
  for await (const rows of pagesOf(source, 'users')) {
    const pairs = rows.flatMap((row) => {
      const fields = new Fields(row);
      const [user, inviter] = [
        ids.find('users', fields.text('id')),
        ids.find('users', fields.text('inviter_id')),
      ];
      return user === undefined || inviter === undefined || user === inviter ? [] : [{ user, inviter }];
    });
    if (pairs.length === 0) continue;
    await store.db.transaction().execute(async (transaction) => {
      for (const { user, inviter } of pairs)
        await changeUsers(transaction, (builder) => builder.and({ id: user, inviter_id: 0 }), {
          inviter_id: inviter,
        });
    });
  }
}
