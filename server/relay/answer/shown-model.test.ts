import { expect, test } from 'bun:test';
import { parseStringMap } from '#server/relay/channel-choice/mapping.ts';
import { renameModel, shownModelOf, withShownModel } from './shown-model.ts';

test('O16: events of a mapped model name it as the caller did', () => {
  const chat =
    'data: {"id":"1","model":"real-x","choices":[{"delta":{"content":"\\"model\\":\\"real-x\\""}}]}\n\n';
  expect(withShownModel(chat + chat, 'mine')).toBe(chat.replace('"real-x"', '"mine"').repeat(2));
  const responses =
    'event: response.created\ndata: {"response":{"model": "real-x","tools":[{"type":"image_generation","model":"gpt-image-1"}]}}\n\n';
  expect(withShownModel(responses, 'mine')).toBe(responses.replace('"real-x"', '"mine"'));
  expect(withShownModel('data: {"candidates":[],"modelVersion":"real-x"}\r\n\r\n', 'm"1')).toBe(
    'data: {"candidates":[],"modelVersion":"m\\"1"}\r\n\r\n',
  );
});

test('O16: only a mapped model is renamed, and the rest of a whole answer stays byte for byte', () => {
  const mapping = parseStringMap('{"mine":"real-x"}');
  expect(shownModelOf({ modelMapping: mapping }, { model: 'mine' })).toBe('mine');
  expect(shownModelOf({ modelMapping: mapping }, { model: 'other' })).toBeUndefined();
  expect(shownModelOf({ modelMapping: mapping }, { model: 'other', shownModel: 'fast' })).toBe('fast');
  const body = '{ "id":"1", "model" : "real-x-2024", "usage":{"total_tokens":1.0} }';
  const answer = {
    kind: 'whole' as const,
    status: 200,
    contentType: 'application/json',
    body: Buffer.from(body) as Uint8Array | string,
    json: JSON.parse(body) as Record<string, unknown>,
    converted: undefined,
  };
  renameModel(answer, 'mine');
  expect(answer.body).toBe(body.replace('real-x-2024', 'mine'));
  expect(answer.json['model']).toBe('mine');
});
