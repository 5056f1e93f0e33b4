// Refused calls of an organization are counted by whom the key belonged to; beyond the limits of a minute, by nobody.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createRefusals } from '#server/relay/caller/refusals.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

forEachDatabase((_label, open) =>
  describe('refused calls of an organization', () => {
    test('have a row for each holder of a key, and of a flood none names a holder without its account', async () => {
      const store = await open();
      const refusals = createRefusals(store, { warn: () => {} } as never);
      const requestId = Bun.randomUUIDv7();
      const note = (tokenId: number, memberId: number) => {
        const error = new RelayError('token_disabled');
        const organization = { memberId, serviceAccountId: 3, projectId: 4 };
        error.owner = { userId: 7, tokenId, group: 'default', organization };
        refusals.note({ requestId, address: '127.0.0.1', model: 'm' }, error);
      };
      note(1, 51);
      note(1, 52);
      note(1, 52);
      await refusals.flush();
      note(1, 51);
      await refusals.flush();
      const rows = await store.db
        .selectFrom('refused_calls')
        .select(['user_id', 'member_id', 'service_account_id', 'project_id', 'count'])
        .orderBy('member_id')
        .execute();
      const of = { user_id: 7, service_account_id: 3, project_id: 4, count: 2 };
      expect(rows).toEqual([
        { ...of, member_id: 51 },
        { ...of, member_id: 52 },
      ]);

      for (let tokenId = 100; tokenId < 160; tokenId += 1) note(tokenId, 51);
      await refusals.flush();
      const blank = await store.db
        .selectFrom('refused_calls')
        .select(['member_id', 'service_account_id', 'project_id', 'token_id'])
        .where('user_id', '=', 0)
        .execute();
      expect(blank).toEqual([{ member_id: 0, service_account_id: 0, project_id: 0, token_id: 0 }]);
    });
  }),
);
