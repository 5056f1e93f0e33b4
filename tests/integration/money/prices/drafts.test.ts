// Drafts, proposals and publications without a server: each changes its own row alone, in the states that allow it.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { pricesText, readPrices } from '#contract/money/price-keys.ts';
import type { ListedPrice } from '#contract/money/listed-price.ts';
import {
  changeDraft,
  createDraft,
  readDraft,
  scheduleDraft,
  withdrawDraft,
  type PriceAuthor,
  type PriceBookParts,
  type PriceDraft,
} from '#server/money/price-book/drafts.ts';
import { fetchPriceList, proposeFromAddresses } from '#server/money/price-book/fetch-list.ts';
import { impactOf } from '#server/money/price-book/impact.ts';
import { decideProposals, proposePrices } from '#server/money/price-book/proposals.ts';
import { errorOf, publishDraft, publishDue, rollBack } from '#server/money/price-book/publish.ts';
import { newestVersion, readVersion, runningVersionAt } from '#server/money/price-book/versions.ts';
import { createLog } from '#server/platform/log.ts';
import { openSettings, type LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';

setDefaultTimeout(60_000);

const now = () => Math.floor(Date.now() / 1000);
const { signal } = new AbortController();

forEachDatabase((label, open) => {
  describe('the price book', () => {
    let store: Store;
    let settings: LiveSettings;
    let parts: PriceBookParts;
    let audited: unknown[][];
    let announced: number;
    let stop: () => void;
    const author = (actorId: number): PriceAuthor => ({
      actorId,
      language: 'en',
      audit: async (_, ...row) => void audited.push(row),
    });

    beforeEach(async () => {
      store = await open();
      settings = await openSettings(store, createLog({ level: 'error' }));
      parts = { store, settings };
      audited = [];
      announced = 0;
      stop = store.changes.subscribe('settings', () => void (announced += 1));
    });
    afterEach(() => {
      stop();
      settings.close();
    });

    const codeOf = async (promise: Promise<unknown>) => {
      const error = await failure(promise);
      return error instanceof AppError ? error.code : error;
    };
    const draftOf = (prices: Record<string, unknown>, reason = 'why') =>
      createDraft(parts, { reason, source: 'operator', prices }, author(7));
    const drafts = (...but: number[]) =>
      store.db
        .selectFrom('price_drafts')
        .selectAll()
        .where('id', 'not in', [0, ...but])
        .orderBy('id')
        .execute();
    const setDraft = (id: number, change: Partial<PriceDraft>) =>
      store.db.updateTable('price_drafts').set(change).where('id', '=', id).execute();
    const versions = async () => (await store.db.selectFrom('price_versions').select('id').execute()).length;

    test('a scheduled draft is not changed, only its time; the other drafts stay as they are (M21)', async () => {
      const first = await draftOf({ BatchRatio: 0.4 });
      const draft = await draftOf({ BatchRatio: 0.3 });
      const last = await draftOf({ BatchRatio: 0.2 });
      expect(await readDraft(store.db, draft.id)).toMatchObject({ id: draft.id, created_by: 7, revision: 0 });
      const others = await drafts(draft.id);
      expect(others.map(({ id }) => id)).toEqual([first.id, last.id]);
      const at = (revision: number, publishAt: number) =>
        scheduleDraft(parts, draft.id, { revision, publishAt }, author(8));
      expect(await codeOf(at(0, now()))).toBe('price_time_past');
      expect(await codeOf(at(1, now() + 50))).toBe('price_draft_changed');
      const publish_at = now() + 50;
      expect(await at(0, publish_at)).toMatchObject({
        status: 'scheduled',
        publish_at,
        revision: 1,
        updated_by: 8,
      });
      const change = { revision: 1, prices: { BatchRatio: 0.1 } };
      expect(await codeOf(changeDraft(parts, draft.id, change, author(8)))).toBe('price_draft_closed');
      await setDraft(draft.id, { error: 'old' });
      expect(await at(1, 0)).toMatchObject({ status: 'draft', publish_at: 0, revision: 2, error: '' });
      const changed = await changeDraft(parts, draft.id, { ...change, revision: 2 }, author(9));
      expect(changed).toMatchObject({ reason: 'why', updated_by: 9, created_by: 7 });
      expect(readPrices(changed.prices).BatchRatio).toBe(0.1);
      const renamed = { revision: 3, prices: {}, reason: 'because' };
      expect(await changeDraft(parts, draft.id, renamed, author(9))).toMatchObject({ reason: 'because' });
      await at(4, publish_at);
      expect(await withdrawDraft(parts, draft.id, 5, author(9))).toMatchObject({
        status: 'withdrawn',
        publish_at: 0,
      });
      for (const refused of [() => at(6, publish_at), () => withdrawDraft(parts, draft.id, 6, author(9))])
        expect(await codeOf(refused())).toBe('price_draft_closed');
      expect(await codeOf(readDraft(store.db, 99))).toBe('not_found');
      expect(await drafts(draft.id)).toEqual(others);
      const { id: based_on } = await newestVersion(store.db);
      expect(audited[1]).toEqual([
        'price_draft.create',
        `price_draft:${draft.id}`,
        undefined,
        { based_on, reason: 'why' },
      ]);
      expect(audited[4]?.slice(2)).toEqual([{ publish_at }, { publish_at: 0 }]);
      expect(audited.slice(3).map(([action, target]) => [action, target])).toEqual(
        ['schedule', 'schedule', 'change', 'change', 'schedule', 'withdraw'].map((verb) => [
          `price_draft.${verb}`,
          `price_draft:${draft.id}`,
        ]),
      );
      expect(audited[5]?.slice(2)).toEqual([
        { reason: 'why' },
        { reason: 'why', changes: [{ key: 'BatchRatio', name: '', before: 0.3, after: 0.1 }] },
      ]);
    });

    test('a draft whose audit row cannot be written does not change (M21)', async () => {
      const draft = await draftOf({ BatchRatio: 0.4 });
      const { id: first } = await newestVersion(store.db);
      await settings.set('BatchRatio', '0.6', 7);
      const failing: PriceAuthor = { ...author(7), audit: () => Promise.reject(new Error('no row')) };
      const { id } = draft;
      const before = await drafts();
      const seen = { revision: 0, over: (await newestVersion(store.db)).id };
      const count = await versions();
      for (const refused of [
        () => createDraft(parts, { reason: '', source: 'operator' }, failing),
        () => changeDraft(parts, id, { revision: 0, prices: { BatchRatio: 0.1 } }, failing),
        () => scheduleDraft(parts, id, { revision: 0, publishAt: now() + 50 }, failing),
        () => withdrawDraft(parts, id, 0, failing),
        () => publishDraft(parts, id, seen, failing),
        () => rollBack(parts, first, { over: seen.over, reason: '' }, failing),
      ])
        expect((await failure(refused())).message).toBe('no row');
      expect(await drafts()).toEqual(before);
      expect(await versions()).toBe(count);
      expect(settings.current.BatchRatio).toBe(0.6);
      // The job: its draft stays scheduled, also when it cannot be published and that cannot be noted.
      await setDraft(id, { status: 'scheduled', publish_at: 5, based_on: seen.over });
      const scheduled = await drafts();
      const audit: PriceAuthor['audit'] = async (_, action) => {
        if (action === 'price_version.publish') throw new Error('no row');
      };
      expect((await failure(publishDue(parts, audit, signal))).message).toBe('no row');
      expect([await drafts(), await versions()]).toEqual([scheduled, count]);
      await setDraft(id, { based_on: first });
      expect((await failure(publishDue(parts, failing.audit, signal))).message).toBe('no row');
      expect((await readDraft(store.db, id)).status).toBe('scheduled');
    });

    test('drafts are published when they are scheduled and due, and one that cannot be goes back alone (M21)', async () => {
      const made = {
        due: await draftOf({ BatchRatio: 0.4 }, 'due'),
        conflict: await draftOf({ BatchRatio: 0.3 }, 'conflict'),
        later: await draftOf({ BatchRatio: 0.2 }, 'later'),
        plain: await draftOf({ BatchRatio: 0.1 }, 'plain'),
        withdrawn: await draftOf({ BatchRatio: 0.1 }, 'withdrawn'),
      };
      const scheduled = { status: 'scheduled', updated_by: 8 } as const;
      await setDraft(made.due.id, { ...scheduled, publish_at: now() - 5, error: 'old' });
      await setDraft(made.conflict.id, { ...scheduled, publish_at: now() - 4 });
      await setDraft(made.later.id, { ...scheduled, publish_at: now() + 500 });
      await setDraft(made.plain.id, { publish_at: 5 });
      await setDraft(made.withdrawn.id, { status: 'withdrawn', publish_at: 5 });
      const ids = [made.due.id, made.conflict.id];
      const [before, count] = [await drafts(...ids), await versions()];
      const { audit } = author(0);
      await publishDue(parts, audit, AbortSignal.abort());
      expect(await versions()).toBe(count);
      await publishDue(parts, audit, signal);
      expect(await drafts(...ids)).toEqual(before);
      expect(await versions()).toBe(count + 1);
      const version = await newestVersion(store.db);
      expect(version).toMatchObject({ source: 'scheduled', reason: 'due', created_by: 8 });
      expect(await readDraft(store.db, made.due.id)).toMatchObject({
        status: 'published',
        version_id: version.id,
        error: '',
      });
      const back = await readDraft(store.db, made.conflict.id);
      expect(back).toMatchObject({ status: 'draft', publish_at: 0, version_id: 0 });
      expect(errorOf(back, 'en')).toContain('BatchRatio');
      expect(errorOf(made.later, 'en')).toBe('');
      expect(settings.current.BatchRatio).toBe(0.4);
      expect(announced).toBeGreaterThan(0);
      expect(audited[6]?.slice(2)).toEqual([
        { version: version.id - 1 },
        { version: version.id, draft: made.due.id, reason: 'due' },
      ]);
      const rows = audited.slice(5).map(([action, target]) => [action, target]);
      expect(rows).toEqual([
        ['option.save', 'option:BatchRatio'],
        ['price_version.publish', `price_version:${version.id}`],
        ['price_draft.not_published', `price_draft:${made.conflict.id}`],
      ]);
    });

    test('a draft that an operator changes while the job publishes it is left to the operator (M21)', async () => {
      for (const change of [
        { status: 'draft', publish_at: 0 },
        { status: 'scheduled', publish_at: now() + 500 },
      ] as const) {
        const other = await draftOf({ ImageRatio: { [change.status]: 2 } });
        const { id } = await draftOf({ BatchRatio: 0.4 });
        await setDraft(other.id, { status: 'scheduled', publish_at: 4 });
        await setDraft(id, { status: 'scheduled', publish_at: 5 });
        // After the first is published the operator is faster than the job.
        const slow = {
          current: settings.current,
          async reload() {
            await settings.reload();
            await setDraft(id, { ...change, revision: 5 });
          },
        };
        await publishDue({ store, settings: slow }, author(0).audit, signal);
        expect(await readDraft(store.db, other.id)).toMatchObject({ status: 'published' });
        expect(await readDraft(store.db, id)).toMatchObject({ ...change, revision: 5, error: '' });
      }
      expect(audited.map(([action]) => action)).not.toContain('price_draft.not_published');
    });

    test('a rollback takes the prices of the named version, over the one that was seen (M21)', async () => {
      const first = await newestVersion(store.db);
      await settings.set('BatchRatio', '0.4', 7);
      const second = await newestVersion(store.db);
      await settings.set('BatchRatio', '0.3', 7);
      const over = (await newestVersion(store.db)).id;
      const back = (id: number, seen: number) =>
        rollBack(parts, id, { over: seen, reason: 'mistyped' }, author(8));
      expect(await codeOf(back(99, over))).toBe('not_found');
      expect(await failure(back(second.id, second.id))).toMatchObject({
        code: 'price_draft_outdated',
        parameters: { version: over },
      });
      const version = await back(second.id, over);
      expect(settings.current.BatchRatio).toBe(0.4);
      expect(version).toMatchObject({ source: 'rollback', reason: 'mistyped', created_by: 8 });
      expect((await readVersion(store.db, first.id))?.id).toBe(first.id);
      expect(audited.at(-1)).toEqual([
        'price_version.rollback',
        `price_version:${version.id}`,
        { version: over },
        { version: version.id, draft: 0, reason: 'mistyped' },
      ]);
    });

    test('the version of a time is the last one that was in force then (M21)', async () => {
      const add = async (effective_at: number) => {
        const { prices } = await newestVersion(store.db);
        const row = { effective_at, source: 'test', prices };
        const { id } = await store.db
          .insertInto('price_versions')
          .values(row)
          .returning('id')
          .executeTakeFirstOrThrow();
        return id;
      };
      const far = now() + 1000;
      const ids = [await add(far), await add(far + 10), await add(far + 20)];
      const at = async (time: number) => (await runningVersionAt(store.db, time))?.id;
      expect([await at(far), await at(far + 9), await at(far + 10), await at(far + 25)]).toEqual([
        ids[0],
        ids[0],
        ids[1],
        ids[2],
      ]);
    });

    test('a node whose clock is behind makes a version that begins no earlier than the one before it (M21)', async () => {
      const { prices } = await newestVersion(store.db);
      const ahead = now() + 1000;
      const row = { effective_at: ahead, source: 'a clock that is ahead', prices };
      await store.db.insertInto('price_versions').values(row).execute();
      await settings.set('BatchRatio', '0.4', 7);
      const newest = await newestVersion(store.db);
      expect(newest).toMatchObject({ effective_at: ahead, source: 'settings' });
      // So the prices of every time are those of the last version that had begun.
      expect((await runningVersionAt(store.db, ahead))?.id).toBe(newest.id);
      expect((await runningVersionAt(store.db, ahead - 1))?.id).toBeLessThan(newest.id - 1);
    });

    test('a preview counts the calls of its week by model and group, the largest change first (M21)', async () => {
      const WEEK = 7 * 86_400;
      const to = now() - (now() % 3600) - WEEK + 1800;
      const row = (model_name: string, created_at: number, more: object = {}) => ({
        type: 2,
        created_at,
        model_name,
        group: 'default',
        quota: 7,
        other: '{"usage":{"input":100}}',
        ...more,
      });
      await store.db
        .insertInto('logs')
        .values([
          row('one', to - WEEK),
          row('one', to - 1),
          row('one', to - 1, { group: 'vip' }),
          row('one', to - WEEK - 1),
          row('one', to),
          // Neither a call nor one that can be rated.
          row('one', to - 5, { type: 5 }),
          row('one', to - 5, { other: '{}' }),
          row('one', to - 5, { model_name: 'unpriced' }),
          row('two', to - 7200),
          row('new', to - 7200),
          row('gone', to - 7200),
        ])
        .execute();
      const usual = readPrices((await newestVersion(store.db)).prices);
      const textOf = (ratios: Record<string, number>) =>
        pricesText({ ...usual, GroupRatio: { default: 1, vip: 2 }, ModelRatio: ratios });
      const prices = {
        running: textOf({ one: 1, two: 5, gone: 1 }),
        draft: textOf({ one: 2, two: 1, new: 1 }),
      };
      const impact = await impactOf(store, prices, { to });
      expect(impact).toMatchObject({ from: to - WEEK, to, read: 8, calls: 8, not_rated: 4 });
      expect(impact.parts).toEqual([
        { model: 'two', group: 'default', calls: 1, charged: 7, running: 500, draft: 100 },
        { model: 'one', group: 'default', calls: 2, charged: 14, running: 200, draft: 400 },
        { model: 'one', group: 'vip', calls: 1, charged: 7, running: 200, draft: 400 },
      ]);
      // The first hour of the week has more calls than are read.
      const first = to - WEEK - ((to - WEEK) % 3600);
      const hour = { hour: first, user_id: 1, token_id: 0, channel_id: 0, model_name: 'one', count: 9 };
      await store.db.insertInto('usage_hours').values(hour).execute();
      expect(await impactOf(store, prices, { to, rowsPerHour: 1 })).toMatchObject({ read: 3, calls: 11 });
    });

    describe('prices of outside lists', () => {
      const origin = 'https://list.example/prices';
      const price = (model: string, input: number): ListedPrice => ({ model, input, output: input });
      const propose = (models: ListedPrice[], from = origin) =>
        store.db
          .transaction()
          .execute((transaction) => proposePrices(store, transaction, { shape: 'litellm', models }, from));
      const proposals = () =>
        store.db
          .selectFrom('price_proposals')
          .select(['id', 'model', 'origin', 'status', 'draft_id', 'decided_by'])
          .orderBy('id')
          .execute();
      const states = async () => (await proposals()).map(({ model, status }) => `${model} ${status}`);
      const decide = (ids: number[], isAccepted: boolean, draftId = 0) =>
        decideProposals(parts, { ids, isAccepted, draftId }, author(8));

      beforeEach(async () => {
        await addChannel(store, { base_url: 'http://127.0.0.1:9', models: ['one', 'two'] });
      });

      test('only differing prices of known models are proposed, and a newer one replaces its own model’s (M21)', async () => {
        await settings.set('ModelRatio', '{"priced":2}', 7);
        await settings.set('ModelPrice', '{"fixed":1}', 7);
        const list = [price('one', 2), price('two', 2), price('three', 2)];
        expect(await propose([...list, price('priced', 2), { model: 'fixed', perCall: 1 }])).toEqual({
          known: 4,
          proposed: 3,
        });
        // A list without numbers that options can say.
        expect(await propose([{ model: 'one', output: 3 }])).toEqual({ known: 1, proposed: 0 });
        expect(await propose(list)).toEqual({ known: 2, proposed: 0 });
        expect(await propose([price('one', 3)])).toEqual({ known: 1, proposed: 1 });
        // The newest one counts, not the one before.
        expect(await propose([price('one', 3)])).toEqual({ known: 1, proposed: 0 });
        expect(await states()).toEqual(['one replaced', 'two open', 'priced open', 'one open']);
      });

      test('a list that two nodes read at once is proposed once (M21)', async () => {
        const list = [price('one', 2), price('two', 2)];
        // On PostgreSQL all have begun before one goes on; SQLite has one writer.
        let missing = label === 'postgres' ? 3 : 1;
        const begun = Promise.withResolvers<void>();
        const read = () =>
          store.db.transaction().execute(async (transaction) => {
            missing -= 1;
            if (missing <= 0) begun.resolve();
            await begun.promise;
            return await proposePrices(store, transaction, { shape: 'litellm', models: list }, origin);
          });
        await Promise.all([read(), read(), read()]);
        expect((await states()).toSorted()).toEqual(['one open', 'two open']);
        const { created_at } = await store.db
          .selectFrom('price_proposals')
          .select('created_at')
          .executeTakeFirstOrThrow();
        expect(Math.abs(created_at - now())).toBeLessThan(60);
      });

      test('a decision concerns open proposals that it names, and a refused price does not come back (M21)', async () => {
        await propose([price('one', 2), price('two', 2)]);
        await propose([price('one', 4)], 'https://other.example/');
        const [one, two, other] = (await proposals()).map(({ id }) => id) as [number, number, number];
        expect(await decide([one], false)).toEqual({ decided: 1, draft: 0 });
        expect(audited.at(-1)).toEqual([
          'price_proposal.refuse',
          'price_proposals',
          undefined,
          { models: ['one'] },
        ]);
        expect(await decide([one], true)).toEqual({ decided: 0, draft: 0 });
        expect(await propose([price('one', 2)])).toMatchObject({ proposed: 0 });
        const draft = await draftOf({ BatchRatio: 0.4 });
        const neighbour = await draftOf({ BatchRatio: 0.3 });
        expect(await decide([one, two], true, draft.id)).toEqual({ decided: 1, draft: draft.id });
        expect(await proposals()).toMatchObject([
          { id: one, status: 'refused', draft_id: 0, decided_by: 8 },
          { id: two, status: 'accepted', draft_id: draft.id, decided_by: 8 },
          { id: other, status: 'open', draft_id: 0, decided_by: 0 },
        ]);
        const { prices } = await readDraft(store.db, draft.id);
        expect(readPrices(prices)).toMatchObject({ BatchRatio: 0.4, ModelRatio: { two: 1 } });
        expect(readPrices(prices).ModelRatio).toEqual({ two: 1 });
        expect(await drafts(draft.id)).toEqual([neighbour]);
        // An accepted price that was never published is proposed again.
        expect(await propose([price('two', 2)])).toMatchObject({ proposed: 1 });
      });

      test('accepted prices go into a draft that is open, or into a new one; else nothing is decided (M21)', async () => {
        await propose([price('one', 2), price('two', 2)]);
        const [one, two] = (await proposals()).map(({ id }) => id) as [number, number];
        const draft = await draftOf({ BatchRatio: 0.4 });
        await scheduleDraft(parts, draft.id, { revision: 0, publishAt: now() + 500 }, author(7));
        expect(await codeOf(decide([one], true, draft.id))).toBe('price_draft_closed');
        expect(await codeOf(decide([one], true, 99))).toBe('not_found');
        expect(await states()).toEqual(['one open', 'two open']);
        const { draft: made } = await decide([one, two], true);
        const { id: based_on } = await newestVersion(store.db);
        expect(await readDraft(store.db, made)).toMatchObject({ based_on, source: 'import', created_by: 8 });
        expect(audited.at(-1)).toEqual([
          'price_proposal.accept',
          `price_draft:${made}`,
          undefined,
          { models: ['one', 'two'] },
        ]);
      });

      test('a list that cannot be read stops no other one, and its failure is told (M21)', async () => {
        const text = JSON.stringify({ one: { litellm_provider: 'openai', input_cost_per_token: 2e-6 } });
        const pages: Record<string, () => Promise<Response>> = {
          'http://gone/': async () => new Response(text, { status: 404 }),
          'http://away/': () => Promise.reject(new Error('refused')),
          'http://empty/': async () => new Response('<html>'),
          'http://good/': async () => new Response(text),
        };
        const asked: string[] = [];
        const egress = {
          fetch: async (_: unknown, url: string, limits: object) => {
            expect(limits).toMatchObject({ timeoutSeconds: 30, limitBytes: 20_971_520 });
            asked.push(url);
            return await (pages[url]?.() ?? Promise.reject(new Error('unknown')));
          },
        } as unknown as Parameters<typeof fetchPriceList>[0];
        expect(await codeOf(fetchPriceList(egress, 'http://gone/'))).toBe('price_list_unreachable');
        expect(await failure(fetchPriceList(egress, 'http://away/'))).toMatchObject({
          code: 'price_list_unreachable',
          parameters: { detail: 'refused' },
        });
        expect(await codeOf(fetchPriceList(egress, 'http://empty/'))).toBe('price_list_unreadable');
        asked.length = 0;
        const urls = Object.keys(pages);
        await proposeFromAddresses({ store, egress }, urls, AbortSignal.abort());
        expect(asked).toEqual([]);
        const read = proposeFromAddresses({ store, egress }, urls, signal);
        expect(await failure(read)).toMatchObject({ parameters: { detail: 'HTTP 404' } });
        expect([asked, await states()]).toEqual([urls, ['one open']]);
      });

      test('a list is proposed as a whole or not at all (M21)', async () => {
        await sql`create unique index one_list on price_proposals (shape)`.execute(store.db);
        const listed = { litellm_provider: 'openai', input_cost_per_token: 2e-6 };
        const page = JSON.stringify({ one: listed, two: listed });
        const egress = { fetch: async () => new Response(page) } as unknown as Parameters<
          typeof fetchPriceList
        >[0];
        await failure(proposeFromAddresses({ store, egress }, ['http://good/'], signal));
        expect(await states()).toEqual([]);
      });
    });
  });
});
