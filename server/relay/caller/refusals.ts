// Counts calls that are refused before any attempt, so that an operator finds each by its request id. A flood costs an
// addition in memory for each call and a bounded number of rows a minute: rows are kept by user, token, whose it was, model and
// reason, and beyond the limits below without the model, then without the user.
import type { Log } from '#contract/context.ts';
import { requestIdSeconds } from '#contract/request-id.ts';
import { sql } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { RefusedHolder } from '#server/relay/errors/refused-owner.ts';
import { hasControls, type RelayError } from '#server/relay/errors/relay-error.ts';
import type { Store } from '#server/platform/store/store.ts';
import { writeLater } from '#server/platform/store/write-later.ts';
import type { Incoming } from './incoming.ts';

export interface Refusals {
  /** An error whose call has a log row is not counted. */
  note(incoming: Pick<Incoming, 'requestId' | 'address' | 'caller' | 'model'>, error: RelayError): void;
  /** Writes what is counted. */
  flush(): Promise<void>;
}

/** Different rows of one user in a minute; later ones lose the model. */
const MOST_OF_USER = 20;
/** Different rows of one node in a minute; later ones lose the user too. */
const MOST_OF_MINUTE = 200;
/** Request ids kept with a row. */
const MOST_IDS = 20;
const ID_LENGTH = 37;
const LONGEST_MODEL = 100;
const WRITE_AFTER_MILLISECONDS = 2000;
const KEPT_DAYS = 30;

interface Refused {
  minute: number;
  user_id: number;
  token_id: number;
  code: string;
  group: string;
  model_name: string;
  member_id: number;
  service_account_id: number;
  project_id: number;
  ip: string;
  ids: string[];
  count: number;
}

export function createRefusals(store: Store, log: Log): Refusals {
  let pending = new Map<string, Refused>();
  /** The rows of the current minute, and how many of them each user has. */
  let minuteNow = 0;
  const seen = new Set<string>();
  const seenOf = new Map<number, number>();

  const later = writeLater(
    async () => {
      if (pending.size === 0) return;
      const taken = pending;
      pending = new Map();
      try {
        await write(store, [...taken.values()]);
      } catch (error) {
        for (const [key, row] of taken) add(key, row);
        throw error;
      }
    },
    (error) => {
      log.warn('refused calls could not be written', { error });
      later.changed();
    },
    WRITE_AFTER_MILLISECONDS,
  );

  function add(key: string, row: Refused): void {
    const known = pending.get(key);
    if (known === undefined) {
      // While the database is away the rows of many minutes come together.
      if (pending.size < MOST_OF_MINUTE * 10) pending.set(key, row);
      return;
    }
    known.count += row.count;
    known.ip = row.ip;
    for (const id of row.ids) if (known.ids.length < MOST_IDS) known.ids.push(id);
  }

  /** False when the limits of the minute leave no room for another row. */
  function hasPlace(key: string, userId: number, most: number): boolean {
    if (seen.has(key)) return true;
    const ofUser = seenOf.get(userId) ?? 0;
    if (ofUser >= most || seen.size >= MOST_OF_MINUTE) return false;
    seen.add(key);
    seenOf.set(userId, ofUser + 1);
    return true;
  }

  return {
    note({ requestId, address, caller, model = '' }, error) {
      if (error.isLogged) return;
      const now = requestIdSeconds(requestId) ?? unixSeconds();
      const minute = now - (now % 60);
      if (minute > minuteNow) {
        minuteNow = minute;
        seen.clear();
        seenOf.clear();
      }
      const owner = caller ?? error.owner;
      const row: Refused = {
        minute,
        user_id: owner?.userId ?? 0,
        token_id: owner?.tokenId ?? 0,
        code: error.code,
        group: owner?.group ?? '',
        model_name: storable(model),
        ...holderOf(owner?.organization),
        ip: address,
        ids: [requestId],
        count: 1,
      };
      if (!hasPlace(keyOf(row), row.user_id, MOST_OF_USER)) {
        row.model_name = '';
        if (!hasPlace(keyOf(row), row.user_id, MOST_OF_USER * 2)) {
          Object.assign(row, { user_id: 0, token_id: 0, group: '' }, holderOf(undefined));
        }
      }
      add(keyOf(row), row);
      later.changed();
    },
    flush: () => later.flush(),
  };
}

/** PostgreSQL stores neither zero characters nor half surrogates. */
const storable = (model: string): string =>
  hasControls(model) ? '' : model.slice(0, LONGEST_MODEL).toWellFormed();

const holderOf = (organization: RefusedHolder | undefined) => ({
  member_id: organization?.memberId ?? 0,
  service_account_id: organization?.serviceAccountId ?? 0,
  project_id: organization?.projectId ?? 0,
});

const keyOf = ({ minute, user_id, token_id, code, group, model_name, ...row }: Refused): string =>
  `${minute} ${user_id} ${token_id} ${code} ${group} ${model_name} ${row.member_id} ${row.service_account_id} ${row.project_id}`;

/** In the order of the key: two nodes that count the same rows wait for each other instead of deadlocking. */
async function write({ db }: Store, rows: readonly Refused[]): Promise<void> {
  const sorted = rows.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  await db
    .insertInto('refused_calls')
    .values(sorted.map(({ ids, ...row }) => ({ ...row, request_ids: ids.map((id) => `${id},`).join('') })))
    .onConflict((conflict) =>
      conflict
        .columns(['minute', 'user_id', 'token_id', 'code', 'group', 'model_name'])
        .columns(['member_id', 'service_account_id', 'project_id'])
        .doUpdateSet((builder) => ({
          count: sql`refused_calls.count + excluded.count`,
          ip: builder.ref('excluded.ip'),
          // Every id has the same length, so none is cut.
          request_ids: sql<string>`substr(refused_calls.request_ids || excluded.request_ids, 1, ${sql.lit(MOST_IDS * ID_LENGTH)})`,
        })),
    )
    .execute();
}

export async function removeOldRefusals({ db }: Store): Promise<void> {
  const before = unixSeconds() - KEPT_DAYS * 86_400;
  await db.deleteFrom('refused_calls').where('minute', '<', before).execute();
}
