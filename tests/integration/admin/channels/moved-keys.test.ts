// S9: a stored key is sent only to its address. A change of any field that determines the address needs the key again
// and a step-up, and an invalid region is refused.
import { describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { forEachScene } from './support.ts';

const BEDROCK_KEY = 'AKIAEXAMPLE|secretsecret|';
const VERTEX_KEY = JSON.stringify({ project_id: 'p', client_email: 'e', private_key: 'x' });

forEachScene((scene) => {
  const request = (path: string, options: { method?: string; body?: unknown } = {}) =>
    scene().application.request(path, { as: scene().admin, language: 'en', ...options });
  const change = (body: Record<string, unknown>) => request('/api/channel/', { method: 'PUT', body });

  const movable = [
    ['Bedrock', { type: CHANNEL_TYPE.bedrock, key: BEDROCK_KEY, other: 'us-east-1' }, 'eu-central-1'],
    ['Bedrock without a region', { type: CHANNEL_TYPE.bedrock, key: BEDROCK_KEY, other: '' }, 'eu-central-1'],
    ['Vertex', { type: CHANNEL_TYPE.vertex, key: VERTEX_KEY, other: 'us-central1' }, 'europe-west4'],
    [
      'Vertex by model',
      { type: CHANNEL_TYPE.vertex, key: VERTEX_KEY, other: '{"default":"us-central1"}' },
      '{"default":"us-central1","claude-x":"us-east5"}',
    ],
  ] as const;

  describe.each(movable)('%s', (_title, fields, elsewhere) => {
    const create = () => scene().create({ ...fields, base_url: '', models: 'm' });

    test('another region needs the key again, for saving and for a test of the form', async () => {
      const { id } = await create();
      const refused = await change({ id, other: elsewhere });
      expect([refused.body.code, refused.body['field']]).toEqual(['channel_key_needed_for_address', 'key']);
      const draft = { id, type: fields.type, base_url: '', key: '', other: elsewhere, model: 'm' };
      expect((await request('/api/channel/test', { body: draft })).body.code).toBe(
        'channel_key_needed_for_address',
      );
      expect((await scene().row(id)).other).toBe(fields.other);
      expect((await change({ id, other: elsewhere, key: fields.key })).body.success).toBe(true);
      expect((await scene().row(id)).other).toBe(elsewhere);
    });

    test('the same hosts in another spelling do not need the key', async () => {
      const { id } = await create();
      const spelled = fields.other.startsWith('{') ? '{"other":"us-central1"}' : ` ${fields.other} `;
      expect((await change({ id, other: spelled, weight: 3 })).body.success).toBe(true);
    });

    test('a region that would end the host name is refused, with the key and without', async () => {
      const { id } = await create();
      for (const other of [
        'evil.example/',
        'a@127.0.0.1:9106/#',
        'us-east-1.evil.example/#',
        '{"default":"us-central1","m":"evil.example/"}',
      ]) {
        const withKey = await change({ id, other, key: fields.key });
        expect([other, withKey.body.code, withKey.body['field']]).toEqual([
          other,
          'channel_other_invalid',
          'other',
        ]);
        expect((await change({ id, other })).body.success).toBe(false);
        const body = { name: 'x', models: 'm', groups: 'default', ...fields, base_url: '', other };
        expect((await request('/api/channel/', { body })).body.code).toBe('channel_other_invalid');
      }
      expect((await scene().row(id)).other).toBe(fields.other);
    });
  });

  test('another path on the same host needs the key again; a slash at the end changes nothing (S22)', async () => {
    const { id } = await scene().create({ base_url: `${scene().upstream.url}/tenant-a`, models: 'm' });
    const other = await change({ id, base_url: `${scene().upstream.url}/tenant-b` });
    expect([other.body.code, other.body['field']]).toEqual(['channel_key_needed_for_address', 'key']);
    expect((await scene().row(id)).base_url).toEndWith('/tenant-a');
    expect((await change({ id, base_url: `${scene().upstream.url}/tenant-a/` })).body.success).toBe(true);
    const moved = { id, base_url: `${scene().upstream.url}/tenant-b`, key: 'sk-of-the-other' };
    expect((await change(moved)).body.success).toBe(true);
  });

  test('with a base URL the region is no part of the host, and only has to be valid', async () => {
    const { id } = await scene().create({ type: CHANNEL_TYPE.bedrock, key: BEDROCK_KEY, other: 'us-east-1' });
    expect((await change({ id, other: 'eu-central-1' })).body.success).toBe(true);
    expect((await change({ id, base_url: '' })).body.code).toBe('channel_key_needed_for_address');
  });

  test.each([
    ['the account id of Cloudflare', CHANNEL_TYPE.cloudflare, 'first', 'evil.example/'],
    ['the version of Gemini', CHANNEL_TYPE.gemini, 'v1', '@evil.example'],
    ['the version of Spark', CHANNEL_TYPE.spark, 'v3.1', '@evil.example'],
    ['the bot of Coze', CHANNEL_TYPE.coze, '1', '@evil.example'],
  ])('%s is no part of the host: it can change without the key', async (_title, type, before, after) => {
    const { id } = await scene().create({ type, other: before, base_url: '', models: 'm' });
    expect((await change({ id, other: after })).body.success).toBe(true);
  });

  test.each([
    ['base_url', { type: CHANNEL_TYPE.openAi }, { base_url: 'http://127.0.0.1:9' }],
    ['other', { type: CHANNEL_TYPE.bedrock, base_url: '', other: 'us-east-1' }, { other: 'eu-central-1' }],
    ['type', { type: CHANNEL_TYPE.deepSeek, base_url: '' }, { type: CHANNEL_TYPE.moonshot }],
    ['setting', { type: CHANNEL_TYPE.openAi }, { setting: '{"proxy":"http://127.0.0.1:9"}' }],
  ])(
    'a new address by %s needs a step-up beside the key; other changes do not (plan S9)',
    async (_name, fields, move) => {
      const { id } = await scene().create({ ...fields, key: 'sk-first-key', models: 'm' });
      const { db, changes } = scene().application.store;
      const setVerified = async (age: number) => {
        const verified_at = Math.floor(Date.now() / 1000) - age;
        await db
          .updateTable('sessions')
          .set({ verified_at })
          .where('user_id', '=', scene().admin.id)
          .execute();
        await changes.announce('sessions');
      };
      await setVerified(301);
      expect((await change({ id, ...move })).body.code).toBe('channel_key_needed_for_address');
      expect((await change({ id, ...move, key: 'sk-second-key' })).body.code).toBe('step_up_required');
      expect((await change({ id, weight: 5, key: 'sk-third-key' })).body.success).toBe(true);
      await setVerified(0);
      expect((await change({ id, ...move, key: 'sk-second-key' })).body.success).toBe(true);
      faultSeen('S9', 'a new address by base_url, region, type and proxy: refused without key and step-up');
    },
  );
});
