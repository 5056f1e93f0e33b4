import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './zh.ts';

export default {
  title: 'Audit',
  list: 'The audit trail',
  actor: 'Who (username or id)',
  column: {
    time: 'Time',
    actor: 'Who',
    action: 'Action',
    target: 'Target',
    change: 'Change',
    address: 'Address',
  },
  nobody: 'not signed in',
  range: {
    label: 'Time',
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    month: 'Last 30 days',
  },
  all: 'All {{kind}} actions',
  chain: {
    checking: 'Verifying the chain…',
    whole: 'The chain is whole: {{rows}} rows',
    broken: 'The chain is broken at row {{id}}: it was altered, or the row before it was removed',
    checkedAt: 'Verified',
    again: 'Verify again',
    hash: 'Hash of the last row',
  },
  export: { label: 'Export', csv: 'Export CSV', jsonl: 'Export JSONL' },
  empty: {
    title: 'Nothing in the trail yet',
    text: 'Sign-ins, rights, quota, settings and keys: whatever is done to them is recorded here.',
  },
  detail: {
    before: 'Before',
    after: 'After',
    request: 'Request id',
    hash: 'Hash',
    filter: 'Only this',
    none: 'Nothing more is recorded',
  },
  suspended: {
    title: 'Users the system suspended',
    text: 'Their books do not balance, or a fraud rule fired. Lift it only when you know why; whoever is still out of balance is suspended again.',
    lift: 'Lift',
    liftTitle: 'Lift the suspension of {{name}}',
    reason: 'Reason',
    reasonRequired: 'Please give a reason',
    done: 'Suspension lifted',
  },
} satisfies Messages<typeof zh>;
