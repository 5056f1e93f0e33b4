// The limits of batches and their files are not those of the model's calls: a caller who is refused a batch pauses nobody.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { CLAUDE, line, newBatch, openStation, upload, type Station } from './support.ts';

setDefaultTimeout(60_000);

const refused = () =>
  Response.json(
    { type: 'error', error: { type: 'rate_limit_error', message: 'Too many batches.' } },
    { status: 429, headers: { 'retry-after': '60' } },
  );

for (const database of databaseLabels)
  describe(database, () => {
    let station: Station;
    beforeAll(async () => {
      station = await openStation(database);
    });
    afterAll(() => station.close());

    test('a file that is refused for a limit does not pause the model', async () => {
      const { openai } = await station.caller();
      station.openai.plan(/POST \/v1\/files/, refused);
      expect(await failure(upload(openai, [line('one')]))).toMatchObject({ status: 429 });
      expect(await upload(openai, [line('one')])).toMatchObject({ status: 'processed' });
    });

    test('nor does a batch', async () => {
      const { openai } = await station.caller();
      station.openai.plan(/POST \/v1\/batches/, refused);
      expect(await failure(newBatch(openai, ['one']))).toMatchObject({ status: 429 });
      expect(await newBatch(openai, ['one'])).toMatchObject({ status: 'validating' });
    });

    test('nor one of Anthropic', async () => {
      const { anthropic } = await station.caller();
      const params = {
        model: CLAUDE,
        max_tokens: 9,
        messages: [{ role: 'user' as const, content: 'gate?' }],
      };
      const create = () => anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params }] });
      station.anthropic.plan(/POST/, refused);
      expect(await failure(create())).toMatchObject({ status: 429 });
      expect(await create()).toMatchObject({ processing_status: 'in_progress' });
    });
  });
