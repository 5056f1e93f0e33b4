// Faults of money between balances, of the records about it, and of who may decide, that no test by itself noticed.
const folder = 'server/admin/organizations/moves';
const tests = ['tests/integration/admin/organizations/moving-neighbours.test.ts'];

const fault = (name, file, [find, replace], title, meaning) => ({
  name,
  file: file.includes('/') ? file : `${folder}/${file}`,
  find,
  replace,
  tests,
  title,
  meaning,
});

const [once, records, promises] = ['a form that is sent twice', 'each record says', 'promises of this'];
const [waiting, receiver, other] = ['twenty requests', 'a receiver is one', 'the other organization sees'];
const [full, setAside] = ['a balance that would be too large', 'what nodes have set aside'];

export const besideMoves = [
  fault(
    'move-out-is-asked-twice',
    'ask-out.ts',
    ['      if (known !== undefined) return known;\n', ''],
    once,
    'a form of money that leaves, sent twice, is refused by the database',
  ),
  fault(
    'moves-request-of-anybody',
    'view.ts',
    ["    .where('asked_by', '=', wish.asked_by)\n", ''],
    once,
    'the request of another person with the same text is taken for the own one',
  ),
  fault(
    'move-reason-is-lost',
    'ask-out.ts',
    ['          reason,\n          request_key', '          request_key'],
    records,
    'owners do not see what money is asked for',
  ),
  fault(
    'move-decider-is-asker',
    'decide.ts',
    [
      "await decide(transaction, found, caller.id, 'done');",
      "await decide(transaction, found, found.asked_by, 'done');",
    ],
    records,
    'a move seems to have been accepted by who asked for it',
  ),
  fault(
    'move-decides-all',
    'decide.ts',
    [
      "    .set({ status, decided_by, decided_at: unixSeconds() })\n    .where('id', '=', id)\n",
      "    .set({ status, decided_by, decided_at: unixSeconds() })\n    .where('id', '>=', id)\n",
    ],
    records,
    'one answer decides requests that came later',
  ),
  fault(
    'move-audit-without-amount',
    'decide.ts',
    [
      "{ request: found.id, user_id: found.to_id, quota: found.amount };\n      await context.audit(transaction, 'organization.move_accept'",
      "{ request: found.id, user_id: found.from_id, quota: found.amount };\n      await context.audit(transaction, 'organization.move_accept'",
    ],
    records,
    'the audit names the organization as the receiver',
  ),
  fault(
    'moves-open-ones-last',
    'view.ts',
    ["when('move.status', '=', 'open').then(0).else(1)", "when('move.status', '=', 'open').then(1).else(0)"],
    records,
    'requests that wait are below those that are decided',
  ),
  fault(
    'promise-of-any-organization',
    'book.ts',
    ["    .where('counter.organization_id', '=', organizationId)\n", ''],
    promises,
    'what another organization has promised keeps money from leaving',
  ),
  fault(
    'promise-of-past-window',
    'book.ts',
    ["    .where('counter.window_end', '>', now)\n", ''],
    promises,
    'a promise for a window that is over keeps money from leaving',
  ),
  fault(
    'promise-of-ended-budget',
    'book.ts',
    ["    .where('budgets.ended_at', '=', 0)\n", ''],
    promises,
    'the promise of a deleted budget keeps money from leaving',
  ),
  fault(
    'promise-spent-is-kept',
    'book.ts',
    ['Math.max(0, Math.min(extra, quota + extra - spent - held))', 'extra'],
    promises,
    'what was granted is kept although it is spent',
  ),
  fault(
    'promise-held-is-kept',
    'book.ts',
    ['quota + extra - spent - held', 'quota + extra - spent'],
    promises,
    'what a running call holds of a promise is kept twice',
  ),
  fault(
    'promise-without-its-quota',
    'book.ts',
    ['quota + extra - spent - held', 'extra - spent - held'],
    promises,
    'what the budget itself paid is taken from what was granted on top',
  ),
  fault(
    'promise-below-nothing',
    'book.ts',
    [
      'Math.max(0, Math.min(extra, quota + extra - spent - held))',
      'Math.min(extra, quota + extra - spent - held)',
    ],
    promises,
    'an overspent budget lets the promise of another leave',
  ),
  fault(
    'promise-without-budget',
    'book.ts',
    ['sum + Math.max(0, Math.min', 'Math.max(sum, Math.min'],
    promises,
    'of several promises only the largest stays',
  ),
  fault(
    'move-short-says-debt',
    'server/money/ledger/moves.ts',
    ['Math.max(0, source.quota - source.held_quota - keeps)', 'source.quota - source.held_quota - keeps'],
    promises,
    'a refusal names less than nothing as what can be moved',
  ),
  fault(
    'moves-open-of-anybody',
    'ask-out.ts',
    ["    .where('from_id', '=', organizationId)\n", ''],
    waiting,
    'requests of other organizations count in the limit of this one',
  ),
  fault(
    'moves-decided-count',
    'ask-out.ts',
    ["    .where('status', '=', 'open')\n", ''],
    waiting,
    'decided requests count in the limit of those that wait',
  ),
  fault(
    'moves-one-too-many',
    'ask-out.ts',
    ['total >= OPEN_MOVES_MAX', 'total > OPEN_MOVES_MAX'],
    waiting,
    'one request more than the limit waits',
  ),
  fault(
    'move-to-two-receivers',
    'ask-out.ts',
    ['  if ((to_user_id === undefined) === (to_organization_id === undefined)) throw unknown;\n', ''],
    receiver,
    'of two receivers one is chosen',
  ),
  fault(
    'move-to-payer-elsewhere',
    'ask-out.ts',
    [
      "to_organization_id === id || member?.role !== 'owner'",
      'to_organization_id === id || member === undefined',
    ],
    receiver,
    'money leaves to an organization that who asks does not own',
  ),
  fault(
    'move-after-ownership',
    'decide.ts',
    ["!isMember && owned?.role !== 'owner'", '!isMember && owned === undefined'],
    receiver,
    'money leaves to an organization that who asked does not own any more',
  ),
  fault(
    'move-owned-by-accepter',
    'decide.ts',
    [
      'async function requireReceiver(\n  transaction: Transaction<Schema>,\n  organizationId: number,\n  { to_id, asked_by }',
      'async function requireReceiver(\n  transaction: Transaction<Schema>,\n  organizationId: number,\n  { to_id, decided_by: asked_by }',
    ],
    receiver,
    'a move to an own organization can never be accepted',
  ),
  fault(
    'moves-of-everybody',
    'view.ts',
    [
      "builder.or([builder('move.from_id', '=', id), builder('move.to_id', '=', id)])",
      "builder('move.id', '>', 0)",
    ],
    other,
    'an organization sees the moves of others',
  ),
  fault(
    'moves-without-incoming',
    'view.ts',
    [
      "builder.or([builder('move.from_id', '=', id), builder('move.to_id', '=', id)])",
      "builder('move.from_id', '=', id)",
    ],
    other,
    'an organization does not see what comes in from another',
  ),
  fault(
    'move-accepted-by-receiver',
    'view.ts',
    ['        isOut &&\n        isOwner', '        isOwner'],
    other,
    'owners of the receiver are offered to accept',
  ),
  fault(
    'move-decided-by-receiver',
    'decide.ts',
    ["    .where('from_id', '=', organizationId)\n", ''],
    other,
    'owners of the receiver accept that money leaves another organization',
  ),
  fault(
    'move-above-largest',
    'server/money/ledger/moves.ts',
    ['return into.ok ? { ok: true }', 'return into.ok || into.reason ? { ok: true }'],
    full,
    'money leaves and does not arrive',
  ),
  fault(
    'move-above-largest-unnamed',
    'book.ts',
    ["  if (result.reason === 'over_limit') throw new AppError('move_over_limit');\n", ''],
    full,
    'a refusal for the receiver’s balance speaks of the own one',
  ),
  fault(
    'move-to-deleted',
    'book.ts',
    ["    .where('users.deleted_at', 'is', null)\n", ''],
    full,
    'money leaves to a deleted account',
  ),
  fault(
    'move-in-leaves-slices',
    'into.ts',
    ['    await ledger.writeHolds(callerOf(context).id);\n', ''],
    setAside,
    'what a node has set aside of the own balance cannot be moved in',
  ),
  fault(
    'move-out-leaves-slices',
    'ask-out.ts',
    ['    await ledger.writeHolds(scopeIn(context).id);\n', ''],
    setAside,
    'what a node has set aside of the organization cannot leave',
  ),
  fault(
    'move-accept-leaves-slices',
    'decide.ts',
    ['    await ledger.writeHolds(scopeIn(context).id);\n', ''],
    setAside,
    'what a node has set aside of the organization cannot leave when it is accepted',
  ),
  ...['ask-out', 'into', 'decide'].flatMap((verb) =>
    ['from', 'to'].map((side) =>
      fault(
        `move-${verb}-${side}-is-not-announced`,
        `${verb}.ts`,
        [`    await store.changes.announce('users', String(move.${side}_id));\n`, ''],
        setAside,
        'nodes keep what they remember of a balance that a move has changed',
      ),
    ),
  ),
];
