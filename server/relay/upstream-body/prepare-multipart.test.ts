// An upload for a channel: which bytes are sent, under which model, and what it is held for.
import { describe, expect, test } from 'bun:test';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import type { Unread } from '#server/relay/request/read-body.ts';
import { prepareMultipart } from './prepare-multipart.ts';

const TYPE = 'multipart/form-data; boundary=B';
const field = (name: string, text: string) =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
const file = (name: string, text: string) =>
  `--B\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n${text}\r\n`;
const END = '--B--\r\n';

const [transcriptions, edits] = ['/v1/audio/transcriptions', '/v1/images/edits'].map((path) =>
  relayEndpoints.find((endpoint) => endpoint.path === path),
);
if (transcriptions === undefined || edits === undefined) throw new Error('the endpoints are gone');

const prepare = async (text: string, endpoint = transcriptions, type = TYPE) => {
  const request = new Request('http://x/', { method: 'POST', body: text, headers: { 'Content-Type': type } });
  const incoming = {
    request,
    connection: { timeout: () => {} },
    seconds: { unsized: 1 },
  } as unknown as Unread;
  return await prepareMultipart(endpoint, incoming);
};
const sent = async (text: string, mapping: Record<string, string> = {}) => {
  const channel = { modelMapping: new Map(Object.entries(mapping)) } as unknown as Channel;
  const { model, body, contentType, format, path, isStream } = (await prepare(text)).bodyFor(channel, 'r');
  expect([contentType, format, path]).toEqual([TYPE, 'openai-transcriptions', '/v1/audio/transcriptions']);
  return { model, isStream, text: Buffer.from(body).toString() };
};
async function refusal(text: string, type = TYPE): Promise<unknown> {
  try {
    await prepare(text, transcriptions, type);
    return undefined;
  } catch (error) {
    return error instanceof RelayError ? [error.code, error.parameters] : error;
  }
}

describe('an upload', () => {
  const upload = `${field('model', 'whisper-1')}${file('file', 'sound')}${field('stream', 'true')}${END}`;

  test('passes unchanged where its model has the same name upstream', async () => {
    expect(await sent(upload)).toEqual({ model: 'whisper-1', isStream: true, text: upload });
    expect((await sent(upload.replace('true', 'yes'))).isStream).toBe(false);
  });

  test('has the upstream’s name of its model in the place of the caller’s, and nothing else is changed', async () => {
    expect(await sent(upload, { 'whisper-1': 'up' })).toEqual({
      model: 'up',
      isStream: true,
      text: upload.replace('whisper-1', 'up'),
    });
    const unnamed = `${file('file', 'sound')}${END}`;
    expect(await sent(unnamed)).toMatchObject({
      model: 'whisper-1',
      text: field('model', 'whisper-1') + unnamed,
    });
    expect((await sent(unnamed, { 'whisper-1': 'up' })).text).toBe(field('model', 'up') + unnamed);
    // A file of that name is no model.
    const named = `${field('model', 'whisper-1')}${file('model', 'x')}${END}`;
    expect((await sent(named, { 'whisper-1': 'up' })).text).toBe(named.replace('whisper-1', 'up'));
  });

  test('never says where it should be sent', async () => {
    for (const name of ['api_base', 'base_url', 'api_key', 'api_version', 'custom_llm_provider']) {
      const around = field(name, 'https://elsewhere.example');
      expect((await sent(around + upload)).text).toBe(upload);
      expect((await sent(around + upload, { 'whisper-1': 'up' })).text).toBe(
        upload.replace('whisper-1', 'up'),
      );
      const asFile = `${file(name, 'x')}${upload}`;
      expect((await sent(asFile)).text).toBe(asFile);
    }
  });

  test('that is no form, names a field twice, or names a file of the account is refused', async () => {
    expect(await refusal(upload, 'multipart/form-data')).toEqual(['invalid_body', { detail: 'boundary' }]);
    expect(await refusal('--B')).toEqual(['invalid_body', { detail: 'multipart' }]);
    expect(await refusal(field('a', '1') + upload)).toBeUndefined();
    expect(await refusal(field('a', '1') + field('a', '2') + upload)).toEqual([
      'invalid_body',
      { detail: 'duplicate' },
    ]);
    expect(await refusal(field('a[]', '1') + field('a[]', '2') + upload)).toBeUndefined();
    expect(await refusal(field('image[0][file_id]', 'x') + upload)).toEqual([
      'state_not_here',
      { field: 'image[0][file_id]' },
    ]);
    const long = 'x'.repeat(1024 * 1024);
    expect(await refusal(field('a', long) + upload)).toBeUndefined();
    expect(await refusal(field('a', `${long}x`) + upload)).toEqual(['invalid_field', { field: 'a' }]);
  });

  test('has a number only in the field of a number', async () => {
    const { fields, requestLength, wantsUsage, outputLimit } = await prepare(
      field('n', '2') + field('seed', '7') + upload,
    );
    expect(fields).toEqual({ n: 2, seed: '7', model: 'whisper-1', stream: 'true' });
    expect([requestLength, wantsUsage, outputLimit]).toEqual([
      (field('n', '2') + field('seed', '7') + upload).length,
      false,
      undefined,
    ]);
    for (const n of ['-1.5', 'x2', '2x']) {
      const read = await prepare(field('n', n) + upload);
      expect(read.fields['n']).toBe(n === '-1.5' ? -1.5 : n);
    }
  });
});

describe('an estimate', () => {
  test('of a recording is by its length, not by the form around it', async () => {
    const { estimate } = await prepare(
      `${field('model', 'whisper-1')}${file('file', 'x'.repeat(240_000))}${END}`,
    );
    expect([estimate.promptTokens, estimate.isExact]).toEqual([1000, false]);
    expect((await prepare(`${field('model', 'whisper-1')}${END}`)).estimate.promptTokens).toBe(1000);
  });

  test('of pictures that are edited has each of them as input', async () => {
    const { estimate } = await prepare(
      `${field('model', 'm')}${field('prompt', 'x')}${file('image[]', '1')}${file('image[]', '2')}${END}`,
      edits,
    );
    expect([estimate.most.imageInput, estimate.unreported.imageInput, estimate.pieces]).toEqual([
      10_000, 0, 1,
    ]);
  });
});
