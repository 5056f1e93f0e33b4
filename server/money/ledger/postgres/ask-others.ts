// The slices that other nodes have of a user's balance are asked back before a call is refused for want of it. A node that lives
// answers within milliseconds; one that does not is waited for once.
import type { Pool } from 'pg';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import type { Changes } from '#server/platform/store/changes.ts';
import type { Identity } from './loaded.ts';
import { CLOCK } from './nodes.ts';

const FIRST_WAIT_MS = 5;
/** Each wait is twice as long as the one before: five seconds together, because a busy node that lives must not cost a refusal. */
const LONGEST_WAIT_MS = 2560;
const MOST_REMEMBERED = 10_000;

export interface OtherNodesOptions {
  identity: Identity;
  pool: Pool;
  changes: Changes;
  /** A node without a heartbeat for this long is dead: recovery releases its slices. */
  silenceSeconds: number;
}

/** `held`: what the tables show as held of the user before anybody was asked. */
interface Answer {
  wereAsked: boolean;
  held: number;
}

const READ_TEXT = `
  select u.held_quota as held, array(
    select h.id from holds h join nodes n on n.id = h.node_id and n.epoch = h.epoch
    where h.user_id = u.id and h.id like $2 and h.node_id <> $3 and n.heartbeat_at >= ${CLOCK} - $4::bigint
  ) as ids from users u where u.id = $1`;

export function othersOf({ identity, pool, changes, silenceSeconds }: OtherNodesOptions) {
  const asking = new Map<number, Promise<Answer>>();
  /** Ids of slices that were not given back in time. */
  const waitedInVain = new Set<string>();

  async function read(userId: number): Promise<{ held: number; ids: string[] }> {
    const values = [userId, SLICE_PATTERN, identity.nodeId, silenceSeconds];
    const query = { name: 'ledger-set-aside', text: READ_TEXT, values };
    const { rows } = await pool.query<{ held: number; ids: string[] }>(query);
    const { held, ids } = rows[0] ?? { held: 0, ids: [] };
    return { held, ids: ids.filter((id) => !waitedInVain.has(id)) };
  }

  async function ask(userId: number): Promise<Answer> {
    let { held, ids } = await read(userId);
    if (ids.length === 0) return { wereAsked: false, held };
    await changes.announce('allowances', String(userId));
    for (let waitMs = FIRST_WAIT_MS; ids.length > 0 && waitMs <= LONGEST_WAIT_MS; waitMs *= 2) {
      await Bun.sleep(waitMs);
      ({ ids } = await read(userId));
    }
    if (waitedInVain.size > MOST_REMEMBERED) waitedInVain.clear();
    for (const id of ids) waitedInVain.add(id);
    return { wereAsked: true, held };
  }

  /** Resolves when the other nodes have given their slices back, or have not in time. */
  return (userId: number): Promise<Answer> => {
    const asked = asking.get(userId) ?? ask(userId).finally(() => asking.delete(userId));
    asking.set(userId, asked);
    return asked;
  };
}
