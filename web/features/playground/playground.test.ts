// The logic of the playground: settings, requests, events and the states of an answer.
import { describe, expect, test } from 'bun:test';
import {
  addTurn,
  changeAnswer,
  conversationCost,
  cutAt,
  isBusy,
  messagesForCode,
  newConversation,
  requestMessages,
  settled,
  type Answer,
} from './conversation.ts';
import { createEventReader } from './events.ts';
import { chatRequest, keyRequest } from './request.ts';
import { defaultSettings, readSettings, TEMPERATURE, withRange } from './settings.ts';

const complete = (content: string) => (answer: Answer) => ({
  ...answer,
  status: 'complete' as const,
  content,
});

describe('settings', () => {
  test('REL-9.38 REL-9.39 REL-9.40 start with gpt-4o-mini, a slider of 0.1 to 1 by 0.1, and no limit of tokens', () => {
    expect(defaultSettings()).toMatchObject({ models: ['gpt-4o-mini'], maxTokens: 0 });
    expect(TEMPERATURE).toMatchObject({ min: 0.1, max: 1, step: 0.1 });
  });

  test('stored settings are restored, invalid values are not', () => {
    const kept = { ...defaultSettings(), models: ['a', 'b'], temperature: 0.7, extras: { seed: 3 } };
    expect(readSettings(JSON.stringify(kept))).toEqual(kept);
    expect(
      readSettings('{"models":[1,""],"temperature":9,"maxTokens":-4,"extras":{"seed":"x","evil":1}}'),
    ).toEqual({
      ...defaultSettings(),
      temperature: 1,
    });
    for (const text of [null, 'nonsense', '3', 'null']) expect(readSettings(text)).toEqual(defaultSettings());
  });

  test('leaving the wide range brings the temperature back into the slider', () => {
    expect(withRange({ ...defaultSettings(), isExtended: true, temperature: 1.8 }, false).temperature).toBe(
      1,
    );
    expect(withRange({ ...defaultSettings(), isExtended: true, temperature: 0 }, false).temperature).toBe(
      0.1,
    );
  });
});

describe('the request', () => {
  test('REL-7.75 carries messages, stream, model, group, max_tokens and temperature', () => {
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const plain = chatRequest(defaultSettings(), 'm', 'vip', messages);
    expect(plain).toMatchObject({ messages, stream: true, model: 'm', group: 'vip', temperature: 0.5 });
    expect(plain['max_tokens']).toBe(0);
    expect(Object.keys(keyRequest(plain))).toEqual(['model', 'messages', 'stream', 'temperature']);
    const limited = chatRequest(
      { ...defaultSettings(), maxTokens: 9, extras: { top_p: 0.2 } },
      'm',
      'vip',
      messages,
    );
    expect(limited).toMatchObject({ max_tokens: 9, top_p: 0.2 });
    expect(keyRequest(limited)).toMatchObject({ max_tokens: 9, top_p: 0.2 });
  });

  test('each pane sends its own answers; failed ones are left out; images become parts', () => {
    let conversation = addTurn(newConversation(1), { text: 'one', images: [] }, ['a', 'b']);
    const first = conversation.turns[0]?.id ?? '';
    conversation = changeAnswer(conversation, first, 0, complete('from a'));
    conversation = changeAnswer(conversation, first, 1, (answer) => ({
      ...answer,
      status: 'error',
      content: 'no',
    }));
    conversation = addTurn(conversation, { text: 'two', images: ['data:image/png;base64,AA'] }, ['a', 'b']);
    const second = conversation.turns[1]?.id;
    const parts = [
      { type: 'text' as const, text: 'two' },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA' } },
    ];
    expect(requestMessages(conversation.turns, 0, 'be brief', second)).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'from a' },
      { role: 'user', content: parts },
    ]);
    expect(requestMessages(conversation.turns, 1, ' ', second)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'user', content: parts },
    ]);
    expect(requestMessages(conversation.turns, 0, '', first)).toHaveLength(1);
  });
});

test('code to copy never asks an empty question (D32)', () => {
  const system = { role: 'system' as const, content: 'be brief' };
  const one = { role: 'user' as const, content: 'one' };
  const answer = { role: 'assistant' as const, content: 'from a' };
  const empty = { role: 'user' as const, content: '' };
  expect(messagesForCode([system, one, answer, { role: 'user', content: 'two' }])).toHaveLength(4);
  expect(messagesForCode([system, one, answer, empty])).toEqual([system, one]);
  expect(messagesForCode([system, empty])).toEqual([system, { role: 'user', content: 'Hello!' }]);
});

describe('a conversation', () => {
  test('REL-4.74 an answer starts as loading, and what a closed page left open is an error', () => {
    const conversation = addTurn(newConversation(1), { text: '  what\n is it ', images: [] }, ['a']);
    expect(conversation.title).toBe('what is it');
    expect(conversation.turns[0]?.answers[0]?.status).toBe('loading');
    expect(isBusy(conversation)).toBe(true);
    const after = settled(conversation, 'broke off');
    expect(after.turns[0]?.answers[0]).toMatchObject({ status: 'error', content: 'broke off' });
    expect(isBusy(after)).toBe(false);
  });

  test('editing a prompt drops it and what followed; costs add up by pane', () => {
    let conversation = addTurn(newConversation(1), { text: 'one', images: [] }, ['a', 'b']);
    const first = conversation.turns[0]?.id ?? '';
    conversation = changeAnswer(conversation, first, 0, (answer) => ({
      ...answer,
      status: 'complete',
      cost: 0.2,
    }));
    conversation = changeAnswer(conversation, first, 1, (answer) => ({
      ...answer,
      status: 'complete',
      cost: 0.1,
    }));
    conversation = addTurn(conversation, { text: 'two', images: [] }, ['a', 'b']);
    expect(conversationCost(conversation)).toBeCloseTo(0.3);
    expect(conversationCost(conversation, 1)).toBe(0.1);
    expect(cutAt(conversation, conversation.turns[1]?.id ?? '').turns.map((turn) => turn.id)).toEqual([
      first,
    ]);
  });
});

describe('server-sent events', () => {
  const text = ': ping\r\n\r\ndata: {"a":1}\r\n\r\nevent: x\ndata: two\ndata: lines\n\ndata:[DONE]';
  const all = ['{"a":1}', 'two\nlines', '[DONE]'];

  test('arrive whole', () => {
    const reader = createEventReader();
    expect([...reader.push(text), ...reader.end()]).toEqual(all);
  });

  test('arrive letter by letter', () => {
    const reader = createEventReader();
    const found = text.split('').flatMap((letter) => reader.push(letter));
    expect([...found, ...reader.end()]).toEqual(all);
  });
});
