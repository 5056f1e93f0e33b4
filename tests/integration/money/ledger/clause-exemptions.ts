// Changes of clauses after which a statement gives the same rows, with the reason.
import type { DatabaseLabel } from '#tests/support/databases.ts';
import type { Exemption } from './watched-audit.ts';

const every = /./;

export function sameEitherWay(label: DatabaseLabel): Exemption[] {
  const exemptions: Exemption[] = [
    [
      every,
      /^(\w+\.)?id (>|<=) (\?|\$\d+) -> /,
      'the bounds of a slice: audit.test.ts reads in several slices',
    ],
    [
      every,
      /^user_id (>|<=) (\?|\$\d+) -> \(1 = 1\)/,
      'the bounds of a page of users: a user is in one page',
    ],
    [/\b(user_)?id in \(\d/, every, 'the statements of a page once more, for the users that are suspected'],
    [
      /pg_locks|pg_class|select max\(id\)|select min\(created_at\)/,
      every,
      'how far to read, not what is reported',
    ],
    [/'plan:_%'/, /_account like 'plan:_%' -> \(1 = 1\)/, 'the subquery compares the whole name'],
    [
      /case when exists \(select 1 from logs g/,
      /^(exists \(select 1 from logs g.*|g\.request_id = l\.idem|g\.created_at.*|false) -> \(1 = 0\) /,
      'the first subquery looks only where the row usually is',
    ],
    [/substr\(l\.idem, 7\)/, /^o\.trade_no = substr\(l\.idem, 7\) -> \(1 = 1\) /, 'makes use of an index'],
    [
      /from subscriptions where quota > 0/,
      /^quota > 0 -> \(1 = 1\) /,
      'a subscription without quota adds nothing',
    ],
    [
      /user_id > (\?|\$\d+)\) parts/,
      every,
      'the last page: the same statement without an upper bound, for users that do not exist',
    ],
    [/\) parts group by user_id/, /^user_id > 0 -> \(1 = 1\) /, 'the pages begin with the first user'],
    [
      /from ledger_sums where month/,
      /^month = (\?|\$\d+) -> \(1 = 1\) .*through_id from/,
      'only one row of user 0 is kept',
    ],
    [
      /both_sides/,
      /^(plan_)?(held|held_quota|amount|owed|owed_quota) <> 0 -> \(1 = 1\) /,
      'nothing adds nothing',
    ],
    [
      /from holder_hours/,
      /^user_id in \(select id from organizations\) -> \(1 = 1\) /,
      'makes use of an index: calls of people are attributed to nobody',
    ],
    [/s\.order_id = o\.id/, /^(s\.order_id|o\.plan_id) > 0 -> \(1 = 1\) /, 'makes use of an index'],
    [/r\.account = 'plan:'/, /_account like 'plan:%' -> \(1 = 1\) /, 'the join compares the whole name'],
    [/g\.created_at = l\.created_at/, /^g\.created_at .* -> \(1 = 1\) /, 'selects the partition of the day'],
    [/with recursive numbers/, /^n\.move < d\.moves -> \(1 = 1\) /, 'the recursion would not end'],
    [
      /with recursive numbers/,
      /^select n\.id, n\.move \+ 1 .* -> select \* /,
      'a recursion cannot stand in a subquery; a condition that never holds leaves it out as well',
    ],
  ];
  if (label === 'sqlite')
    exemptions.push(
      [
        /from ledger_sums where month/,
        /^user_id = 0 -> \(1 = 1\) /,
        'SQLite gives the first of several rows, which is that of user 0',
      ],
      [/m\.idem = l\.idem/, every, 'the unique index of SQLite cannot be dropped'],
      [
        /case when exists \(select 1 from logs g/,
        /^not exists \(select 1 from logs g.* -> \(1 = 1\) /,
        'the log of SQLite has no partitions: both subqueries are the same',
      ],
    );
  return exemptions;
}
