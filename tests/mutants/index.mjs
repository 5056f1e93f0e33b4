// Faults that the tests must notice: each changes one place of the money code, or of the runner of its tests. `find` must occur once in `file`; `tests`
// run with `title` as their name filter; `meaning` says what the fault would do; `survives` gives the reason of one that
// no test can notice.
import { agents } from './agents.mjs';
import { allowances } from './allowances.mjs';
import { arithmetic } from './arithmetic.mjs';
import { batches } from './batches.mjs';
import { calls } from './calls.mjs';
import { costs } from './costs.mjs';
import { ledger } from './ledger.mjs';
import { moving } from './moving.mjs';
import { plans } from './plans.mjs';
import { realtime } from './realtime.mjs';
import { rerating } from './rerating.mjs';
import { runner } from './runner.mjs';
import { settling } from './settling.mjs';
import { storage } from './storage.mjs';
import { tasks } from './tasks.mjs';
import { videos } from './video.mjs';
import { wallet } from './wallet.mjs';

export const mutants = [
  ...arithmetic,
  ...ledger,
  ...settling,
  ...storage,
  ...allowances,
  ...calls,
  ...costs,
  ...realtime,
  ...tasks,
  ...batches,
  ...videos,
  ...wallet,
  ...agents,
  ...plans,
  ...rerating,
  ...moving,
  ...runner,
];
