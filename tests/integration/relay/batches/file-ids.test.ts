// Files for calls (purpose user_data, vision …): a call names them by the id that its user knows.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { forEachDatabase } from '#tests/support/databases.ts';
import { MODEL, openStation, type Station } from './support.ts';

setDefaultTimeout(120_000);

forEachDatabase((database) => {
  let station: Station;
  beforeAll(async () => {
    station = await openStation(database);
  });
  afterAll(() => station.close());

  const about = (caller: OpenAI, file_id: string) =>
    caller.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }],
    });

  test('the upstream gets its own id of a file, and nobody else’s file can be named (W29)', async () => {
    const { openai, app } = station;
    const { openai: client } = await station.caller();
    const file = await toFile(Buffer.from('hi'), 'a.txt');
    const notes = await client.files.create({ file, purpose: 'user_data' });
    const asked: string[] = [];
    openai.plan(/POST \/v1\/chat\/completions/, async (request) => {
      asked.push(await request.text());
      const choice = { index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' };
      const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
      return Response.json({ id: 'c', object: 'chat.completion', model: 'm', choices: [choice], usage });
    });
    await about(client, notes.id);
    const { upstream_id: kept } = await app.store.db
      .selectFrom('files')
      .select('upstream_id')
      .where('file_id', '=', notes.id)
      .executeTakeFirstOrThrow();
    expect(asked[0]).toContain(`"file_id":"${kept}"`);
    expect(asked[0]).not.toContain(notes.id);
    const stranger = await station.caller();
    const refusal = await about(stranger.openai, notes.id).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 404, code: 'file_unknown', param: 'file_id' });
    expect(asked).toHaveLength(1);
  });
});
