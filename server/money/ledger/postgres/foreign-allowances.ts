// What other nodes have set aside of a user's balance is asked back before a call is refused for want of it. A node that lives
// answers within milliseconds; one that does not is waited for once.
import type { Pool } from 'pg';
import { allowancePattern } from '#server/money/ledger/engine/allowance.ts';
import type { Changes } from '#server/platform/store/changes.ts';
import type { Identity } from './loaded.ts';
import { clock } from './nodes.ts';

const firstWaitMs = 5;
/** Each wait is twice as long as the one before: five seconds together, because a busy node that lives must not cost a refusal. */
const longestWaitMs = 2560;
const mostRemembered = 10_000;

export interface ForeignAllowancesOptions {
  identity: Identity;
  pool: Pool;
  changes: Changes;
  /** A node without a heartbeat for this long is dead: recovery releases what it has set aside. */
  silenceSeconds: number;
}

export interface ForeignAllowances {
  /**
   * Resolves when the other nodes have given back what they had set aside, or have not in time. `held`: what the tables show
   * as held of the user before that.
   */
  askFor(userId: number): Promise<{ wereAsked: boolean; held: number }>;
}

interface SetAside {
  held: number;
  allowanceIds: string[];
}

const readText = `
  select u.held_quota as held, array(
    select h.id from holds h join nodes n on n.id = h.node_id and n.epoch = h.epoch
    where h.user_id = u.id and h.id like $2 and h.node_id <> $3 and n.heartbeat_at >= ${clock} - $4::bigint
  ) as "allowanceIds" from users u where u.id = $1`;

export function askForAllowances(options: ForeignAllowancesOptions): ForeignAllowances {
  const { identity, pool, changes, silenceSeconds } = options;
  const asking = new Map<number, Promise<{ wereAsked: boolean; held: number }>>();
  /** Ids of allowances that were not given back in time. */
  const waitedInVain = new Set<string>();

  async function read(userId: number): Promise<SetAside> {
    const values = [userId, allowancePattern, identity.nodeId, silenceSeconds];
    const { rows } = await pool.query<SetAside>({ name: 'ledger-set-aside', text: readText, values });
    const { held, allowanceIds } = rows[0] ?? { held: 0, allowanceIds: [] };
    return { held, allowanceIds: allowanceIds.filter((id) => !waitedInVain.has(id)) };
  }

  async function ask(userId: number): Promise<{ wereAsked: boolean; held: number }> {
    let { held, allowanceIds } = await read(userId);
    if (allowanceIds.length === 0) return { wereAsked: false, held };
    await changes.announce('allowances', String(userId));
    for (let waitMs = firstWaitMs; allowanceIds.length > 0 && waitMs <= longestWaitMs; waitMs *= 2) {
      await Bun.sleep(waitMs);
      ({ allowanceIds } = await read(userId));
    }
    if (waitedInVain.size > mostRemembered) waitedInVain.clear();
    for (const id of allowanceIds) waitedInVain.add(id);
    return { wereAsked: true, held };
  }

  return {
    askFor(userId) {
      let asked = asking.get(userId);
      if (asked === undefined) {
        asked = ask(userId).finally(() => asking.delete(userId));
        asking.set(userId, asked);
      }
      return asked;
    },
  };
}
