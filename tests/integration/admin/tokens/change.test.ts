// Changing, deleting and restoring tokens on both databases, while the ledger charges.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOKEN_STATUS, type TokenView } from '#contract/admin/tokens.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { refusal, SCENE_TIME, tokenScene, type Person, type TokenScene } from './support.ts';

const HOUR = 3600;

forEachDatabase((_label, open) => {
  let scene: TokenScene;
  let people = 0;
  const newPerson = () => scene.person(`person-${(people += 1)}`);

  beforeAll(async () => {
    scene = tokenScene(await open());
  });

  async function create(person: Person, body: Record<string, unknown> = {}): Promise<TokenView> {
    const [token] = await person.call('create', { body: { name: 'token', ...body } });
    if (!token) throw new Error('nothing was created');
    return token;
  }

  const change = (person: Person, body: Record<string, unknown>) => person.call('change', { body });
  const setStatus = (person: Person, id: number, status: number) =>
    person.call('change', { query: { status_only: 'true' }, body: { id, status } });

  function row(id: number): Promise<Row<'tokens'>> {
    return scene.store.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  async function write(id: number, columns: Partial<Row<'tokens'>>): Promise<void> {
    await scene.store.db.updateTable('tokens').set(columns).where('id', '=', id).execute();
  }

  describe('change', () => {
    test('REL-7.30 a full edit changes the named fields and keeps the rest', async () => {
      const person = await newPerson();
      const token = await create(person, { name: 'before', allow_ips: '203.0.113.1', group: 'vip' });
      const changed = await change(person, {
        id: token.id,
        name: 'after',
        unlimited_quota: true,
        rate_limit_message: '  wait a moment ',
        deny_ips: '::1\n::1',
        strict_conversion: true,
        mj_mode: 'turbo',
        mj_backup_pool: false,
      });
      expect(changed).toMatchObject({
        name: 'after',
        unlimited_quota: true,
        rate_limit_message: 'wait a moment',
        deny_ips: '::1',
        strict_conversion: true,
        mj_mode: 'turbo',
        mj_image_proxy: false,
        mj_backup_pool: false,
        allow_ips: '203.0.113.1',
        group: 'vip',
        key: token.key,
        remain_quota: 500_000,
      });
    });

    test('fields that the owner may not set are ignored', async () => {
      const person = await newPerson();
      const stranger = await newPerson();
      const token = await create(person);
      await change(person, {
        id: token.id,
        user_id: stranger.id,
        used_quota: 9,
        held_quota: 9,
        key: 'x',
        key_digest: 'x',
        created_time: 9,
        deleted_at: 9,
        status: 2,
      });
      const stored = await row(token.id);
      expect(stored).toMatchObject({
        user_id: person.id,
        used_quota: 0,
        held_quota: 0,
        created_time: SCENE_TIME,
        deleted_at: null,
        status: TOKEN_STATUS.enabled,
        key_digest: scene.store.vault.digest('token', token.key),
      });
    });

    test('the rules of creation apply to changed fields, not to unchanged ones', async () => {
      const person = await newPerson();
      const token = await create(person, { group: 'vip', expired_time: SCENE_TIME + 10 });
      expect(await refusal(change(person, { id: token.id, name: ' ' }))).toMatchObject({
        code: 'token_name_required',
      });
      expect(await refusal(change(person, { id: token.id, group: 'svip' }))).toMatchObject({
        code: 'group_not_usable',
      });
      expect(await refusal(change(person, { id: token.id, allow_ips: 'x' }))).toMatchObject({
        code: 'address_list_invalid',
      });
      expect(await refusal(change(person, { id: token.id, expired_time: SCENE_TIME - 1 }))).toMatchObject({
        code: 'token_expiry_in_past',
      });
      const { vip } = scene.groups;
      delete scene.groups['vip'];
      scene.clock.now = SCENE_TIME + HOUR;
      try {
        const renamed = await change(person, {
          id: token.id,
          name: 'renamed',
          group: 'vip',
          expired_time: SCENE_TIME + 10,
        });
        expect(renamed).toMatchObject({ name: 'renamed', group: 'vip', status: TOKEN_STATUS.expired });
      } finally {
        scene.clock.now = SCENE_TIME;
        scene.groups['vip'] = vip ?? '';
      }
    });

    test('a change is announced, so that no relay uses the old row', async () => {
      const person = await newPerson();
      const token = await create(person);
      const announced: (string | undefined)[] = [];
      const stop = scene.store.changes.subscribe('tokens', (detail) => announced.push(detail));
      await change(person, { id: token.id, name: 'x' });
      await setStatus(person, token.id, 2);
      await person.call('remove', { params: { id: token.id } });
      await person.call('restore', { params: { id: token.id } });
      for (let wait = 0; wait < 50 && announced.length < 4; wait += 1) await Bun.sleep(20);
      stop();
      expect(announced).toEqual(Array.from({ length: 4 }, () => String(token.id)));
    });
  });

  describe('status', () => {
    test('REL-7.31 REL-4.24 status_only switches between 1 and 2 and changes nothing else', async () => {
      const person = await newPerson();
      const token = await create(person);
      const disabled = await person.call('change', {
        query: { status_only: 'true' },
        body: { id: token.id, status: 2, name: 'other', remain_quota: 1 },
      });
      expect(disabled).toEqual({ ...token, status: TOKEN_STATUS.disabled });
      expect(await setStatus(person, token.id, 1)).toEqual(token);
    });

    test('status_only accepts no other status', async () => {
      const person = await newPerson();
      const token = await create(person);
      for (const status of [3, 4, undefined]) {
        expect(
          await refusal(
            person.call('change', { query: { status_only: '1' }, body: { id: token.id, status } }),
          ),
        ).toMatchObject({ code: 'invalid_parameter' });
      }
    });

    test('REL-4.25 an expired token cannot be enabled until its expiry changes', async () => {
      const person = await newPerson();
      const token = await create(person, { expired_time: SCENE_TIME + HOUR });
      await write(token.id, { status: TOKEN_STATUS.expired, expired_time: SCENE_TIME - HOUR });
      expect(await refusal(setStatus(person, token.id, 1))).toMatchObject({
        code: 'token_expired_cannot_enable',
      });
      expect((await row(token.id)).status).toBe(TOKEN_STATUS.expired);
      const changed = await change(person, { id: token.id, expired_time: SCENE_TIME + HOUR });
      expect(changed.status).toBe(TOKEN_STATUS.enabled);
    });

    test('REL-4.26 an exhausted token cannot be enabled until its quota changes', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 0 });
      await write(token.id, { status: TOKEN_STATUS.exhausted });
      expect(await refusal(setStatus(person, token.id, 1))).toMatchObject({
        code: 'token_exhausted_cannot_enable',
      });
      expect((await change(person, { id: token.id, name: 'still' })).status).toBe(TOKEN_STATUS.exhausted);
      expect((await change(person, { id: token.id, remain_quota: 5 })).status).toBe(TOKEN_STATUS.enabled);
    });

    test('an exhausted token made unlimited is enabled again', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 0 });
      await write(token.id, { status: TOKEN_STATUS.exhausted });
      expect((await change(person, { id: token.id, unlimited_quota: true })).status).toBe(
        TOKEN_STATUS.enabled,
      );
    });

    test('a token disabled by hand can be disabled while expired, and new quota does not enable it', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 0 });
      expect((await setStatus(person, token.id, 2)).status).toBe(TOKEN_STATUS.disabled);
      expect((await change(person, { id: token.id, remain_quota: 5 })).status).toBe(TOKEN_STATUS.disabled);
    });
  });

  describe('quota', () => {
    test('a new quota is applied as the difference to the loaded one', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 1_000 });
      await write(token.id, { remain_quota: 400 }); // 600 spent while the form was open
      const changed = await change(person, {
        id: token.id,
        remain_quota: 2_000,
        loaded_remain_quota: 1_000,
      });
      expect(changed.remain_quota).toBe(1_400);
    });

    test('a caller that does not send the loaded quota sets the value', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 1_000 });
      expect((await change(person, { id: token.id, remain_quota: 70 })).remain_quota).toBe(70);
    });

    test('an edit that would take back spent quota is refused', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 1_000 });
      await write(token.id, { remain_quota: 100 });
      expect(
        await refusal(change(person, { id: token.id, remain_quota: 500, loaded_remain_quota: 1_000 })),
      ).toMatchObject({ code: 'token_changed_meanwhile', status: 409 });
      expect((await row(token.id)).remain_quota).toBe(100);
    });

    test('the quota never falls below what running calls hold', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 1_000 });
      await write(token.id, { held_quota: 300 });
      expect(await refusal(change(person, { id: token.id, remain_quota: 299 }))).toMatchObject({
        code: 'token_quota_held',
        parameters: { held: 300 },
      });
      expect((await change(person, { id: token.id, remain_quota: 300 })).remain_quota).toBe(300);
      // It limits nothing then.
      const unlimited = { id: token.id, unlimited_quota: true, remain_quota: 0 };
      expect(await change(person, unlimited)).toMatchObject({ unlimited_quota: true, remain_quota: 0 });
    });

    test('a quota above the exact integers is refused', async () => {
      const person = await newPerson();
      const token = await create(person, { remain_quota: 1_000 });
      expect(
        await refusal(
          change(person, { id: token.id, remain_quota: Number.MAX_SAFE_INTEGER, loaded_remain_quota: 0 }),
        ),
      ).toMatchObject({ code: 'token_changed_meanwhile' });
    });
  });

  describe('while the ledger spends', () => {
    let ledger: Ledger;
    const spool = mkdtempSync(join(tmpdir(), 'tollgate-tokens-'));
    beforeAll(async () => {
      ledger = await openLedger({ store: scene.store, nodeId: 'tokens', dataDir: spool, version: 'test' });
    });
    afterAll(async () => {
      await ledger.close();
      rmSync(spool, { recursive: true, force: true });
    });

    test('concurrent edits and calls lose neither a charge nor a change', async () => {
      const person = await newPerson();
      await ledger.credit({
        idem: `grant:${person.id}`,
        userId: person.id,
        amount: 1_000_000,
        from: 'world:admin',
        kind: 'test',
        reference: '',
      });
      const token = await create(person, { remain_quota: 100_000 });
      const calls = 60;
      const charge = 7;
      const call = async (index: number) => {
        const requestId = `call-${person.id}-${index}`;
        const admission = await ledger.reserve({
          requestId,
          userId: person.id,
          tokenId: token.id,
          amount: 50,
          limits: { tokens: 0 },
          snapshot: {
            price: {
              version: 1,
              kind: 'price',
              model: 'm',
              group: 'default',
              groupRatio: 1,
              quotaPerUnit: 500_000,
              source: 'operator',
              modelPrice: 0,
            },
            log: () => ({ type: 2 }),
          },
          expiresAt: Math.floor(Date.now() / 1000) + 600,
        });
        expect(admission.ok).toBe(true);
        await ledger.settle(requestId, {
          charge,
          cost: null,
          group: 'default',
          channelId: 1,
          modelName: 'm',
          promptTokens: 1,
          completionTokens: 1,
          useTimeMs: 1,
          firstTokenMs: 0,
          log: null,
        });
      };
      // Each edit adds 100 to the value its form had loaded, even when that is stale.
      const edit = async (index: number) => {
        const loaded = (await row(token.id)).remain_quota;
        await change(person, {
          id: token.id,
          name: `edit ${index}`,
          remain_quota: loaded + 100,
          loaded_remain_quota: loaded,
        });
      };
      await Promise.all([
        ...Array.from({ length: calls }, (_, index) => call(index)),
        ...Array.from({ length: 20 }, (_, index) => edit(index)),
      ]);
      await ledger.writeHolds();
      const stored = await row(token.id);
      expect(stored.remain_quota).toBe(100_000 - calls * charge + 20 * 100);
      expect(stored.used_quota).toBe(calls * charge);
      expect(stored.held_quota).toBe(0);
      const read = await person.call('read', { params: { id: token.id } });
      expect(read.accessed_time).toBeGreaterThan(0);
    });
  });

  describe('delete and restore', () => {
    test('REL-7.32 a deleted token is not found by any call, and its key stays reserved', async () => {
      const person = await newPerson();
      const token = await create(person);
      expect(await person.call('remove', { params: { id: token.id } })).toBeNull();
      expect((await person.call('list')).total).toBe(0);
      expect((await person.call('search', { query: { token: token.key } })).total).toBe(0);
      const gone = { code: 'not_found', status: 404 };
      expect(await refusal(person.call('read', { params: { id: token.id } }))).toMatchObject(gone);
      expect(await refusal(change(person, { id: token.id, name: 'x' }))).toMatchObject(gone);
      expect(await refusal(setStatus(person, token.id, 2))).toMatchObject(gone);
      expect(await refusal(person.call('remove', { params: { id: token.id } }))).toMatchObject(gone);
      expect((await row(token.id)).deleted_at).toBe(SCENE_TIME);
    });

    test('a deletion can be undone for ten minutes, with the same key', async () => {
      const person = await newPerson();
      const token = await create(person);
      await person.call('remove', { params: { id: token.id } });
      scene.clock.now = SCENE_TIME + 600;
      try {
        expect(await person.call('restore', { params: { id: token.id } })).toEqual(token);
        await person.call('remove', { params: { id: token.id } });
        scene.clock.now += 601;
        expect(await refusal(person.call('restore', { params: { id: token.id } }))).toMatchObject({
          code: 'token_restore_too_late',
        });
      } finally {
        scene.clock.now = SCENE_TIME;
      }
    });

    test('a token that was not deleted cannot be restored', async () => {
      const person = await newPerson();
      const token = await create(person);
      expect(await refusal(person.call('restore', { params: { id: token.id } }))).toMatchObject({
        code: 'not_found',
      });
    });
  });

  describe('many at once', () => {
    test('an action changes the tokens it applies to and lists the others', async () => {
      const person = await newPerson();
      const good = await create(person, { name: 'good' });
      const spent = await create(person, { name: 'spent', remain_quota: 0 });
      const late = await create(person, { name: 'late' });
      await write(late.id, { expired_time: SCENE_TIME - 1 });
      const ids = [good.id, spent.id, late.id];
      const batch = (action: string, which = ids) => person.call('batch', { body: { ids: which, action } });
      expect(await batch('disable')).toEqual({ changed: ids, refused: [] });
      expect((await person.call('list', { query: { status: '2' } })).total).toBe(3);
      expect(await batch('enable')).toEqual({ changed: [good.id], refused: [spent.id, late.id] });
      expect(await batch('delete', [good.id, spent.id])).toEqual({
        changed: [good.id, spent.id],
        refused: [],
      });
      expect((await person.call('list')).total).toBe(1);
      expect(await batch('delete')).toEqual({ changed: [late.id], refused: [] });
      scene.clock.now = SCENE_TIME + 601;
      const tooLate = await batch('restore');
      scene.clock.now = SCENE_TIME;
      expect(tooLate).toEqual({ changed: [], refused: ids });
      expect(await batch('restore')).toEqual({ changed: ids, refused: [] });
      expect((await person.call('list')).data.map((token) => token.key)).toContain(good.key);
    });

    test('tokens of another user are neither changed nor listed', async () => {
      const person = await newPerson();
      const stranger = await newPerson();
      const token = await create(person);
      for (const action of ['disable', 'delete', 'enable', 'restore']) {
        expect(await stranger.call('batch', { body: { ids: [token.id], action } })).toEqual({
          changed: [],
          refused: [],
        });
      }
      expect(await row(token.id)).toMatchObject({ status: 1, deleted_at: null });
    });
  });

  test('REL-1.05 the token of another user is not found: no verb reads, changes, deletes or restores it', async () => {
    const person = await newPerson();
    const stranger = await newPerson();
    const token = await create(person, { name: 'mine' });
    const gone = { code: 'not_found', status: 404 };
    expect(await refusal(stranger.call('read', { params: { id: token.id } }))).toMatchObject(gone);
    expect(await refusal(change(stranger, { id: token.id, name: 'yours' }))).toMatchObject(gone);
    expect(await refusal(setStatus(stranger, token.id, 2))).toMatchObject(gone);
    expect(await refusal(stranger.call('remove', { params: { id: token.id } }))).toMatchObject(gone);
    await person.call('remove', { params: { id: token.id } });
    expect(await refusal(stranger.call('restore', { params: { id: token.id } }))).toMatchObject(gone);
    expect(await row(token.id)).toMatchObject({ name: 'mine', status: 1, user_id: person.id });
  });
});
