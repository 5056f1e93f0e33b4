// Faults that the tests must notice: each changes one place of the money code, or of the runner of its tests. `find` must occur once in `file`; `tests`
// run with `title` as their name filter; `meaning` says what the fault would do; `survives` gives the reason of one that
// no test can notice.
import { afresh } from './afresh.mjs';
import { answerCache } from './answer-cache.mjs';
import { agents } from './agents.mjs';
import { arithmetic } from './arithmetic.mjs';
import { audits } from './audit.mjs';
import { batches } from './batches.mjs';
import { besideBooks } from './beside-books.mjs';
import { besideClaims } from './beside-claims.mjs';
import { besideHolds } from './beside-holds.mjs';
import { besideMessages } from './beside-messages.mjs';
import { besideMoves } from './beside-moves.mjs';
import { besideRequests } from './beside-requests.mjs';
import { besideRows } from './beside-rows.mjs';
import { besideSessions } from './beside-sessions.mjs';
import { budgets } from './budgets.mjs';
import { buying } from './buying.mjs';
import { calls } from './calls.mjs';
import { conditions } from './conditions.mjs';
import { conversations } from './conversations.mjs';
import { costs } from './costs.mjs';
import { desk } from './desk.mjs';
import { drawn } from './drawn.mjs';
import { edgeFaults } from './edges.mjs';
import { figureFaults } from './figures.mjs';
import { finer } from './finer.mjs';
import { holders } from './holders.mjs';
import { holds } from './holds.mjs';
import { ledger } from './ledger.mjs';
import { limitFaults } from './limits.mjs';
import { listPrices } from './list-prices.mjs';
import { moving } from './moving.mjs';
import { newcomersLedger } from './newcomers-ledger.mjs';
import { newcomersShop } from './newcomers-shop.mjs';
import { otherWayRound } from './other-way-round.mjs';
import { outsider } from './outsider.mjs';
import { overlooked } from './overlooked.mjs';
import { payments } from './payments.mjs';
import { plans } from './plans.mjs';
import { priceBook } from './price-book.mjs';
import { rare } from './rare.mjs';
import { realtime } from './realtime.mjs';
import { rerateNeighbours } from './rerate-neighbours.mjs';
import { rerateRuns } from './rerate-runs.mjs';
import { rerating } from './rerating.mjs';
import { runner } from './runner.mjs';
import { secondTimes } from './second-times.mjs';
import { settling } from './settling.mjs';
import { situations } from './situations.mjs';
import { slices } from './slices.mjs';
import { shadowCalls } from './shadow-calls.mjs';
import { storage } from './storage.mjs';
import { sums } from './sums.mjs';
import { systematic } from './systematic.mjs';
import { tasks } from './tasks.mjs';
import { unnoticed } from './unnoticed.mjs';
import { unseen } from './unseen.mjs';
import { usage } from './usage.mjs';
import { videos } from './video.mjs';
import { cacheSavings } from './cache-savings.mjs';
import { virtualModels } from './virtual-models.mjs';
import { wallet } from './wallet.mjs';

export const mutants = [
  ...besideHolds,
  ...besideMessages,
  ...besideMoves,
  ...besideSessions,
  ...besideBooks,
  ...besideRows,
  ...besideRequests,
  ...besideClaims,
  ...arithmetic,
  ...ledger,
  ...holders,
  ...holds,
  ...settling,
  ...unnoticed,
  ...unseen,
  ...situations,
  ...rare,
  ...overlooked,
  ...newcomersLedger,
  ...outsider,
  ...otherWayRound,
  ...limitFaults,
  ...audits,
  ...storage,
  ...slices,
  ...budgets,
  ...calls,
  ...conversations,
  ...costs,
  ...realtime,
  ...tasks,
  ...batches,
  ...videos,
  ...usage,
  ...wallet,
  ...desk,
  ...edgeFaults,
  ...payments,
  ...agents,
  ...plans,
  ...buying,
  ...priceBook,
  ...listPrices,
  ...sums,
  ...rerating,
  ...rerateRuns,
  ...rerateNeighbours,
  ...moving,
  ...conditions,
  ...newcomersShop,
  ...systematic,
  ...cacheSavings,
  ...virtualModels,
  ...answerCache,
  ...shadowCalls,
  ...afresh,
  ...finer,
  ...figureFaults,
  ...drawn,
  ...secondTimes,
  ...runner,
];
