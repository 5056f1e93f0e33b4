// Tags over HTTP on both databases: one tag changes several channels.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { forEachScene, uniqueName } from './support.ts';

setDefaultTimeout(60_000);

forEachScene((scene) => {
  const request = (path: string, options: { method?: string; body?: unknown } = {}) =>
    scene().application.request(path, { as: scene().admin, language: 'zh', ...options });

  async function pool(fields: Record<string, unknown>[] = [{}, {}]) {
    const tag = uniqueName('tag');
    const ids: number[] = [];
    for (const each of fields) ids.push((await scene().create({ tag, ...each })).id);
    return { tag, ids, rows: () => Promise.all(ids.map((id) => scene().row(id))) };
  }

  test('REL-7.21 REL-7.22 REL-4.08 REL-4.09 a tag enables and disables all of its channels', async () => {
    const { tag, ids, rows } = await pool();
    const off = await request('/api/channel/tag/disabled', { body: { tag } });
    expect([off.body.success, off.body.data]).toEqual([true, 2]);
    expect((await rows()).map(({ status }) => status)).toEqual([2, 2]);
    expect((await scene().abilities(ids[0] ?? 0)).map(({ enabled }) => enabled)).toEqual([0]);
    await request('/api/channel/tag/enabled', { body: { tag } });
    expect((await rows()).map(({ status }) => status)).toEqual([1, 1]);
  });

  test('REL-7.23 REL-5.20 REL-3.142 REL-3.143 REL-3.144 REL-3.145 REL-3.146 given fields overwrite those of every channel, abilities follow', async () => {
    const { tag, ids, rows } = await pool([{ models: 'a' }, { models: 'b,c', model_mapping: '{"b":"x"}' }]);
    const renamed = uniqueName('tag');
    const reply = await request('/api/channel/tag', {
      method: 'PUT',
      body: { tag, new_tag: renamed, model_mapping: '{"m":"n"}', groups: 'vip', models: 'm,o' },
    });
    expect(reply.body.data).toBe(2);
    for (const row of await rows()) {
      expect(row).toMatchObject({ tag: renamed, model_mapping: '{"m":"n"}', group: 'vip', models: 'm,o' });
    }
    const pairs = (await scene().abilities(ids[0] ?? 0)).map(({ model, group, tag: own }) => [
      model,
      group,
      own,
    ]);
    expect(pairs).toEqual([
      ['m', 'vip', renamed],
      ['o', 'vip', renamed],
    ]);
  });

  test('REL-3.147 REL-3.148 priority and weight of a tag are set on every channel', async () => {
    const { tag, rows } = await pool([{ priority: 1 }, { priority: 2, weight: 7 }]);
    await request('/api/channel/tag', { method: 'PUT', body: { tag, priority: 5 } });
    await request('/api/channel/tag', { method: 'PUT', body: { tag, weight: 0 } });
    expect((await rows()).map(({ priority, weight }) => [priority, weight])).toEqual([
      [5, 0],
      [5, 0],
    ]);
    for (const weight of [-1, 1.5]) {
      const reply = await request('/api/channel/tag', { method: 'PUT', body: { tag, weight } });
      expect(reply.body.success).toBe(false);
    }
  });

  test('REL-5.17 a tag with a mapping that is no JSON is refused with its message', async () => {
    const { tag } = await pool();
    const reply = await request('/api/channel/tag', { method: 'PUT', body: { tag, model_mapping: 'x' } });
    expect(reply.body.message).toBe('模型映射必须是合法的 JSON 格式！');
  });

  test('REL-5.18 REL-8.03 an edit that changes nothing gets a message that says so', async () => {
    const { tag } = await pool();
    for (const body of [{ tag }, { tag, new_tag: tag, models: '', groups: '' }]) {
      const reply = await request('/api/channel/tag', { method: 'PUT', body });
      expect(reply.body.message).toBe('没有任何修改！');
    }
  });

  test('REL-5.19 an empty new tag removes the tag and keeps its channels', async () => {
    const { tag, rows } = await pool();
    await request('/api/channel/tag', { method: 'PUT', body: { tag, new_tag: '' } });
    expect((await rows()).map((row) => [row.tag, row.deleted_at])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  test('REL-7.20 a tag is set on several channels, and removed again', async () => {
    const ids = [(await scene().create()).id, (await scene().create()).id];
    const tag = uniqueName('tag');
    const set = await request('/api/channel/batch/tag', { body: { ids, tag } });
    expect(set.body.data).toBe(2);
    expect((await scene().row(ids[1] ?? 0)).tag).toBe(tag);
    await request('/api/channel/batch/tag', { body: { ids, tag: null } });
    expect((await scene().row(ids[1] ?? 0)).tag).toBeNull();
  });

  test('an unused tag is not found', async () => {
    const reply = await request('/api/channel/tag/enabled', { body: { tag: 'nobody-has-this' } });
    expect([reply.status, reply.body.code]).toEqual([404, 'tag_not_found']);
  });
});
