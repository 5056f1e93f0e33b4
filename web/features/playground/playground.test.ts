// The logic of the playground: settings, requests, events and the states of an answer.
import { describe, expect, test } from 'bun:test';
import {
  addTurn,
  branchAt,
  changeAnswer,
  continuedAnswer,
  conversationCost,
  cutAt,
  isBusy,
  messagesForCode,
  newConversation,
  promptParts,
  requestMessages,
  settled,
  type Answer,
} from './conversation.ts';
import { createEventReader } from './events.ts';
import { asJson, asMarkdown, fileName } from './export-text.ts';
import { callOf, type ToolCall } from './call.ts';
import { refusalOf } from './attachments.ts';
import { chatRequest } from './request.ts';
import { readChunk } from './chunk.ts';
import { EXAMPLE_TOOL, readTools } from './tools.ts';
import { filled, variableNames } from './variables.ts';
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

const question = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text' as const, text }] });

describe('the request', () => {
  test('REL-7.75 carries messages, stream, model, group, max_tokens and temperature', () => {
    const messages = [question('hi')];
    const plain = chatRequest(callOf(defaultSettings(), 'm', undefined, '', messages), 'vip');
    expect(plain).toMatchObject({ stream: true, model: 'm', group: 'vip', temperature: 0.5, max_tokens: 0 });
    expect(plain['messages']).toEqual([{ role: 'user', content: 'hi' }]);
    const settings = { ...defaultSettings(), maxTokens: 9, extras: { top_p: 0.2 } };
    const limited = callOf(settings, 'm', undefined, '', messages);
    expect(chatRequest(limited, 'vip')).toMatchObject({ max_tokens: 9, top_p: 0.2 });
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
    const asked = [question('one'), { role: 'user' as const, parts: [...question('two').parts] }];
    const picture = { type: 'image' as const, mediaType: 'image/png', data: 'AA' };
    const last = { role: 'user' as const, parts: [...question('two').parts, picture] };
    expect(requestMessages(conversation.turns, 0, second)).toEqual([
      question('one'),
      { role: 'assistant', text: 'from a', calls: [] },
      last,
    ]);
    expect(requestMessages(conversation.turns, 1, second)).toEqual([question('one'), last]);
    expect(requestMessages(conversation.turns, 0, first)).toEqual(asked.slice(0, 1));
  });

  test('a text file is told as text, a PDF and a recording are attached', () => {
    const file = (kind: 'pdf' | 'audio' | 'text', name: string, mediaType: string, data: string) => ({
      kind,
      name,
      mediaType,
      data,
      bytes: 1,
    });
    const files = [
      file('text', 'notes.md', 'text/markdown', '# Hi'),
      file('pdf', 'a.pdf', 'application/pdf', 'UERG'),
      file('audio', 'a.mp3', 'audio/mpeg', 'SUQz'),
    ];
    expect(promptParts({ text: '', images: [], files })).toEqual([
      { type: 'text', text: 'notes.md\n\n# Hi' },
      { type: 'pdf', name: 'a.pdf', data: 'UERG' },
      { type: 'audio', mediaType: 'audio/mpeg', data: 'SUQz' },
    ]);
  });
});

describe('tools', () => {
  const calls = [{ id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' }];

  test('an answer goes on with what its tools answered, and keeps what it cost until then', () => {
    let conversation = addTurn(newConversation(1), { text: 'weather?', images: [] }, ['a']);
    const turn = conversation.turns[0]?.id ?? '';
    conversation = changeAnswer(conversation, turn, 0, (answer) => ({
      ...answer,
      status: 'complete',
      calls,
      cost: 0.2,
    }));
    // A call that nobody answered is not sent: upstreams refuse it.
    expect(requestMessages(conversation.turns, 0)).toEqual([question('weather?')]);
    conversation = changeAnswer(conversation, turn, 0, (answer) => continuedAnswer(answer, ['sunny']));
    expect(conversation.turns[0]?.answers[0]?.status).toBe('loading');
    expect(requestMessages(conversation.turns, 0, turn)).toEqual([
      question('weather?'),
      { role: 'assistant', text: '', calls: [{ ...(calls[0] as ToolCall), result: 'sunny' } as ToolCall] },
      { role: 'tool', id: 'c1', name: 'get_weather', result: 'sunny' },
    ]);
    conversation = changeAnswer(conversation, turn, 0, (answer) => ({ ...answer, cost: 0.1 }));
    expect(conversationCost(conversation)).toBeCloseTo(0.3);
  });

  test('a tool without a name, with a name twice or with a broken schema is not sent', () => {
    expect(readTools([EXAMPLE_TOOL])).toHaveLength(1);
    expect(readTools([{ ...EXAMPLE_TOOL, name: 'a b' }])).toEqual([]);
    expect(readTools([EXAMPLE_TOOL, { ...EXAMPLE_TOOL }])).toEqual([]);
    expect(readTools([{ ...EXAMPLE_TOOL, parameters: '[1]' }])).toEqual([]);
  });

  test('pieces of a call are put together by their index', () => {
    const pieces: [number, Partial<ToolCall>][] = [];
    const listener = {
      onText: () => {},
      onReasoning: () => {},
      onUsage: () => {},
      onToolCall: (index: number, piece: Partial<ToolCall>) => void pieces.push([index, piece]),
    };
    const chunk = (call: object) => JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] });
    readChunk(chunk({ index: 1, id: 'c', function: { name: 'f', arguments: '' } }), listener);
    readChunk(chunk({ index: 1, function: { arguments: '{}' } }), listener);
    expect(pieces).toEqual([
      [1, { id: 'c', name: 'f', arguments: '' }],
      [1, { arguments: '{}' }],
    ]);
  });
});

test('code to copy never asks an empty question (D32)', () => {
  const answer = { role: 'assistant' as const, text: 'from a', calls: [] };
  const empty = { role: 'user' as const, parts: [] };
  expect(messagesForCode([question('one'), answer, question('two')])).toHaveLength(3);
  expect(messagesForCode([question('one'), answer, empty])).toEqual([question('one')]);
  expect(messagesForCode([empty])).toEqual([question('Hello!')]);
});

describe('variables', () => {
  test('are found once each and filled in; one without a value stays', () => {
    expect(variableNames('{{city}} and {{ 名字 }}', '{{city}} {{}} {{1x}}')).toEqual(['city', '名字']);
    expect(filled('In {{city}}, {{other}}', { city: '$& Oslo', other: '' })).toBe('In $& Oslo, {{other}}');
  });
});

describe('attachments', () => {
  const megabyte = 1024 * 1024;
  test('are bounded by kind and in all', () => {
    const pdf = { name: 'a.pdf', type: 'application/pdf', size: 20 * megabyte };
    expect(refusalOf(pdf, 0)).toBeUndefined();
    expect(refusalOf(pdf, 11 * megabyte)).toBe('all');
    expect(refusalOf({ ...pdf, size: pdf.size + 1 }, 0)).toBe('size');
    expect(refusalOf({ name: 'a.exe', type: 'application/x-msdownload', size: 1 }, 0)).toBe('kind');
    expect(refusalOf({ name: 'a.py', type: '', size: 1 }, 0)).toBeUndefined();
  });
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

  test('a branch is a conversation of its own up to that message', () => {
    let conversation = addTurn(newConversation(1), { text: 'one', images: [] }, ['a']);
    conversation = addTurn(conversation, { text: 'two', images: [] }, ['a']);
    const branch = branchAt(conversation, conversation.turns[0]?.id ?? '');
    expect(branch.id).not.toBe(conversation.id);
    expect(branch.turns.map((turn) => turn.text)).toEqual(['one']);
    expect(conversation.turns).toHaveLength(2);
  });

  test('as Markdown it has every question and answer, and a fence that its text cannot end', () => {
    let conversation = addTurn(newConversation(1), { text: 'why?', images: ['data:image/png;base64,AA'] }, [
      'a',
    ]);
    const turn = conversation.turns[0]?.id ?? '';
    conversation = changeAnswer(conversation, turn, 0, (answer) => ({
      ...answer,
      status: 'complete',
      content: 'because',
      calls: [{ id: 'c', name: 'f', arguments: '```' }],
    }));
    const words = { you: 'You', untitled: 'New', attached: 'Attached:' };
    const text = asMarkdown(conversation, words);
    for (const part of ['# why?', '## You', '_Attached: image 1_', '## a', 'because', '````json\n```\n````'])
      expect(text).toContain(part);
    expect(JSON.parse(asJson(conversation))).toMatchObject({ title: 'why?', turns: [{ text: 'why?' }] });
    expect(fileName('a/b: c?', 'md')).toBe('a-b-c.md');
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
