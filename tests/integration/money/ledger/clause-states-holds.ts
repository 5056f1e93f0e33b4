// What holds did not cover, in states that one clause of the audit decides.
import type { Corruption } from './books.ts';

export const holdStates: Corruption[] = [
  [
    'what a hold did not cover belongs to its call',
    'losses and notes of calls, and of none',
    async ({ entry, userId, world }) => {
      const use = { kind: 'use', debit_account: `user:${userId}`, credit_account: 'revenue', amount: 0 };
      const lost = { kind: 'suspense', debit_account: 'suspense', credit_account: 'revenue' };
      const above = { kind: 'above_hold', debit_account: 'world:above-hold', credit_account: 'world:hold' };
      // Lawful: each kind beside its call, also of a late settlement; entries of other kinds.
      const reference = await entry(use);
      await entry({ ...lost, reference, idem: `${reference}:suspense` });
      await entry({ ...lost, reference, idem: `${reference}:late:suspense` });
      await entry({ ...above, reference, idem: `${reference}:above-hold` });
      await entry({ ...above, reference, idem: `${reference}:late:above-hold` });
      await entry({ reference: 'none' });
      // Reported: without a call, under another key, of another kind of entry, of another user.
      await entry({ ...lost, reference: 'none', idem: 'none:suspense' });
      await entry({ ...above, reference: 'none', idem: 'none:above-hold' });
      await entry({ ...above, reference });
      const gift = await entry();
      await entry({ ...above, reference: gift, idem: `${gift}:above-hold` });
      const other = await entry(use);
      const user_id = await world.user(0);
      await entry({ ...above, user_id, reference: other, idem: `${other}:above-hold` });
      // Reported: the key is that of another call.
      const third = await entry(use);
      await entry({ ...lost, reference: other, idem: `${third}:suspense` });
    },
    undefined,
    6,
  ],
];
