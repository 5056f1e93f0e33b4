// Streams of an organization's keys that run when the organization is suspended or a member's account is disabled: they end with the
// reason that the next call gets, and what was delivered is charged.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { TokenView } from '#contract/admin/tokens.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const MODEL = 'gpt-4o-mini';

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL] });
  });
  afterAll(async () => {
    await scene.close();
    await mock.stop();
  });
  const root = () => scene.app.client(scene.root);

  async function funded(): Promise<Organization> {
    const organization = await scene.organization();
    const params = { id: organization.id };
    await root().organizationManagement.adjustBalance({ params, body: { quota_change: 10_000_000 } });
    return organization;
  }
  async function keyOf(member: Member): Promise<TokenView> {
    const [token] = await member.client.tokens.create({ body: { name: 'key', unlimited_quota: true } });
    if (token === undefined) throw new Error('no token');
    return token;
  }

  interface Dialect {
    path: string;
    body: object;
  }
  const chat: Dialect = { path: '/v1/chat/completions', body: {} };
  const messages: Dialect = { path: '/v1/messages', body: { max_tokens: 8000 } };

  /** Of a stream that has begun and does not end by itself. */
  async function streamed({ key }: TokenView, { path, body }: Dialect): Promise<Response> {
    const before = mock.requests.length;
    mock.behave({ outputTokens: 8000, chunkDelayMilliseconds: 20 });
    const response = await fetch(`${scene.app.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key}` },
      body: JSON.stringify({
        ...body,
        model: MODEL,
        stream: true,
        messages: [{ role: 'user', content: 'go on' }],
      }),
    });
    expect(response.status).toBe(200);
    await eventually(
      () => mock.requests[before]?.outputTokensWritten ?? 0,
      (tokens) => tokens > 3,
    );
    return response;
  }
  const lastRow = async (id: number) =>
    await scene.app.store.db
      .selectFrom('logs')
      .selectAll()
      .where('user_id', '=', id)
      .where('type', '=', 2)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();

  async function expectCharged(id: number): Promise<void> {
    const row = await lastRow(id);
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.completion_tokens).toBeLessThan(8000);
    expect(row.quota).toBeGreaterThan(0);
    expect(JSON.parse(row.other)).toMatchObject({ ending: 'revoked' });
    const holds = scene.app.store.db.selectFrom('holds').select('id');
    expect(await holds.where('token_id', '=', row.token_id).execute()).toEqual([]);
    expect(await checkInvariants(scene.app.store)).toEqual([]);
  }

  test.each([
    ['passed through', chat],
    ['converted', messages],
  ])('the organization is suspended, and the stream is %s', async (_how, dialect) => {
    const { id, owner } = await funded();
    const response = await streamed(await keyOf(owner), dialect);
    await root().organizationManagement.suspend({ params: { id }, body: { reason: 'unpaid' } });
    const text = await response.text();
    expect(text).toContain('was suspended by an administrator of this site (unpaid) during the answer');
    // A stream is charged for what it delivered.
    expect(text).toContain('What was delivered is charged');
    if (dialect === chat) expect(text).toContain('"code":"organization_suspended"');
    expect(text).not.toContain('[DONE]');
    await expectCharged(id);
  });

  test("a member's account is disabled: that member's stream ends, another goes on", async () => {
    const organization = await funded();
    const member = await organization.member('member');
    const [mine, owners] = [await keyOf(member), await keyOf(organization.owner)];
    const [ending, lasting] = [await streamed(mine, chat), await streamed(owners, chat)];
    await root().userManagement.manage({ body: { id: member.id, action: 'disable' } });
    const text = await ending.text();
    expect(text).toContain('"code":"user_disabled"');
    await expectCharged(organization.id);
    const { member_id } = await lastRow(organization.id);
    expect(member_id).toBe(member.id);
    const reader = lasting.body!.getReader();
    const { done } = await reader.read();
    expect(done).toBe(false);
    await reader.cancel();
  });

  test('a person is disabled: their own stream keeps the reason of people', async () => {
    const person = await scene.app.actor({ quota: 10_000_000 });
    const [token] = await scene.app
      .client(person)
      .tokens.create({ body: { name: 'own', unlimited_quota: true } });
    const response = await streamed(token!, chat);
    await root().userManagement.manage({ body: { id: person.id, action: 'disable' } });
    const text = await response.text();
    expect(text).toContain('"code":"user_disabled"');
    expect(text).not.toContain('suspended');
    await expectCharged(person.id);
  });

  test('a member is removed: their stream ends because the key is disabled', async () => {
    const organization = await funded();
    const member = await organization.member('member');
    const response = await streamed(await keyOf(member), chat);
    await organization.owner.client.members.remove({ params: { user_id: member.id }, body: {} });
    expect(await response.text()).toContain('"code":"token_disabled"');
    await expectCharged(organization.id);
  });
});
