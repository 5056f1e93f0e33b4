// The faults and attacks of docs/fault-results.md. A test that proves a row has `(plan M1)` in its title and records with
// faultSeen (tests/support/fault-report.ts) that the fault happened.
import type { PlannedFault, Section } from './plan.ts';
import { money } from './rows/money.ts';
import { storage } from './rows/storage.ts';
import { upstream } from './rows/upstream.ts';
import { callers } from './rows/callers.ts';
import { accounts } from './rows/accounts.ts';
import { permissions } from './rows/permissions.ts';

export const sections: readonly Section[] = [money, storage, upstream, callers, accounts, permissions];

export const plannedFaults: readonly PlannedFault[] = sections.flatMap(({ faults }) => faults);
