import { expect, test } from 'bun:test';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import { prepareJsonBody } from './prepare.ts';

test('twenty models for one call leave its text alone and count its tokens once', () => {
  const [chat] = relayEndpoints;
  if (chat === undefined) throw new Error('no endpoint');
  let counts = 0;
  const endpoint: typeof chat = {
    ...chat,
    estimate: (fields, model) => {
      counts += 1;
      return chat.estimate(fields, model);
    },
  };
  // Who reads this text finds no JSON in it.
  const prepared = prepareJsonBody(endpoint, {
    value: { model: 'fast', messages: [{ role: 'user', content: 'hello' }] },
    text: 'unread',
  });
  const others = Array.from({ length: 20 }, (_, at) => prepared.as?.(`model-${at}`, 'fast'));
  expect(others.map((each) => each?.model)).toEqual(others.map((_, at) => `model-${at}`));
  expect(others.map((each) => each?.fields['model'])).toEqual(others.map((_, at) => `model-${at}`));
  expect(counts).toBe(1);
  expect(others.every((each) => each?.estimate === prepared.estimate)).toBe(true);
});

test('pictures and speech are counted for each model', () => {
  const images = relayEndpoints.find(({ path }) => path === '/v1/images/generations');
  if (images === undefined) throw new Error('no endpoint');
  const value = { model: 'fast', prompt: 'a cat', n: 1, size: '1024x1792', quality: 'hd' };
  const prepared = prepareJsonBody(images, { value, text: JSON.stringify(value) });
  expect(prepared.as?.('dall-e-3', 'fast').estimate.pieces).toBeGreaterThan(
    prepared.as?.('gpt-image-1', 'fast').estimate.pieces ?? 0,
  );
});
