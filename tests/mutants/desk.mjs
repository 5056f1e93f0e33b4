// What needs a person, and the figures of the overview.
const attention = 'server/admin/attention/index.ts';
const readers = ['tests/integration/admin/attention/readers.test.ts'];
const kinds = ['tests/integration/admin/attention/kinds.test.ts'];
const channelPage = ['tests/integration/admin/channels/page.test.ts'];
const operator = ['tests/integration/admin/overview/operator.test.ts'];
const thingDays = ['tests/integration/admin/site/thing-days.test.ts'];
const attentionNotices = ['tests/integration/admin/attention/notices.test.ts'];
const customer = ['tests/integration/admin/overview/customer.test.ts'];

export const desk = [
  {
    name: 'attention-shows-system-to-admins',
    file: attention,
    find: "access === 'root' ? isRoot(caller.role) : isAdmin(caller.role)",
    replace: "access === 'root' ? isAdmin(caller.role) : isAdmin(caller.role)",
    tests: kinds,
    title: 'a ledger that does not balance',
    meaning: 'Administrators see what only the super admin may see.',
  },
  {
    name: 'attention-snooze-outlives-its-fact',
    file: attention,
    find: 'snoozes.get(item.id) === item.mark',
    replace: 'snoozes.has(item.id)',
    tests: readers,
    title: 'a snooze is one person’s',
    meaning: 'A channel that goes off again stays hidden.',
  },
  {
    name: 'attention-counts-old-refusals',
    file: 'server/admin/refused-because.ts',
    find: 'minuteOf(since.get(model) ?? 0)',
    replace: 'minuteOf(0)',
    tests: kinds,
    title: 'a channel that switched itself off',
    meaning: 'Calls that were refused before the channel went off count.',
  },
  {
    name: 'page-cost-without-fees',
    file: 'server/admin/thing-money.ts',
    find: 'cost: figures.cost + figures.fees',
    replace: 'cost: figures.cost',
    tests: channelPage,
    title: 'money of 24h equals the charges',
    meaning: 'The money of a page does not add up.',
  },
  {
    name: 'page-shows-failures-of-others',
    file: 'server/admin/failed-attempts.ts',
    find: '({ channel }) => wanted?.has(channel) ?? true',
    replace: '() => true',
    tests: channelPage,
    title: 'failures are grouped by words',
    meaning: 'Failures of another channel stand on the page.',
  },
  {
    name: 'page-shows-secret-fields',
    file: 'server/admin/audit-events.ts',
    find: "[{ field, before: '', after: '' }]",
    replace: '[{ field, before: old, after: next }]',
    tests: channelPage,
    title: 'without values that may be secret',
    meaning: 'Settings of a channel, as the password of a proxy, are shown as events.',
  },
  {
    name: 'overview-cost-without-fees',
    file: 'server/admin/overview/money.ts',
    find: '  cost: cost + fees,\n  fees,',
    replace: '  cost,\n  fees,',
    tests: operator,
    title: 'the money of yesterday adds up',
    meaning: 'Used is more than cost, margin and unknown together.',
  },
  {
    name: 'overview-owes-to-operators',
    file: 'server/admin/overview/owed.ts',
    find: ".where('role', '<', ROLE.admin)",
    replace: ".where('role', '<=', ROLE.admin)",
    tests: operator,
    title: 'what is owed',
    meaning: 'The operators’ own balances count as owed.',
  },
  {
    name: 'overview-days-of-utc',
    file: 'server/admin/overview/spent.ts',
    find: 'const dayOf = dayFinder(zone, first, last);',
    replace: "const dayOf = dayFinder('UTC', first, last);",
    tests: customer,
    title: 'what each of 14 days in Asia/Shanghai used',
    meaning: 'A customer’s days are not those of the site.',
  },
  {
    name: 'pages-money-of-utc-days',
    file: 'server/admin/margins/recent.ts',
    find: 'const to = addDays(siteDay(zone, at), -back);',
    replace: "const to = addDays(siteDay('UTC', at), -back);",
    tests: thingDays,
    title: 'the money of a channel, a model and a supplier',
    meaning: 'Pages of things miss the money of today between midnight of the site and midnight of UTC.',
  },
  {
    name: 'attention-notices-are-repeated',
    file: 'server/admin/attention/notices.ts',
    find: 'if (now - since < GONE_SECONDS) continue;',
    replace: '',
    tests: attentionNotices,
    title: 'a full disk is one notice',
    meaning: 'A disk at its limit notifies the operators every few minutes.',
  },
  {
    name: 'attention-notices-come-once-for-ever',
    file: 'server/admin/attention/notices.ts',
    find: '      await endOccurrence(store.db, id);\n',
    replace: '',
    tests: attentionNotices,
    title: 'comes back after an hour',
    meaning: 'A disk that is full for the second time notifies nobody.',
  },
  {
    name: 'attention-notices-are-ended-by-others',
    file: 'server/admin/attention/notices.ts',
    find: "OF_THE_NODE.has(kind) ? nodeId : ''",
    replace: "''",
    tests: attentionNotices,
    title: 'another node does not end it',
    meaning: 'A node that can write says that another one’s trouble is over.',
  },
];
