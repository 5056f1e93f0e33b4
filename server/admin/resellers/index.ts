// Resellers: an agent's own page, and agents and withdrawals for administrators.
import type { agents } from '#contract/money/resellers.ts';
import type { AgentParts } from '#server/money/resellers/index.ts';
import type { Handlers } from '#server/admin/context.ts';
import { listCustomers } from './customers.ts';
import { listAgents, setAgent } from './manage.ts';
import { readOverview } from './overview.ts';
import { listOwnWithdrawals, transferDividends, withdraw } from './own-money.ts';
import { decide, listWithdrawals } from './queue.ts';
import { exportOwnRecords, listAllRecords, listOwnRecords } from './records.ts';

export function createAgentHandlers(parts: AgentParts): Handlers<typeof agents> {
  return {
    overview: readOverview(parts),
    customers: listCustomers(parts),
    records: listOwnRecords(parts),
    exportRecords: exportOwnRecords(parts),
    transfer: transferDividends(parts),
    withdraw: withdraw(parts),
    withdrawals: listOwnWithdrawals(parts),
    list: listAgents(parts),
    set: setAgent(parts),
    allRecords: listAllRecords(parts),
    allWithdrawals: listWithdrawals(parts),
    decide: decide(parts),
  };
}
